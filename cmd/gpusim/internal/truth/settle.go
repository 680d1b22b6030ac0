// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package truth

import (
	"slices"
	"sort"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/world"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// settlement says that a device is settled up to a time by a step: with what
// is told up to that step.
type settlement struct{ to, by gpu.Time }

// settle finds out when what is settled. An ideal observer decides when all is
// known.
//
// What comes more than settle_delay late isn't in it: it would be dropped.
func (n *node) settle() {
	if n.Settings.Ideal {
		return
	}
	var steps []gpu.Time
	for _, s := range n.sets {
		steps = append(steps, n.step(s.time))
	}
	for _, d := range n.devices {
		for _, t := range d.times {
			steps = append(steps, n.step(t))
		}
	}
	slices.Sort(steps)
	steps = slices.Compact(steps)
	for _, d := range n.devices {
		if d.open < gpu.Forever && len(d.instances) == 0 {
			d.settle(steps)
		}
	}
}

func (d *device) settle(steps []gpu.Time) {
	settled, holders := d.open, newHolders(d)
	for _, k := range steps {
		if k < d.open {
			continue
		}
		if to := d.target(settled, k, holders); to > settled {
			settled = to
			d.settled = append(d.settled, settlement{to, k})
		}
	}
	d.settled = append(d.settled, settlement{d.end, gpu.Forever})
}

// target returns how far step k settles the device.
func (d *device) target(settled, k gpu.Time, h *holders) gpu.Time {
	n := d.node
	to, known := min(k, d.end), min(k, d.end)
	if p := d.point(known); k < d.missed && p != gpu.NoTime && !n.gap(p, k) {
		to = min(to, p)
	}
	s := d.open
	if i := n.setsUpTo(k); i > 0 {
		s = n.sets[i-1].time
		if k < d.missed {
			to = min(to, h.evidence(i-1, settled, k))
		}
	}
	if !n.gap(s, k) {
		to = min(to, s)
	}
	if i, found := slices.BinarySearch(d.times, to); !found && 0 < i && i < len(d.times) && d.times[i] <= known {
		to = d.times[i-1]
	}
	return to
}

// setsUpTo returns how many sets are known at k.
func (n *node) setsUpTo(k gpu.Time) int {
	return sort.Search(len(n.sets), func(i int) bool { return n.sets[i].time > k })
}

// settledBefore returns how far the device is settled before the step of t. An
// ideal observer has settled all but what the newest set tells.
func (d *device) settledBefore(t gpu.Time) gpu.Time {
	if d.node.Settings.Ideal {
		if i := d.node.setsUpTo(t - 1); i > 0 {
			return max(d.open, d.node.sets[i-1].time)
		}
		return d.open
	}
	i := sort.Search(len(d.settled), func(i int) bool { return d.settled[i].by >= d.node.step(t) })
	if i == 0 {
		return d.open
	}
	return d.settled[i-1].to
}

// settledWith returns the settlement that has the time right after t, and up to
// when the device was settled before it.
func (d *device) settledWith(t gpu.Time) (before gpu.Time, with settlement) {
	i := sort.Search(len(d.settled), func(i int) bool { return d.settled[i].to > t })
	switch {
	case i == len(d.settled):
		return t, settlement{gpu.Forever, gpu.Forever}
	case i == 0:
		return d.open, d.settled[i]
	default:
		return d.settled[i-1].to, d.settled[i]
	}
}

// holders finds the output counters of those that hold a device.
type holders struct {
	device *device
	pods   []*pod
}

func newHolders(d *device) *holders {
	h := &holders{device: d}
	for _, p := range d.node.pods {
		if slices.ContainsFunc(p.Holds, func(h world.Hold) bool { return h.Device == d.ID }) {
			h.pods = append(h.pods, p)
		}
	}
	return h
}

// evidence returns up to when the output counters of the holders of a set let
// time settle at k.
func (h *holders) evidence(set int, settled, k gpu.Time) gpu.Time {
	to := gpu.Forever
	for _, p := range h.pods {
		if !h.device.node.sets[set].hasPod(p, h.device) {
			continue
		}
		for _, stream := range streamsOf(h.device.seriesFor(p, settled, k)) {
			newest := stream.newest(k)
			if newest != gpu.NoTime && !h.device.node.gap(newest, k) {
				to = min(to, newest.Add(-stream[0].profile.Window))
			}
		}
	}
	return to
}

// stream is the series of one metric of one source.
type stream []*series

func streamsOf(all []*series) (streams []stream) {
	for _, s := range all {
		if s.profile.Kind != gpu.OutputCounter {
			continue
		}
		i := slices.IndexFunc(streams, func(o stream) bool {
			return o[0].join == s.join && o[0].profile.Metric == s.profile.Metric
		})
		if i < 0 {
			i, streams = len(streams), append(streams, nil)
		}
		streams[i] = append(streams[i], s)
	}
	return streams
}

// newest returns the newest point known at k, NoTime if there is none.
func (s stream) newest(k gpu.Time) (newest gpu.Time) {
	for _, of := range s {
		if i := of.after(k); i > 0 {
			newest = max(newest, of.points[i-1].Time)
		}
	}
	return newest
}
