// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package kubelet

import (
	"context"
	"errors"
	"fmt"
	"time"

	"google.golang.org/grpc"
	pods "k8s.io/kubelet/pkg/apis/pods/v1alpha1"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/pod"
)

// Sink takes what a source of pods tells. Its methods return at once: the
// kubelet closes a watch that isn't read.
type Sink interface {
	// Resync: all pods follow anew, then Synced.
	Resync()
	// Pod: a pod's state.
	Pod(p *pod.Pod)
	// Gone: the pod has finished here.
	Gone(uid string)
	// Missed: the pod has gone while the source was away; nobody knows when.
	Missed(uid string)
	Synced()
	// Lost: the source is away, it will be tried again.
	Lost(err error)
	// Refused: one answer couldn't be read.
	Refused(err error)
}

// Pods watches the pods of the node (the Pods API, on by default from 1.37 on).
type Pods struct {
	socket string
	conn   *grpc.ClientConn
	client pods.PodsClient
}

// NewPods returns a client of the socket of the Pods API.
func NewPods(socket string) (*Pods, error) {
	conn, err := dial(socket)
	if err != nil {
		return nil, err
	}
	return &Pods{socket, conn, pods.NewPodsClient(conn)}, nil
}

// Close ends the connection.
func (w *Pods) Close() error { return w.conn.Close() }

// Retry is how long Run waits before it tries again: longer each time that
// nothing was told. A pod that ends before a kubelet that started again is
// heard has no end that is dated.
var Retry = Backoff{First: 200 * time.Millisecond, Most: time.Second}

// Backoff are the times between tries.
type Backoff struct{ First, Most time.Duration }

// next returns the wait after one of d.
func (b Backoff) next(d time.Duration) time.Duration { return max(b.First, min(2*d, b.Most)) }

// Run watches until ctx ends. It connects again whenever the watch ends.
func (w *Pods) Run(ctx context.Context, sink Sink) {
	wait := time.Duration(0)
	for ctx.Err() == nil {
		synced, err := w.watch(ctx, sink)
		if ctx.Err() != nil {
			return
		}
		sink.Lost(err)
		if synced {
			wait = 0
		}
		wait = Retry.next(wait)
		if !sleep(ctx, wait) {
			return
		}
	}
}

// sleep waits, and reports whether ctx still goes on.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// watch reads one stream to its end.
func (w *Pods) watch(ctx context.Context, sink Sink) (synced bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if err := probe(ctx, w.socket); err != nil {
		return false, fmt.Errorf("watch pods: %w", err)
	}
	stream, err := w.client.WatchPods(ctx, &pods.WatchPodsRequest{})
	if err != nil {
		return false, fmt.Errorf("watch pods: %w", err)
	}
	for first := true; ; first = false {
		event, err := stream.Recv()
		if err != nil {
			return synced, fmt.Errorf("watch pods: %w", err)
		}
		if first {
			sink.Resync()
		}
		if event.GetType() == pods.EventType_INITIAL_SYNC_COMPLETE {
			synced = true
		}
		take(event, sink)
	}
}

// take hands one event to the sink.
func take(event *pods.WatchPodsEvent, sink Sink) {
	if event.GetType() == pods.EventType_INITIAL_SYNC_COMPLETE {
		sink.Synced()
		return
	}
	p, err := pod.Unmarshal(event.GetPod())
	switch {
	case err != nil:
		sink.Refused(fmt.Errorf("%w: %w", errUndecodable, err))
	case p.UID == "":
		sink.Refused(fmt.Errorf("%w: %w", errUndecodable, errNoUID))
	case event.GetType() == pods.EventType_DELETED:
		sink.Gone(p.UID)
	default:
		sink.Pod(&p)
	}
}

var errNoUID = errors.New("a pod without a UID")
