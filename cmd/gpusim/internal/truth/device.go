// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package truth

import (
	"slices"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/world"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// device is all that is told of a device. It is accounted in (open, end].
type device struct {
	*world.Device
	node      *node
	instances []*device  // of a board
	board     *device    // of an instance
	open, end gpu.Time   // open is Forever if nobody tells of it
	opened    gpu.Time   // the step in which it opens
	missed    gpu.Time   // the step from which on its end is known
	taken     []int64    // the slices of its board that an instance has
	total     int64      // slices of a board
	times     []gpu.Time // of its points; nil for an ideal observer
	settled   []settlement
	tenures   []tenure          // by the set that told of them
	unknown   []span            // in which nobody knows who holds it
	busy      map[string][]busy // by group
	evidence  map[evidenceKey][]*series
}

// rank is the place of a device among those that settle in one step: boards
// follow their instances.
func (d *device) rank() int { return min(len(d.instances), 1) }

// upTo returns how much of the time up to t is the device's own: of a board
// divided in T slices, each nanosecond belongs to one of them in turn.
func (d *device) upTo(t gpu.Time) int64 {
	if d.board == nil {
		return int64(t)
	}
	return slicesUpTo(d.taken, d.board.total, t)
}

func slicesUpTo(slices []int64, total int64, t gpu.Time) (nanos int64) {
	for _, slice := range slices {
		nanos += (int64(t) + total - 1 - slice) / total
	}
	return nanos
}

// own returns how much of s is the device's own.
func (d *device) own(s span) int64 { return d.upTo(s.to) - d.upTo(s.from) }

// openDevices says when every device is accounted.
func (n *node) openDevices() {
	end := n.lastTold()
	for _, d := range n.devices {
		d.open, d.end, d.missed = gpu.Forever, end, n.step(end)
		i := slices.IndexFunc(n.devices, func(b *device) bool { return d.Parent != "" && b.ID == d.Parent })
		if i >= 0 {
			d.board = n.devices[i]
			d.board.instances = append(d.board.instances, d)
		}
	}
	for _, d := range n.devices {
		if len(d.instances) > 0 {
			continue
		}
		if first, ok := d.points()(); ok {
			d.open, d.opened = first.Time, n.step(first.Time)
		}
		if !n.Settings.Ideal {
			d.times = d.allTimes()
		}
		if d.board == nil {
			d.openBySet()
		}
	}
	for _, d := range n.devices {
		if len(d.instances) > 0 {
			d.divide()
		}
	}
}

// lastTold returns the newest time that is told: the end of the world, unless
// the clock was set back.
func (n *node) lastTold() gpu.Time {
	last := n.Told(n.End())
	for _, t := range n.Ticks {
		last = max(last, t.Told)
	}
	return last
}

func (d *device) allTimes() (times []gpu.Time) {
	next := d.points()
	for p, ok := next(); ok; p, ok = next() {
		times = append(times, p.Time)
	}
	return times
}

// openBySet opens a device that a set names before it is sampled: it existed
// when its holder began, as far as the set before covers that.
func (d *device) openBySet() {
	n := d.node
	for i, s := range n.sets {
		claims := d.claims(s)
		if len(claims) == 0 {
			continue
		}
		at := s.time
		if i > 0 && !n.gap(n.sets[i-1].time, s.time) {
			for _, c := range claims {
				at = min(at, max(c.begin, n.sets[i-1].time))
			}
		}
		if by := n.step(s.time); d.open == gpu.Forever || by <= d.opened {
			d.open, d.opened = min(d.open, at), by
		}
		return
	}
}

// point returns the times of the newest point at or before t, NoTime if there
// is none.
func (d *device) point(t gpu.Time) gpu.Time {
	if i, _ := slices.BinarySearch(d.times, t+1); i > 0 {
		return d.times[i-1]
	}
	return gpu.NoTime
}
