// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package k8sgpureceiver

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/kubelet"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/pod"
)

// Of several sources of pods, one that gives no answer for leaveAfter times
// settleWithin is left for another that does; and a better one than that in use
// is tried again every returnAfter times settleWithin.
const (
	leaveAfter  = 4
	returnAfter = 10
)

// follow keeps one source of pods at work until ctx ends. Of several, it stays
// with the first that tells of all pods, as long as that answers.
func (r *nodeReceiver) follow(ctx context.Context, ladder []rung, within time.Duration) {
	for i := 0; ctx.Err() == nil; {
		step := ladder[i]
		r.own.choose(step.name)
		opened, err := step.open()
		if err != nil {
			r.own.failed(step.name, err)
			if !pause(ctx, within/10) {
				return
			}
			i = (i + 1) % len(ladder)
			continue
		}
		i = r.run(ctx, ladder, i, opened, within)
		r.close(step.name, opened)
	}
}

func (r *nodeReceiver) close(name string, opened podSource) {
	if err := opened.Close(); err != nil {
		r.own.set.Logger.Debug("closing a source of pods failed", zap.String("source", name), zap.Error(err))
	}
}

// run lets a source work, and returns which one comes after it: if others can be
// tried, the next when it hasn't told of all pods in time, or one that answers
// when it doesn't any more, or that is better.
func (r *nodeReceiver) run(ctx context.Context, ladder []rung, i int, opened podSource, within time.Duration) (next int) {
	ctx, cancel := context.WithCancel(ctx)
	s := &source{desk: r.desk, name: ladder[i].name, settled: make(chan struct{})}
	r.desk.from(ladder[i].local)
	var done sync.WaitGroup
	done.Go(func() { opened.Run(ctx, s) })
	defer done.Wait()
	defer cancel()
	if len(ladder) == 1 {
		<-ctx.Done()
		return i
	}
	timer := time.NewTimer(within)
	defer timer.Stop()
	select {
	case <-timer.C:
		return (i + 1) % len(ladder)
	case <-ctx.Done():
		return i
	case <-s.settled:
	}
	return r.stay(ctx, ladder, i, s, within)
}

// stay returns when another source is to be used, and which.
func (r *nodeReceiver) stay(ctx context.Context, ladder []rung, i int, s *source, within time.Duration) (next int) {
	for rounds := 1; pause(ctx, within); rounds++ {
		others := 0 // all that are better
		switch {
		case s.away() >= leaveAfter*within:
			others = len(ladder)
		case rounds%returnAfter == 0:
			others = i
		}
		for next = range others {
			if next != i && r.answers(ctx, ladder[next], within) {
				return next
			}
		}
	}
	return i
}

// answers reports whether a source that isn't in use tells of all pods. It is
// tried beside the one that is, since nothing is known while sources change.
func (r *nodeReceiver) answers(ctx context.Context, step rung, within time.Duration) bool {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	opened, err := step.open()
	if err != nil {
		r.own.set.Logger.Debug("a source of pods can't be used", zap.String("source", step.name), zap.Error(err))
		return false
	}
	defer r.close(step.name, opened)
	t := &trial{done: cancel}
	opened.Run(ctx, t)
	return t.synced.Load()
}

// trial takes what a source tells, and ends once that was all.
type trial struct {
	done   context.CancelFunc
	synced atomic.Bool
}

var _ kubelet.Sink = (*trial)(nil)

// Resync is no answer yet.
func (*trial) Resync() {}

// Pod is no answer yet.
func (*trial) Pod(*pod.Pod) {}

// Gone is no answer yet.
func (*trial) Gone(string) {}

// Missed is no answer yet.
func (*trial) Missed(string) {}

// Synced is the answer.
func (t *trial) Synced() {
	t.synced.Store(true)
	t.done()
}

// Lost is no answer; it may come yet.
func (*trial) Lost(error) {}

// Refused is no answer.
func (*trial) Refused(error) {}
