// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// booking books a segment in which somebody holds the device: each holder gets
// its part, and what nobody has is the device's own.
type booking struct {
	device *device
	seg    segment
	k      gpu.Time

	// seen is what the samples say, nil if none speaks. before is the running
	// time at which the segment begins.
	seen   *running
	before int64

	slots  division // of idle and unobserved time
	active division
	by     gpu.Attribution // ProcessAttribution if processes divide the activity

	low       bool // the interval may belong to an idle stretch
	residence gpu.Residence
}

func (d *device) newBooking(seg segment, k gpu.Time) booking {
	slots, overlap := slotDivision(seg.holds)
	if overlap {
		d.ledger.counts.Overlaps += time.Duration(seg.to - seg.from)
	}
	d.spanned += d.time(seg.span)
	return booking{device: d, seg: seg, k: k, slots: slots}
}

// amounts are the three parts of time.
type amounts struct{ unseen, idle, active int64 }

func (a amounts) minus(b amounts) amounts {
	return amounts{a.unseen - b.unseen, a.idle - b.idle, a.active - b.active}
}

func (a amounts) sum() int64 { return a.unseen + a.idle + a.active }

// running returns the running amounts of the device at t.
func (b *booking) running(t gpu.Time) amounts {
	x := b.before + b.device.time(span{b.seg.from, t})
	if b.seen == nil {
		return amounts{unseen: x}
	}
	observed, active := b.seen.observedAt(x), b.seen.activeAt(x)
	return amounts{unseen: x - observed, idle: observed - active, active: active}
}

// part returns the running amounts of holder i at t. Each is divided on its
// own, so that none of them ever falls.
func (b *booking) part(i int, t gpu.Time) amounts {
	all := b.running(t)
	if planted == plantedShare && i == 0 && len(b.seg.holds) > 1 {
		all = amounts{2 * all.unseen, 2 * all.idle, 2 * all.active}
	}
	return amounts{
		unseen: b.slots.part(i, all.unseen),
		idle:   b.slots.part(i, all.idle),
		active: b.active.part(i, all.active),
	}
}

func (b *booking) book() {
	for i, h := range b.seg.holds {
		b.bookHolder(i, h)
	}
	from, to := b.running(b.seg.from), b.running(b.seg.to)
	slot := b.slots.rest(to.unseen) - b.slots.rest(from.unseen) + b.slots.rest(to.idle) - b.slots.rest(from.idle)
	b.device.bookOwn(gpu.Condition{State: gpu.Unallocated, Reason: gpu.ReasonSharedSlot}, slot)
	b.device.bookOwn(gpu.Condition{State: gpu.Unallocated, Reason: gpu.ReasonForeignActivity},
		b.active.rest(to.active)-b.active.rest(from.active))
}

func (b *booking) bookHolder(i int, h hold) {
	d := b.device
	if b.seen == nil || h.starting != gpu.NoReason {
		h.stretch = gpu.NoTime
	} else {
		h.track(b.low, b.seg.from)
	}
	p := piece{booking: b, i: i, hold: h, streams: d.streams(h.holder), terminates: terminatesAt(h.holder, b.k)}
	by := d.attribution(h.holder, h.share)
	if h.share.shared && b.by != gpu.NoAttribution {
		by = b.by
	}
	p.account = d.accountOf(h.holder, by, b.seg.from)
	p.book()
	h.bookedTo = b.seg.to
	if p.terminates < b.seg.to {
		h.stretch = gpu.NoTime
	}
}

func terminatesAt(h *holder, k gpu.Time) gpu.Time {
	if h.pod == nil {
		return gpu.Forever
	}
	return h.pod.terminatesAt(k)
}
