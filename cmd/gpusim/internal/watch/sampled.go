// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package watch

import (
	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/world"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// sampled is the real time of the newest sample that a collection has.
type sampled struct {
	tick int
	time gpu.Time
}

// sampled returns a walk over the collections of a device's samples.
func (n *Node) sampled(d *world.Device) func() (sampled, bool) {
	if n.Settings.Ideal {
		return n.eachChange(d)
	}
	i := 0
	return func() (sampled, bool) {
		for ; i < len(n.Ticks); i++ {
			if t := n.Ticks[i]; n.HasEngine(t) {
				i++
				return sampled{i - 1, n.newest(d, t.Real)}, true
			}
		}
		return sampled{}, false
	}
}

// newest returns the time of the newest sample at t. Devices are sampled each
// at its own time, and once at the start and the end of the world.
func (n *Node) newest(d *world.Device, t gpu.Time) gpu.Time {
	if t == n.end {
		return t
	}
	first := n.start.Add(phase(string(d.ID), n.Settings.Sample))
	if t < first {
		return n.start
	}
	return t - (t-first)%gpu.Time(n.Settings.Sample)
}

// eachChange walks over the times at which the activity changes, and the
// collections.
func (n *Node) eachChange(d *world.Device) func() (sampled, bool) {
	i, walk := 0, d.Activity.Walk()
	step, more := walk()
	return func() (sampled, bool) {
		for more && step.Until <= n.start {
			step, more = walk()
		}
		for i < len(n.Ticks) {
			tick := n.Ticks[i].Real
			if more && step.Until < tick {
				until := step.Until
				step, more = walk()
				if n.away(world.Engine, until) {
					continue
				}
				return sampled{i, until}, true
			}
			i++
			if !n.away(world.Engine, tick) {
				return sampled{i - 1, tick}, true
			}
			for more && step.Until <= tick {
				step, more = walk()
			}
		}
		return sampled{}, false
	}
}
