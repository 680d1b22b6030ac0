// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package truth

import (
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// booker books the time of a device.
type booker struct {
	device   *device
	segments *segments
	used     levels[uint64]
	accounts map[accountKey]*Account
	own      *Account
	number   int // of the interval
	pieces   []piece
}

type accountKey struct {
	pod *pod
	by  gpu.Attribution
}

func (d *device) identity() gpu.Device {
	id := d.Device.Device
	id.Node, id.Cluster = d.node.Name, d.node.Cluster
	return id
}

// accounts returns what the device has and what its holders have of it.
func (d *device) accounts() []Account {
	switch {
	case d.open == gpu.Forever:
		return nil
	case len(d.instances) > 0:
		return d.boardAccount()
	}
	b := &booker{device: d, segments: d.segments(), used: d.used(), accounts: map[accountKey]*Account{}}
	b.own = b.account(nil, gpu.NoAttribution)
	d.intervals(b.interval)
	var all []Account
	for _, a := range b.accounts {
		all = append(all, *a)
	}
	return all
}

func (b *booker) account(p *pod, by gpu.Attribution) *Account {
	key := accountKey{p, by}
	a := b.accounts[key]
	if a == nil {
		a = &Account{Device: b.device.identity(), Attribution: by, States: map[gpu.Condition]time.Duration{}}
		if p != nil {
			a.Holder = p.Holder
		}
		b.accounts[key] = a
	}
	return a
}

func (d *device) heldTime(pieces []piece) (held int64) {
	for _, p := range pieces {
		if len(p.holds) > 0 {
			held += d.own(p.span)
		}
	}
	return held
}

// booking is what goes for an interval as a whole.
type booking struct {
	interval
	inside  seen // of the held time
	outside seen // of the rest: its activity is foreign
	low     bool // the activity is below the threshold
	use     *use
	y, z    int64 // held and other time before the piece
}

func (b *booker) interval(iv interval) {
	d := b.device
	b.number++
	b.pieces = b.segments.pieces(b.pieces[:0], iv.span)
	o := booking{interval: iv}
	if iv.seen != nil {
		length, held := d.own(iv.span), d.heldTime(b.pieces)
		var foreign int64
		o.inside, foreign = iv.seen.of(length).held(held)
		o.outside = seen{length: length - held, observed: length - held, active: foreign}
		o.low = o.inside.below(d.node.rules.IdleThreshold)
		o.use = useOf(iv.processes, b.pieces)
	}
	for _, p := range b.pieces {
		if len(p.holds) == 0 {
			b.free(p, o)
			o.z += d.own(p.span)
			continue
		}
		b.held(p, &o)
		o.y += d.own(p.span)
	}
}

// free books a piece that nobody holds, or of which nobody knows.
func (b *booker) free(p piece, o booking) {
	length := b.device.own(p.span)
	switch {
	case !p.known:
		b.own.add(gpu.Condition{State: gpu.Unobserved, Reason: gpu.ReasonAllocation}, length)
	case p.out != gpu.NoReason:
		b.own.add(gpu.Condition{State: gpu.Unavailable, Reason: p.out}, length)
	default:
		foreign := o.outside.activeAt(o.z+length) - o.outside.activeAt(o.z)
		b.own.add(gpu.Condition{State: gpu.Unallocated, Reason: gpu.ReasonForeignActivity}, foreign)
		b.own.add(gpu.Condition{State: gpu.Unallocated, Reason: gpu.ReasonFree}, length-foreign)
	}
}

// amounts are the three parts of time.
type amounts struct{ unseen, idle, active int64 }

func (a amounts) minus(o amounts) amounts {
	return amounts{a.unseen - o.unseen, a.idle - o.idle, a.active - o.active}
}

// running returns the running amounts at t, a time of a piece that is held.
func (b *booker) running(p piece, o *booking, t gpu.Time) amounts {
	if o.seen == nil {
		return amounts{unseen: b.device.upTo(t)}
	}
	x := o.y + b.device.own(span{p.from, t})
	observed, active := o.inside.observedAt(x), o.inside.activeAt(x)
	return amounts{x - observed, observed - active, active}
}
