// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package watch

import (
	"hash/fnv"
	"slices"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/world"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// Node is a node as an agent on it sees it.
type Node struct {
	*world.Node
	Settings Settings
	// Ticks are the collections that take place, the first at the start of the
	// world, the last at its end.
	Ticks []Tick

	start, end gpu.Time
}

// Tick is a collection of an agent. What a part of the agent that is away
// would have told is missing in it.
type Tick struct {
	Real, Told gpu.Time
}

// BoardTail is how much longer than the world a board in MIG mode is accounted:
// it ends by what is told of it after its last count of instances.
const BoardTail time.Duration = 2

// New returns a node of w as it is seen.
func New(w *world.World, n *world.Node, s Settings) *Node {
	node := &Node{Node: n, Settings: s, start: w.Start, end: w.End}
	for _, t := range node.times() {
		if !node.away(world.Collector, t) {
			node.Ticks = append(node.Ticks, Tick{t, node.Told(t)})
		}
	}
	return node
}

// End returns the end of the world.
func (n *Node) End() gpu.Time { return n.end }

// Told returns what the node's clock shows at t.
func (n *Node) Told(t gpu.Time) gpu.Time {
	if n.Settings.Ideal {
		return t
	}
	told := t
	for _, step := range n.Clock {
		if step.At <= t {
			told += gpu.Time(step.By)
		}
	}
	return told
}

// HasEngine reports whether the devices are read in a collection.
func (n *Node) HasEngine(t Tick) bool { return !n.away(world.Engine, t.Real) }

// HasSet reports whether a collection has a complete allocation set.
func (n *Node) HasSet(t Tick) bool { return !n.away(world.Kubernetes, t.Real) }

// away reports whether a part, or the collector that it is a part of, is away.
func (n *Node) away(part world.Part, t gpu.Time) bool {
	for _, o := range n.Outages {
		if (o.Part == part || o.Part == world.Collector) && o.Has(t) {
			return true
		}
	}
	return false
}

// times returns when an agent collects if it runs.
func (n *Node) times() []gpu.Time {
	times := append(n.every(n.Settings.Interval, n.Name), n.start, n.end)
	if n.Settings.Ideal {
		times = append(times, n.changes()...)
	}
	slices.Sort(times)
	return slices.Compact(times)
}

// Scraped returns the real times at which somebody else who reads the engine
// every interval has a value of a device.
func (n *Node) Scraped(d *world.Device, interval time.Duration) []gpu.Time {
	return slices.DeleteFunc(n.every(interval, string(d.ID)), func(t gpu.Time) bool {
		return n.away(world.Engine, t) || !d.Life.Has(t) || world.Within(d.Lost, t)
	})
}

// every returns the times between the world's start and end that are interval
// apart. Nothing is in step with anything else: the first depends on name.
func (n *Node) every(interval time.Duration, name string) []gpu.Time {
	var times []gpu.Time
	for t := n.start.Add(phase(name, interval)); t < n.end; t = t.Add(interval) {
		if t > n.start {
			times = append(times, t)
		}
	}
	return times
}

// phase returns a time in [0, interval) in whole milliseconds.
func phase(name string, interval time.Duration) time.Duration {
	h := fnv.New32a()
	_, _ = h.Write([]byte(name)) // never fails
	return time.Duration(h.Sum32()) % max(interval/time.Millisecond, 1) * time.Millisecond
}

// changes returns the times at which something other than an activity or a
// metric changes.
func (n *Node) changes() []gpu.Time {
	var times []gpu.Time
	for _, p := range n.Pods {
		for _, h := range p.Holds {
			times = append(times, h.From, h.To)
		}
		for _, m := range p.Milestones {
			times = append(times, m.At)
		}
	}
	for _, o := range n.Outages {
		times = append(times, o.From, o.To+1)
	}
	for _, d := range n.Devices {
		times = append(times, d.Life.From, d.Life.To)
		for _, s := range d.Lost {
			times = append(times, s.From, s.To+1)
		}
		for _, c := range d.Closed {
			times = append(times, c.From, c.To+1)
		}
		for _, m := range d.Memory {
			times = append(times, m.From)
		}
	}
	return slices.DeleteFunc(times, func(t gpu.Time) bool { return t < n.start || t > n.end })
}
