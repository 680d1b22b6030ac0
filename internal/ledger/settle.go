// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// scratch holds buffers that are reused from settlement to settlement.
type scratch struct {
	segmentCuts, pieceCuts []gpu.Time
	segments               []segment
	holders                []*holder
	intervals, depth       []interval
}

// settle books the time from F to to with what is known at step k.
func (d *device) settle(to, k gpu.Time) {
	sc := &d.ledger.scratch
	maxGap := d.ledger.cfg.MaxGap
	sc.intervals = d.samples[gpu.EngineAny].intervals(
		sc.intervals[:0], span{d.settled, to}, d.lifeUntil(k), k, true, maxGap, &d.ledger.counts)
	d.settleDepth(span{d.settled, to}, k)
	from := d.settled
	for _, iv := range sc.intervals {
		d.settleUnseen(span{from, iv.from}, k)
		d.settleSeen(iv, k)
		from = iv.to
	}
	d.settleUnseen(span{from, to}, k)
	d.settled = to
	if d.settled == d.ended {
		d.endAll()
	}
}

// settleUnseen books time for which no sample speaks. Equal holders share it by
// absolute time.
func (d *device) settleUnseen(s span, k gpu.Time) {
	if s.from >= s.to {
		return
	}
	for _, seg := range d.segments(s) {
		if len(seg.holders) == 0 {
			d.bookUnheld(seg, k, nil)
		}
		for i, h := range seg.holders {
			h.stretch = gpu.NoTime
			p := piece{
				device: d, holder: h, i: i, n: len(seg.holders), k: k,
				origin: 0, terminates: terminatesAt(h, k),
			}
			p.book(seg.span)
			h.bookedTo = seg.to
		}
		d.countOverlap(seg)
	}
}

// settleSeen books the time of a sample interval.
func (d *device) settleSeen(iv interval, k gpu.Time) {
	segments := d.segments(span{iv.from, iv.to})
	held := int64(0)
	for _, seg := range segments {
		if len(seg.holders) > 0 {
			held += int64(seg.to - seg.from)
		}
	}
	inside, foreign := iv.seen.within(held)
	outside := running{length: iv.length() - held, observed: iv.length() - held, active: foreign}
	low := inside.below(d.ledger.cfg.IdleThreshold)
	var heldBefore, freeBefore int64
	for _, seg := range segments {
		if len(seg.holders) == 0 {
			// Where the time outside of tenures began, if it were in one piece.
			origin := seg.from - gpu.Time(freeBefore)
			d.bookUnheld(seg, k, func(t gpu.Time) int64 { return outside.activeAt(int64(t - origin)) })
			freeBefore += int64(seg.to - seg.from)
			continue
		}
		for i, h := range seg.holders {
			d.bookHeld(h, i, seg, heldBefore, iv, inside, low, k)
		}
		heldBefore += int64(seg.to - seg.from)
		d.countOverlap(seg)
	}
}

// bookHeld books one holder's part of a segment of a sample interval.
func (d *device) bookHeld(
	h *holder, i int, seg segment, heldBefore int64, iv interval, inside running, low bool, k gpu.Time,
) {
	streams := d.ledger.outputs.of(h.join)
	h.decideMode(streams, iv.to, k, d.ledger.cfg.MaxGap)
	h.track(low, seg.from)
	p := piece{
		device: d, holder: h, i: i, n: len(seg.holders), k: k,
		seen: &inside, origin: seg.from - gpu.Time(heldBefore), terminates: terminatesAt(h, k),
		streams: streams, residence: d.residence(iv.to, k),
	}
	p.book(seg.span)
	h.bookedTo = seg.to
	if p.terminates < seg.to {
		h.stretch = gpu.NoTime
	}
}

func terminatesAt(h *holder, k gpu.Time) gpu.Time {
	if h.pod == nil {
		return gpu.Forever
	}
	return h.pod.terminatesAt(k)
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
	if !seg.known {
		d.bookOwn(gpu.Condition{State: gpu.Unobserved, Reason: gpu.ReasonAllocation}, int64(seg.to-seg.from))
		return
	}
	cuts := d.available.cuts(d.ledger.scratch.pieceCuts[:0], d.ledger.cfg.MaxGap)
	d.ledger.scratch.pieceCuts = cuts
	eachPiece(cuts, seg.span, func(p span) {
		length := int64(p.to - p.from)
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

func (d *device) countOverlap(seg segment) {
	if len(seg.holders) > 1 {
		d.ledger.counts.Overlaps += time.Duration(seg.to - seg.from)
	}
}

// settleDepth integrates the other engines over the held time of s.
func (d *device) settleDepth(s span, k gpu.Time) {
	sc := &d.ledger.scratch
	for e := gpu.EngineSM; e <= gpu.EngineDRAM; e++ {
		var ignored Counts
		sc.depth = d.samples[e].intervals(sc.depth[:0], s, k, k, false, d.ledger.cfg.MaxGap, &ignored)
		for _, iv := range sc.depth {
			for _, seg := range d.segments(span{max(iv.from, s.from), min(iv.to, s.to)}) {
				for i, h := range seg.holders {
					upTo := func(t gpu.Time) int64 {
						return shareOf(iv.seen.activeAt(int64(t-iv.from)), i, len(seg.holders))
					}
					h.account.bookDepth(e, upTo(seg.to)-upTo(seg.from), d.published)
				}
			}
		}
	}
}
