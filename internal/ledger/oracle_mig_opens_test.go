// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger_test

import (
	"cmp"
	"slices"
	"strings"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// --- What opens ------------------------------------------------------------

// openDevices opens what the points known at k open, in order of time; of one
// time, partitions first.
func (o *oracle) openDevices(devices []*oracleDevice, k gpu.Time) {
	type event struct {
		at     gpu.Time
		device *oracleDevice
	}
	var events []event
	for _, d := range devices {
		if at, ok := o.opens(d, k); ok {
			events = append(events, event{at, d})
		}
	}
	slices.SortFunc(events, func(a, b event) int {
		return cmp.Or(
			cmp.Compare(a.at, b.at), cmp.Compare(a.device.rank(), b.device.rank()), cmp.Compare(a.device.id, b.device.id),
		)
	})
	for _, e := range events {
		at, still := o.opens(e.device, k) // what opened before it may have changed when
		if !still {
			continue
		}
		switch d := e.device; {
		case d.parent != "":
			o.openPartition(d, at)
		case d.current:
			d.endsAt(at)
			d.turn(turn{at, false})
		default:
			if d.named { // of the sets that come in the same step, those before the sample
				d.livesBy = max(d.before, at-1)
			}
			o.openAt(d, at)
		}
		if d := e.device; d.open {
			o.noticeEnd(d, k)
		}
	}
}

// rank says which device opens first, of those that open at one time.
func (d *oracleDevice) rank() int {
	if d.parent != "" {
		return 0
	}
	return 1
}

func (d *oracleDevice) turn(t turn) {
	d.next = append(d.next, t)
	d.turns = append(d.turns, t)
}

// opens returns when a device opens, or a board is a plain device again.
func (o *oracle) opens(d *oracleDevice, k gpu.Time) (gpu.Time, bool) {
	switch {
	case d.parent == "" && strings.HasPrefix(string(d.id), "MIG-"):
		return 0, false // nobody told what it is a part of
	case d.parent != "":
		at := d.firstSample(k)
		return at, at < forever && !d.open && !d.rejected
	case d.current && len(d.next) == 0:
		return o.plainAgain(d, k)
	case d.current || d.open || len(d.next) > 0:
		return 0, false
	}
	return o.opening(d, k)
}

// plainAgain returns from which of its own samples on a board is a plain device.
func (o *oracle) plainAgain(d *oracleDevice, k gpu.Time) (gpu.Time, bool) {
	after := d.f - 1
	for _, p := range o.partitionsOf(d) {
		if p.open && p.end == forever {
			return 0, false
		}
		after = max(after, p.closedAt)
		if p.open {
			after = max(after, p.end)
		}
	}
	if counts := o.counts(d, k); len(counts) > 0 {
		newest := counts[len(counts)-1]
		if !newest.Ended && !o.gap(newest.Time, k) {
			return 0, false
		}
		after = max(after, newest.Time)
	}
	times := d.sampleTimes(after, k)
	if len(times) == 0 {
		return 0, false
	}
	return times[0], true
}

// openPartition opens a partition that has its first sample at q.
func (o *oracle) openPartition(d *oracleDevice, q gpu.Time) {
	b := o.device(d.parent)
	if b.total == 0 && d.slices.Valid() {
		b.total = int64(d.slices.Of)
	}
	if !d.slices.Valid() || int64(d.slices.Of) != b.total {
		d.rejected = true
		return
	}
	at := q
	if b.named {
		at = max(at, b.f)
	}
	others := slices.DeleteFunc(o.partitionsOf(b), func(p *oracleDevice) bool { return p == d })
	for _, p := range others {
		if p.named {
			at = max(at, p.f)
		}
	}
	for len(freeSlices(b, others, at)) < d.slices.N {
		oldest(others, at).endsAt(at)
	}
	d.taken = freeSlices(b, others, at)[:d.slices.N]
	d.lives = append(d.lives, life{span{at, forever}, b.total, d.taken})
	if d.named {
		d.livesBy = max(d.before, at-1)
	}
	o.openAt(d, at)
	o.openBoard(b, at)
}

// freeSlices returns the slices of a board that nobody of others has after t.
func freeSlices(b *oracleDevice, others []*oracleDevice, t gpu.Time) []int64 {
	var free []int64
	for slice := range b.total {
		if !slices.ContainsFunc(others, func(p *oracleDevice) bool {
			return p.open && t < p.end && slices.Contains(p.taken, slice)
		}) {
			free = append(free, slice)
		}
	}
	return free
}

// oldest returns the partition that opened first of those that have slices after t.
func oldest(others []*oracleDevice, t gpu.Time) *oracleDevice {
	var first *oracleDevice
	for _, p := range others { // by id
		if p.open && t < p.end && (first == nil || p.openedAt < first.openedAt) {
			first = p
		}
	}
	return first
}

// openBoard makes a device the board of a partition that opens.
func (o *oracle) openBoard(b *oracleDevice, at gpu.Time) {
	switch {
	case b.isBoard():
	case b.current && at <= b.next[0].at: // it doesn't become a plain device first
		b.next, b.end = nil, forever
		b.turns = append(b.turns, turn{at, true})
	case b.open && b.current:
		b.turn(turn{at, true})
	case b.open:
		b.endsAt(min(at, b.end))
		b.turn(turn{at, true})
	default:
		o.openAt(b, at)
		b.current = true
		b.turns = append(b.turns, turn{at, true})
	}
}

// goOn begins the next life of a device that ended by becoming something else.
func (o *oracle) goOn(d *oracleDevice, k gpu.Time) {
	if len(d.next) == 0 {
		return
	}
	next := d.next[0]
	d.next = d.next[1:]
	o.openAt(d, next.at)
	d.current = next.board
	if len(d.next) > 0 {
		d.endsAt(d.next[0].at)
	}
	if !next.board {
		d.since = next.at - 1
		d.livesBy, d.wholeAgain = next.at-1, true
		o.noticeEnd(d, k)
		o.notice(d, k)
	}
}
