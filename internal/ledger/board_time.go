// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"slices"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// partitionCount says how many partitions a board had at a time.
type partitionCount struct {
	time  gpu.Time
	count int
	over  bool // it is no board any more
}

func (c partitionCount) at() gpu.Time { return c.time }

// addPartitionCount takes in a count, unless its step was taken.
func (d *device) addPartitionCount(c gpu.PartitionCount, counts *Counts) {
	if d.node != nil && c.Time <= d.node.stepped || c.Time <= d.looked {
		counts.Points[Late]++
		return
	}
	d.touched = max(d.touched, c.Time)
	p := partitionCount{c.Time, c.Count, c.Ended}
	i, found := d.counted.find(c.Time)
	if !found {
		d.counted.insert(i, p)
		return
	}
	old := &d.counted[i]
	counts.Points[collision(*old == p)]++
	if old.over || !p.over && p.count > old.count {
		*old = p
	}
}

// countPartitions ends the partitions that aren't among those that the counts
// known at k say there are.
func (d *device) countPartitions(k gpu.Time) {
	for i := max(d.counted.after(d.looked), 1); i < d.counted.after(k); i++ {
		before, now := d.counted[i-1], d.counted[i]
		if d.asBoard != nil && !before.over && !now.over && now.time.Sub(before.time) <= d.ledger.cfg.MaxGap {
			d.asBoard.endAbsent(before.time, now, k)
		}
	}
	if i := d.counted.after(k) - 1; i >= 0 {
		d.looked = max(d.looked, d.counted[i].time)
	}
	d.counted.forget(d.looked)
}

// endAbsent ends the partitions without a sample in (before, now], if all that
// there are had one.
func (b *board) endAbsent(before gpu.Time, now partitionCount, k gpu.Time) {
	present := 0
	var absent []*device
	for _, p := range b.device.node.devices {
		if p.Parent != b.device.ID || !p.Slices.Valid() || p.Slices.Of != b.of {
			continue
		}
		since := before
		if !p.live() {
			since = max(since, p.ended)
		}
		switch {
		case p.live() && p.life.to <= now.time:
		case p.samples[gpu.EngineAny].last(now.time) > since:
			present++
		case p.live() && p.life.from <= before && p.life.to == gpu.Forever:
			absent = append(absent, p)
		}
	}
	if present < now.count {
		return
	}
	for _, p := range absent {
		p.endAt(max(p.samples[gpu.EngineAny].last(k), p.settled))
	}
}

// firstPlain returns the time from which on a board is a plain device again:
// its own first sample, once its partitions are gone and nobody counts them.
func (d *device) firstPlain(k gpu.Time) gpu.Time {
	b := d.asBoard
	after := max(d.settled-1, b.ended)
	if b.plainFrom != gpu.NoTime {
		return gpu.Forever
	}
	for _, l := range b.lives {
		if l.to == gpu.Forever {
			return gpu.Forever
		}
		after = max(after, l.to)
	}
	if i := d.counted.after(k) - 1; i >= 0 {
		if c := d.counted[i]; !c.over && k.Sub(c.time) <= d.ledger.cfg.MaxGap {
			return gpu.Forever
		}
		after = max(after, d.counted[i].time)
	}
	return d.samples[gpu.EngineAny].first(after, k)
}

// advance settles the time of the board as far as its partitions are.
func (b *board) advance(k gpu.Time) {
	d, to := b.device, k
	for _, l := range b.lives {
		if l.device != nil && l == l.device.life && l.device.live() {
			to = min(to, l.device.settled)
		}
	}
	if b.plainFrom != gpu.NoTime {
		to = min(to, b.plainFrom)
	}
	if to > d.settled {
		b.settle(span{d.settled, to}, k)
	}
	if b.plainFrom != gpu.NoTime && d.settled == b.plainFrom {
		b.end()
	}
}

// settle books the time of the slices that no partition has.
func (b *board) settle(s span, k gpu.Time) {
	d := b.device
	var cuts []gpu.Time
	for _, l := range b.lives {
		cuts = append(cuts, l.from, l.to)
	}
	cuts = d.available.cuts(cuts, d.ledger.cfg.MaxGap)
	eachPiece(cuts, s, func(p span) {
		nanos := sliceTime(b.free(p), b.of, p)
		d.spanned += nanos
		c := gpu.Condition{State: gpu.Unallocated, Reason: gpu.ReasonUnpartitioned}
		if a, ok := d.available.over(p.from, k, d.ledger.cfg.MaxGap); ok && !a.Available {
			c = gpu.Condition{State: gpu.Unavailable, Reason: a.Reason}
		}
		d.bookOwn(c, nanos)
	})
	d.settled = s.to
	b.lives = slices.DeleteFunc(b.lives, func(l *life) bool {
		if l.to <= d.settled {
			b.ended = max(b.ended, l.to)
		}
		return l.to <= d.settled
	})
	for e := range d.samples {
		d.ledger.counts.Points[Shadowed] += uint64(d.samples[e].clearUntil(d.settled - 1))
	}
	d.forgetBefore(d.settled)
}

// free returns the slices that nobody has in p, in which that doesn't change.
func (b *board) free(p span) (free []int) {
	for c := range b.of {
		if !slices.ContainsFunc(b.lives, func(l *life) bool {
			return l.from <= p.from && p.to <= l.to && slices.Contains(l.slices, c)
		}) {
			free = append(free, c)
		}
	}
	return free
}

// passLabels drops the labels of a board: nobody holds it. Those since it is a
// plain device again are for that.
func (b *board) passLabels(k gpu.Time) {
	d := b.device
	for _, set := range d.labelSets.timeline {
		if set.time <= k && (b.plainFrom == gpu.NoTime || set.time < b.plainFrom) {
			d.lastSet = max(d.lastSet, set.time)
		}
	}
	d.labelSets.forget(d.lastSet)
}

// end lets the device live as a plain one from its F on.
func (b *board) end() {
	d := b.device
	d.boarded, b.plainFrom = false, gpu.NoTime
	for e := range d.samples {
		d.samples[e].forgetLife(d.settled - 1)
	}
	d.opened, d.ended, d.sources = d.settled, gpu.NoTime, map[string]gpu.Time{}
	later := b.later
	b.later = nil
	switch {
	case d.ledger.cfg.Labels:
	case len(later) > 0:
		d.lastSet = later[0].last
	default:
		d.lastSet = d.node.sets.last
	}
	d.beginHost(d.settled)
	if again := b.again; again != gpu.NoTime {
		b.again = gpu.NoTime
		b.begin(again)
	}
	for _, set := range later {
		d.takeSet(set.last, set.time, set.claims)
	}
}
