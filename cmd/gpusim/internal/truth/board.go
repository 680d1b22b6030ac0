// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package truth

import (
	"cmp"
	"slices"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// divide gives the instances of a board their slices, the lowest that are free
// when they open, and says when those end that go before the world does: at
// their last point, once they are missing among those that are counted.
//
// An instance that goes while the engine is away for more than a gap, or is
// lost, would end at its F instead.
func (d *device) divide() {
	opening := slices.DeleteFunc(slices.Clone(d.instances), func(i *device) bool { return i.open == gpu.Forever })
	slices.SortFunc(opening, func(a, b *device) int {
		return cmp.Or(cmp.Compare(a.open, b.open), cmp.Compare(a.ID, b.ID))
	})
	for _, i := range opening {
		i.findMissing()
	}
	for at, i := range opening {
		d.open = min(d.open, i.open)
		d.total = int64(i.Slices.Of)
		var living []*device
		for _, o := range opening[:at] {
			if i.open < o.end || d.node.step(i.open) < o.missed {
				living = append(living, o)
			}
		}
		// The oldest make room, until now, if they aren't known to be gone.
		for len(d.free(living)) < i.Slices.N {
			living[0].end, living[0].missed = i.open, d.node.step(i.open)
			living = living[1:]
		}
		i.taken = d.free(living)[:i.Slices.N]
	}
}

// free returns the slices of a board that none of living has.
func (d *device) free(living []*device) (free []int64) {
	for slice := range d.total {
		if !slices.ContainsFunc(living, func(i *device) bool { return slices.Contains(i.taken, slice) }) {
			free = append(free, slice)
		}
	}
	return free
}

// findMissing ends an instance that goes before the world does. An ideal
// observer notices at once that it is missing.
func (d *device) findMissing() {
	if d.Life.To >= d.node.End() {
		return
	}
	if d.node.Settings.Ideal {
		d.end, d.missed = d.Life.To, 0
		return
	}
	if n := len(d.times); n > 0 {
		d.end = d.times[n-1]
	}
	d.missed = gpu.Forever
	counts := d.board.counts()
	for i := 1; i < len(counts); i++ {
		before, now := counts[i-1].time, counts[i].time
		if d.open > before || d.point(now) > before || d.node.gap(before, now) {
			continue
		}
		present := 0
		for _, o := range d.board.instances {
			if o.point(now) > before {
				present++
			}
		}
		if present >= counts[i].value {
			d.end, d.missed = d.point(now), d.node.step(now)
			return
		}
	}
}

// boardAccount is what a board has of its own: the slices that no instance has.
func (d *device) boardAccount() []Account {
	own := Account{Device: d.identity(), States: map[gpu.Condition]time.Duration{}}
	out := d.closed()
	cuts := out.cuts(nil)
	for _, i := range d.instances {
		cuts = append(cuts, i.open, i.end)
	}
	eachPiece(cuts, span{d.open, d.end}, func(p span) {
		living := slices.DeleteFunc(slices.Clone(d.instances), func(i *device) bool {
			return !(span{i.open, i.end}).covers(p)
		})
		free := d.free(living)
		c := gpu.Condition{State: gpu.Unallocated, Reason: gpu.ReasonUnpartitioned}
		if reason, ok := out.after(p.from); ok && reason != gpu.NoReason {
			c = gpu.Condition{State: gpu.Unavailable, Reason: reason}
		}
		own.add(c, slicesUpTo(free, d.total, p.to)-slicesUpTo(free, d.total, p.from))
	})
	return []Account{own}
}
