// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"cmp"
	"slices"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/world"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// Who tells milestones.
const (
	sourcePod   = "pod_status"
	sourceEvent = "event"
	sourceCUDA  = "cuda"
	sourceNone  = "none"
)

// life is when a pod passes what. What never comes is gpu.Forever.
type life struct {
	created, scheduled, admitted gpu.Time
	sandbox, pulled, ready       gpu.Time // sandbox ready, image there, init containers over
	attempts                     []attempt
	deleted, finished, released  gpu.Time
}

// attempt is a run of the pod's container: it begins after a back-off, makes
// its first CUDA call, is loaded, and ends.
type attempt struct {
	backoff, began, cuda, loaded, end gpu.Time
	pattern                           *pattern
}

// lifeOf returns the life of a pod that is created at created and, if long
// isn't 0, ends by itself or by a deletion after that.
func lifeOf(p *podSpec, run occurrence) *life {
	l := &life{created: run.created, deleted: gpu.Forever, finished: gpu.Forever, released: gpu.Forever}
	l.scheduled = l.created.Add(p.Start.Scheduling)
	l.admitted = l.scheduled.Add(p.Start.Admission)
	l.sandbox = l.admitted.Add(p.Start.Sandbox)
	l.pulled = l.sandbox.Add(p.Start.Pull)
	l.ready = l.pulled.Add(p.Start.Init)
	if run.long > 0 {
		l.finished = l.created.Add(run.long)
		if p.End.How == "deleted" {
			l.deleted, l.finished = l.finished, l.finished.Add(p.End.Grace)
		}
		l.released = l.finished.Add(p.End.Release)
	}
	l.attempts = []attempt{{began: l.ready, pattern: run.activity}}
	l.attempts[0].start(p.Start.BeforeCUDA, p.Start.Load)
	for _, r := range p.Restarts {
		at := l.created.Add(r.At)
		l.attempts[len(l.attempts)-1].end = at
		a := attempt{backoff: at, began: at.Add(r.Backoff), pattern: run.activity}
		if r.Activity != nil {
			a.pattern = r.Activity
		}
		a.start(r.BeforeCUDA, r.Load)
		l.attempts = append(l.attempts, a)
	}
	l.attempts[len(l.attempts)-1].end = l.finished
	return l
}

// milestones returns those that somebody tells, in order of time.
func (l *life) milestones(p *podSpec) (told []world.Milestone) {
	tell := func(name gpu.MilestoneName, attempt int, container, source string, at, before gpu.Time) {
		if at < before && !slices.Contains(p.Start.Untold, string(name)) {
			told = append(told, world.Milestone{Name: name, Attempt: attempt, Container: container, Source: source, At: at})
		}
	}
	tell(gpu.Created, 0, "", sourcePod, l.created, l.finished)
	tell(gpu.Scheduled, 0, "", sourcePod, l.scheduled, l.finished)
	tell(gpu.Admitted, 0, "", sourcePod, l.admitted, l.finished)
	tell(gpu.SandboxReady, 0, "", sourcePod, l.sandbox, l.finished)
	if p.Start.Pull > 0 {
		tell(gpu.PullStarted, 0, p.Container, sourceEvent, l.sandbox, l.finished)
		tell(gpu.PullFinished, 0, p.Container, sourceEvent, l.pulled, l.finished)
	}
	if p.Start.Init > 0 {
		tell(gpu.InitStarted, 0, "", sourcePod, l.pulled, l.finished)
		tell(gpu.InitFinished, 0, "", sourcePod, l.ready, l.finished)
	}
	for n, a := range l.attempts {
		if n > 0 {
			tell(gpu.BackoffStarted, n, p.Container, sourcePod, a.backoff, l.finished)
		}
		tell(gpu.ContainerStarted, n, p.Container, sourcePod, a.began, a.end)
		tell(gpu.FirstCUDA, n, p.Container, sourceCUDA, a.cuda, a.end)
		if p.Start.Ready == sourceNone { // ready as soon as it runs
			tell(gpu.Ready, n, "", sourceNone, a.began, a.end)
		} else {
			tell(gpu.Ready, n, "", gpu.SourceProbe, a.loaded, a.end)
		}
	}
	last := len(l.attempts) - 1
	tell(gpu.DeletionRequested, last, "", sourcePod, l.deleted, gpu.Forever)
	tell(gpu.ContainersFinished, last, "", sourcePod, l.finished, gpu.Forever)
	slices.SortStableFunc(told, func(a, b world.Milestone) int { return cmp.Compare(a.At, b.At) })
	return told
}

func (a *attempt) start(beforeCUDA, load time.Duration) {
	a.cuda = a.began.Add(beforeCUDA)
	a.loaded = a.cuda.Add(load)
}

// check says what is wrong with a life.
func (l *life) check(p *podSpec, path string) error {
	if l.released <= l.admitted {
		return mistake(path+".for", p.For, "more than %s, after which the pod is admitted", l.admitted.Sub(l.created))
	}
	for i, a := range l.attempts[1:] {
		at := entry(path+".restarts", i) + ".at"
		if before := l.attempts[i]; a.backoff <= before.began {
			return mistake(at, p.Restarts[i].At, "more than %s, when the container was started before", before.began.Sub(l.created))
		}
		if a.backoff >= min(l.finished, l.deleted) {
			return mistake(at, p.Restarts[i].At, "a time before the pod's end, after %s", p.For)
		}
	}
	return nil
}
