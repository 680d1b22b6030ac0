// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package truth

import (
	"cmp"
	"slices"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/watch"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// divide gives the instances of a board their slices, the lowest that are free
// when they open. One that goes before the world does ends at its last point,
// as is told with the first collection that misses it.
//
// If nobody looks for longer than settle_delay when a board is partitioned
// anew, that comes too late: a ledger then ends the oldest instance instead.
func (d *device) divide() {
	opening := slices.DeleteFunc(slices.Clone(d.instances), func(i *device) bool { return i.open == gpu.Forever })
	slices.SortFunc(opening, func(a, b *device) int {
		return cmp.Or(cmp.Compare(a.open, b.open), cmp.Compare(a.ID, b.ID))
	})
	for n, i := range opening {
		i.findEnd()
		d.open = min(d.open, i.open)
		d.total = int64(i.Slices.Of)
		living := slices.DeleteFunc(slices.Clone(opening[:n]), func(o *device) bool { return o.end <= i.open })
		free := d.free(living)
		i.taken = free[:min(i.Slices.N, len(free))]
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

// boardEnd returns up to when a board is accounted.
func (d *device) boardEnd() gpu.Time {
	if d.node.Settings.Ideal {
		return d.end
	}
	return d.end.Add(watch.BoardTail)
}

// findEnd ends an instance that goes before the world does.
func (d *device) findEnd() {
	switch n := len(d.times); {
	case d.Life.To >= d.node.End():
	case d.node.Settings.Ideal:
		d.end = d.Life.To
	case n > 0:
		d.end = d.times[n-1]
		d.missed = d.node.step(d.end)
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
	eachPiece(cuts, span{d.open, d.boardEnd()}, func(p span) {
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
