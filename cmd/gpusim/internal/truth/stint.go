// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package truth

import (
	"slices"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// stint is what is remembered of a holder until all of its time is settled.
type stint struct {
	pod       *pod
	began     gpu.Time
	over      map[int]gpu.Time // attempt → since when its start-up is over for good
	activity  activity         // so far
	before    activity         // before the interval that is being booked
	interval  int              // the number of that
	mode      gpu.Reason       // of the idle time in it, NoReason until it is asked for
	idleSince gpu.Time         // start of the running stretch, NoTime if none runs
	bookedTo  gpu.Time
}

// activity is how active a holder was.
type activity struct {
	started   int64 // since its start-up was over
	attempt   int
	inAttempt int64
}

func (a *activity) add(nanos int64, attempt int, starting bool) {
	if attempt != a.attempt {
		a.attempt, a.inAttempt = attempt, 0
	}
	a.inAttempt += nanos
	a.started += nanos
	if starting {
		a.started = 0
	}
}

// track begins, continues or ends a stretch with a piece that begins at from.
func (s *stint) track(low bool, from gpu.Time) {
	switch {
	case !low:
		s.idleSince = gpu.NoTime
	case s.idleSince == gpu.NoTime || s.bookedTo != from:
		s.idleSince = from
	}
}

// start is how far a start-up is.
type start struct {
	attempt int
	over    bool
	running bool // ready, though no probe says so: over with enough activity
	reason  gpu.Reason
}

// starting reports whether it isn't over for a holder that was that active
// before the interval.
func (s start) starting(before activity) bool {
	enough := before.attempt == s.attempt && before.inAttempt >= enoughActivity
	return !s.over && !(s.running && enough)
}

// startOf returns how far the start-up of a holder is at t, as known at k.
func (s *stint) startOf(t, k gpu.Time, evidence []*series) start {
	of := start{reason: gpu.ReasonAdmission}
	marks := s.pod.startMarks(k)
	for _, m := range marks {
		if m.At <= t {
			of.attempt = max(of.attempt, m.Attempt)
		}
	}
	marks = slices.DeleteFunc(marks, func(m startMark) bool { return m.Attempt != of.attempt })
	if len(marks) == 0 {
		of.over = true
		return of
	}
	began, latest := s.began, startMark{}
	if of.attempt > 0 {
		began = gpu.Forever
	}
	for _, m := range marks {
		if of.attempt > 0 {
			began = min(began, m.At)
		}
		if m.At > t {
			continue
		}
		if m.Name == gpu.Ready {
			of.over = of.over || m.Source == gpu.SourceProbe || m.At.Add(longestStart) <= t
			of.running = true
		}
		if m.reason != gpu.NoReason && (m.At > latest.At || m.At == latest.At && m.order > latest.order) {
			latest, of.reason = m, m.reason
		}
	}
	of.over = of.over || slices.ContainsFunc(evidence, func(o *series) bool { return o.rose(began, min(t, k)) })
	of.over = s.latch(of.attempt, of.over, t)
	return of
}

// latch says whether a start-up is over at t, for good: what showed it may be
// another pod's, that leaves the group.
func (s *stint) latch(attempt int, over bool, t gpu.Time) bool {
	since, was := s.over[attempt]
	switch {
	case was && since <= t:
		return true
	case over && s.over == nil:
		s.over = map[int]gpu.Time{}
		fallthrough
	case over:
		s.over[attempt] = t
	}
	return over
}

// startMark is a milestone of a start with its place in the table.
type startMark struct {
	milestone
	order  int
	reason gpu.Reason
}

// startMarks returns the milestones of the starts of a pod as known at k, of
// each the earliest time that was told.
func (p *pod) startMarks(k gpu.Time) (marks []startMark) {
	table := gpu.StartTable()
	for _, m := range p.marks {
		order, ok := gpu.StartOrder(m.Name)
		other := m.Name == gpu.ContainerStarted && m.Container != "" && m.Container != p.Holder.Container
		if !ok || m.told > k || other {
			continue
		}
		i := slices.IndexFunc(marks, func(o startMark) bool {
			return o.Name == m.Name && o.Attempt == m.Attempt && o.Container == m.Container && o.Source == m.Source
		})
		switch {
		case i < 0:
			marks = append(marks, startMark{m, order, table[order].Reason})
		case m.At < marks[i].At:
			marks[i].At = m.At
		}
	}
	return marks
}
