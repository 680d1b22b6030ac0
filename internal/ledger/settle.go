// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// scratch holds buffers that are reused from settlement to settlement.
type scratch struct {
	segmentCuts, pieceCuts []gpu.Time
	segments               []segment
	holds                  []hold
	intervals, depth       []interval
}

// settle books the time from F to to with what is known at step k.
func (d *device) settle(to, k gpu.Time) {
	sc := &d.ledger.scratch
	maxGap := d.ledger.cfg.MaxGap
	sc.intervals = d.samples[gpu.EngineAny].intervals(
		sc.intervals[:0], span{d.settled, to}, d.lifeUntil(k), k, true, maxGap, &d.ledger.counts)
	from := d.settled
	for _, iv := range sc.intervals {
		d.settleUnseen(span{from, iv.from}, k)
		d.settleSeen(iv, k)
		from = iv.to
	}
	d.settleUnseen(span{from, to}, k)
	d.settleDepth(span{d.settled, to}, k) // after the states: those know how far starts are
	d.settled = to
	if d.settled == d.ended {
		d.endAll()
	}
}

// settleUnseen books time for which no sample speaks. It is divided by absolute
// time.
func (d *device) settleUnseen(s span, k gpu.Time) {
	if s.from >= s.to {
		return
	}
	d.eachHolder(s, func(h *holder) { h.before = h.activity })
	for _, seg := range d.segments(s, k) {
		if len(seg.holds) == 0 {
			d.bookUnheld(seg, k, nil)
			continue
		}
		b := d.newBooking(seg, k)
		b.before = d.elapsed(seg.from)
		b.book()
	}
}

// settleSeen books the time of a sample interval.
func (d *device) settleSeen(iv interval, k gpu.Time) {
	d.beginInterval(iv, k)
	segments := d.segments(span{iv.from, iv.to}, k)
	held := int64(0)
	for _, seg := range segments {
		if len(seg.holds) > 0 {
			held += d.time(seg.span)
		}
	}
	seen := iv.seen.lasting(d.time(span{iv.from, iv.to}))
	inside, foreign := seen.within(held)
	outside := running{length: seen.length - held, observed: seen.length - held, active: foreign}
	low := inside.below(d.ledger.cfg.IdleThreshold)
	use := d.processUse(iv, segments, k)
	var heldBefore, freeBefore int64
	for _, seg := range segments {
		if len(seg.holds) == 0 {
			d.bookUnheld(seg, k, func(t gpu.Time) int64 {
				return outside.activeAt(freeBefore + d.time(span{seg.from, t}))
			})
			freeBefore += d.time(seg.span)
			continue
		}
		b := d.newBooking(seg, k)
		b.seen, b.before, b.low = &inside, heldBefore, low
		b.active, b.by = activeDivision(seg.holds, use)
		b.residence = d.residence(iv.to, k)
		b.book()
		heldBefore += d.time(seg.span)
	}
	if inside.observed > 0 {
		d.tellPeers(segments[len(segments)-1].holds, iv.to, !low)
	}
}

// eachHolder calls f for every holder that holds d at some time in s.
func (d *device) eachHolder(s span, f func(*holder)) {
	for _, t := range d.tenures {
		if t.from < s.to && s.from < t.to {
			f(t.holder)
		}
	}
}

// beginInterval decides what goes for an interval as a whole.
func (d *device) beginInterval(iv interval, k gpu.Time) {
	d.eachHolder(span{iv.from, iv.to}, func(h *holder) {
		h.before = h.activity
		maxGap := d.ledger.cfg.MaxGap
		h.decideMode(d.streams(h), d.peerActive(h, iv.to, maxGap), iv.to, k, maxGap)
	})
}

// processUse returns what the processes say of an interval, nil if nothing.
func (d *device) processUse(iv interval, segments []segment, k gpu.Time) *processUse {
	if len(d.processes.timeline) == 0 {
		return nil
	}
	var pods []string
	for _, seg := range segments {
		for _, h := range seg.holds {
			pods = append(pods, h.key)
		}
	}
	return d.processes.use(span{iv.from, iv.to}, k, pods)
}

// residence says whether a model was loaded in the interval that ends at t.
func (d *device) residence(t, k gpu.Time) gpu.Residence {
	used, ok := d.memory.newest(t, k, d.ledger.cfg.MaxGap)
	switch {
	case !ok:
		return gpu.ResidentUnknown
	case used >= d.ledger.cfg.ResidentThreshold:
		return gpu.ResidentTrue
	default:
		return gpu.ResidentFalse
	}
}

// bookUnheld books time that nobody is known to have held on the device itself.
// foreignAt is the running foreign activity, nil if nothing was observed.
func (d *device) bookUnheld(seg segment, k gpu.Time, foreignAt func(gpu.Time) int64) {
	if d.Ref != "" {
		return // a pseudo-device is only what somebody holds
	}
	d.spanned += d.time(seg.span)
	if !seg.known {
		d.bookOwn(gpu.Condition{State: gpu.Unobserved, Reason: gpu.ReasonAllocation}, d.time(seg.span))
		return
	}
	cuts := d.available.cuts(d.ledger.scratch.pieceCuts[:0], d.ledger.cfg.MaxGap)
	d.ledger.scratch.pieceCuts = cuts
	eachPiece(cuts, seg.span, func(p span) {
		length := d.time(p)
		if a, ok := d.available.over(p.from, k, d.ledger.cfg.MaxGap); ok && !a.Available {
			d.bookOwn(gpu.Condition{State: gpu.Unavailable, Reason: a.Reason}, length)
			return
		}
		foreign := int64(0)
		if foreignAt != nil {
			foreign = foreignAt(p.to) - foreignAt(p.from)
		}
		d.bookOwn(gpu.Condition{State: gpu.Unallocated, Reason: gpu.ReasonForeignActivity}, foreign)
		d.bookOwn(gpu.Condition{State: gpu.Unallocated, Reason: gpu.ReasonFree}, length-foreign)
	})
}

func (d *device) bookOwn(c gpu.Condition, nanos int64) { d.own.book(c, nanos, d.published) }

// settleDepth integrates the other engines over the held time of s.
func (d *device) settleDepth(s span, k gpu.Time) {
	sc := &d.ledger.scratch
	for e := gpu.EngineSM; e <= gpu.EngineDRAM; e++ {
		var ignored Counts
		sc.depth = d.samples[e].intervals(sc.depth[:0], s, d.lifeUntil(k), k, false, d.ledger.cfg.MaxGap, &ignored)
		for _, iv := range sc.depth {
			if d.life != nil && iv.from < d.opened {
				continue // its slices were somebody else's
			}
			seen := iv.seen.lasting(d.time(span{iv.from, iv.to}))
			for _, seg := range d.segments(span{max(iv.from, s.from), min(iv.to, s.to)}, k) {
				equal := equalDivision(len(seg.holds))
				running := func(t gpu.Time) int64 { return seen.activeAt(d.time(span{iv.from, t})) }
				from, to := running(seg.from), running(seg.to)
				for i, h := range seg.holds {
					account := d.accountOf(h.holder, d.attribution(h.holder, h.share), seg.from)
					account.bookDepth(e, equal.part(i, to)-equal.part(i, from), d.published)
				}
			}
		}
	}
}
