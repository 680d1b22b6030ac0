// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"slices"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

const (
	// startedActivity is the activity after which the start of a pod without a
	// readiness probe is over.
	startedActivity = int64(10 * time.Second)
	// startCap is how long after its containers run such a start lasts at most.
	startCap = 30 * time.Minute
)

var startTable = gpu.StartTable()

// start is what is known of an attempt at one time.
type start struct {
	attempt int
	known   bool       // by a milestone
	begun   gpu.Time   // what rose later shows that it is over
	probed  gpu.Time   // ready by a probe, or Forever
	running gpu.Time   // ready without one, or Forever
	reason  gpu.Reason // of the latest stage
}

// concerns reports whether m says something of the start of h.
func (h *holder) concerns(m *milestone) bool {
	if m.row < 0 {
		return false
	}
	return m.name != gpu.ContainerStarted || m.container == "" || len(h.containers) == 0 ||
		slices.Contains(h.containers, m.container)
}

// attemptAt returns the attempt that h is in at t.
func (h *holder) attemptAt(t, k gpu.Time) (attempt int) {
	for i := range h.pod.milestones {
		if m := &h.pod.milestones[i]; m.attempt > attempt && h.concerns(m) && m.at(k) <= t {
			attempt = m.attempt
		}
	}
	return attempt
}

// startAt returns how far the start of h is at t.
func (h *holder) startAt(t, k gpu.Time) start {
	s := start{
		attempt: h.attemptAt(t, k), begun: gpu.Forever, probed: gpu.Forever, running: gpu.Forever,
		reason: gpu.ReasonAdmission,
	}
	latest, row := gpu.NoTime, -1
	for i := range h.pod.milestones {
		m := &h.pod.milestones[i]
		at := m.at(k)
		if m.attempt != s.attempt || at == gpu.Forever || !h.concerns(m) {
			continue
		}
		s.known = true
		s.begun = min(s.begun, at)
		switch {
		case m.name != gpu.Ready:
		case m.source == gpu.SourceProbe:
			s.probed = min(s.probed, at)
		default:
			s.running = min(s.running, at)
		}
		stage := startTable[m.row].Reason
		if stage != gpu.NoReason && at <= t && (at > latest || at == latest && m.row > row) {
			latest, row, s.reason = at, m.row, stage
		}
	}
	if s.attempt == 0 {
		s.begun = h.began
	}
	return s
}

// starting returns the attempt that h is in at t and, if its start isn't over,
// the reason. What is over stays over.
func (h *holder) starting(t, k gpu.Time, streams []*outputStream) (attempt int, reason gpu.Reason) {
	if h.pod == nil || len(h.pod.milestones) == 0 {
		return 0, gpu.NoReason
	}
	s := h.startAt(t, k)
	if !s.known || s.attempt < h.started {
		return s.attempt, gpu.NoReason
	}
	if s.probed <= t || s.running <= t && h.ranLongEnough(s, t) || roseIn(streams, span{s.begun, t}, k) {
		h.started = s.attempt + 1
		return s.attempt, gpu.NoReason
	}
	return s.attempt, s.reason
}

func (h *holder) ranLongEnough(s start, t gpu.Time) bool {
	active := int64(0)
	if h.before.attempt == s.attempt {
		active = h.before.attemptActive
	}
	return active >= startedActivity || t >= s.running.Add(startCap)
}

// roseIn reports whether an output is known to have risen in s.
func roseIn(streams []*outputStream, s span, k gpu.Time) (rose bool) {
	for _, o := range streams {
		if o.profile.Kind != gpu.OutputCounter {
			continue
		}
		o.eachMark(s.from, min(s.to, k), func(m mark) { rose = rose || m.rise > 0 })
	}
	return rose
}

// startCuts appends the times in s at which the start of h may change.
func (h *holder) startCuts(cuts []gpu.Time, s span, k gpu.Time, streams []*outputStream) []gpu.Time {
	if h.pod == nil || len(h.pod.milestones) == 0 {
		return cuts
	}
	last := 0
	for i := range h.pod.milestones {
		m := &h.pod.milestones[i]
		if m.row < 0 {
			continue
		}
		last = max(last, m.attempt)
		if at := m.at(k); at != gpu.Forever {
			cuts = append(cuts, at, at.Add(startCap))
		}
	}
	if last < h.started { // no attempt is still to come
		return cuts
	}
	for _, o := range streams {
		if o.profile.Kind == gpu.OutputCounter {
			o.eachMark(s.from, min(s.to, k), func(m mark) { cuts = append(cuts, m.time) })
		}
	}
	return cuts
}
