// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package truth

import (
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// held books a piece that somebody holds.
func (b *booker) held(p piece, o *booking) {
	for _, h := range p.holds {
		h.enter(b.number)
	}
	from, to := b.running(p, o, p.from), b.running(p, o, p.to)
	if len(p.holds) == 1 && !p.holds[0].share.shared {
		b.holder(p, o, 0, division{slots: []int64{1}, active: []int64{1}}, to.minus(from), from)
		return
	}
	v := divide(p.holds, o.use)
	before, after := v.parts(from), v.parts(to)
	for i := range p.holds {
		b.holder(p, o, i, v, after[i].minus(before[i]), before[i])
	}
	nobody := after[len(p.holds)].minus(before[len(p.holds)])
	b.own.add(gpu.Condition{State: gpu.Unallocated, Reason: gpu.ReasonSharedSlot}, nobody.unseen+nobody.idle)
	b.own.add(gpu.Condition{State: gpu.Unallocated, Reason: gpu.ReasonForeignActivity}, nobody.active)
}

// enter remembers how active a holder was before an interval.
func (s *stint) enter(interval int) {
	if s.interval != interval {
		s.interval, s.before, s.mode = interval, s.activity, gpu.NoReason
	}
}

// holder books what the i-th holder gets of a piece; before is what it got of
// the interval until then.
func (b *booker) holder(p piece, o *booking, i int, v division, got, before amounts) {
	h := p.holds[i]
	starting := h.start.starting(h.before)
	if o.seen == nil || starting {
		h.idleSince = gpu.NoTime
	} else {
		h.track(o.low, p.from)
	}
	h.bookedTo = p.to
	a := b.account(h.pod, b.attribution(h.share, v.by))
	all := got.unseen + got.idle + got.active
	a.Active += time.Duration(got.active)
	a.Entitled += time.Duration(b.entitled(h.share, p.span, all))
	h.activity.add(got.active, h.start.attempt, starting)
	switch {
	case h.terminates:
		h.idleSince = gpu.NoTime
		a.add(gpu.Condition{State: gpu.Terminating}, all)
	case starting:
		a.add(gpu.Condition{State: gpu.Startup, Reason: h.start.reason}, all)
	default:
		unseen := gpu.Condition{State: gpu.Unobserved, Reason: gpu.ReasonActivity}
		if p.failed {
			unseen.Reason = gpu.ReasonDevice
		}
		a.add(unseen, got.unseen)
		a.add(h.proven, got.active)
		if got.idle > 0 {
			b.idle(a, p, o, i, v, got.idle, before.idle)
		}
	}
}

// idle books idle time: what is later than the grace of its stretch is an
// episode.
func (b *booker) idle(a *Account, p piece, o *booking, i int, v division, nanos, before int64) {
	h := p.holds[i]
	c := gpu.Condition{
		State: gpu.Idle, Reason: b.mode(h, o.to), Form: gpu.BetweenWork, Residence: b.residence(o.to),
	}
	episode := h.idleSince.Add(b.device.node.rules.IdleGrace)
	if h.idleSince == gpu.NoTime || episode >= p.to {
		a.add(c, nanos)
		return
	}
	between := int64(0)
	if episode > p.from {
		between = v.parts(b.running(p, o, episode))[i].idle - before
	}
	a.add(c, between)
	c.Form = gpu.Episode
	a.add(c, nanos-between)
}

// mode returns the reason of a holder's idle time in the interval that ends at t.
func (b *booker) mode(h *hold, t gpu.Time) gpu.Reason {
	if h.stint.mode == gpu.NoReason {
		h.stint.mode = b.findMode(h, t)
	}
	return h.stint.mode
}

func (b *booker) findMode(h *hold, t gpu.Time) gpu.Reason {
	d, sleeps := b.device, false
	maxGap := d.node.rules.MaxGap
	_, with := d.settledWith(t - 1)
	for _, s := range h.evidence {
		switch {
		case s.profile.Kind == gpu.DemandGauge && s.above(t, maxGap):
			return gpu.ReasonStarved
		case s.profile.Kind == gpu.SleepGauge:
			sleeps = sleeps || s.above(t, maxGap)
		}
	}
	switch {
	case h.pod.Workload.Group != "" && d.peerActive(h.pod, t, with.by):
		return gpu.ReasonStarved
	case sleeps:
		return gpu.ReasonSleeping
	case h.before.started < provisionedWith:
		return gpu.ReasonProvisioning
	}
	switch h.pod.Workload.Class {
	case gpu.ClassInference:
		return gpu.ReasonInference
	case gpu.ClassBatch:
		return gpu.ReasonBatch
	case gpu.ClassInteractive:
		return gpu.ReasonInteractive
	default:
		return gpu.ReasonUnclassified
	}
}

// residence says whether a model was loaded in the interval that ends at t.
func (b *booker) residence(t gpu.Time) gpu.Residence {
	used, ok := b.used.newest(t)
	switch {
	case !ok:
		return gpu.ResidentUnknown
	case used >= b.device.node.rules.ResidentThreshold:
		return gpu.ResidentTrue
	default:
		return gpu.ResidentFalse
	}
}

// entitled returns what the slots of a holder are of a piece.
func (b *booker) entitled(s share, p span, received int64) int64 {
	if !s.shared {
		return received
	}
	return mulDiv(b.device.upTo(p.to), s.n, s.of) - mulDiv(b.device.upTo(p.from), s.n, s.of)
}

// attribution says how the time of a holder was found.
func (b *booker) attribution(s share, by gpu.Attribution) gpu.Attribution {
	switch {
	case s.shared && by != gpu.NoAttribution:
		return by
	case s.shared:
		return gpu.EqualAttribution
	case b.device.board != nil:
		return gpu.PartitionAttribution
	default:
		return gpu.ExclusiveAttribution
	}
}
