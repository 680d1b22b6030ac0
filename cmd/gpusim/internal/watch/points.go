// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package watch

import (
	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/world"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// Point is what one collection tells of a device's activity.
type Point struct {
	Tick int      // its collection, an index of Node.Ticks
	Time gpu.Time // of the newest sample in it, told
	// The sums since Start (told), in nanoseconds. Void with Settings.Gauges.
	Start            gpu.Time
	Active, Observed int64
	// Value is the mean over the newest sample alone.
	Value     float64
	Processes []Process
}

// Process is what the processes of a pod did since the point before, as a
// share of that time.
type Process struct {
	Pod   *world.Pod
	Value float64
}

// Points returns a walk over the points of a device, in order of time.
func (n *Node) Points(d *world.Device) func() (Point, bool) {
	m := &meters{node: n, device: d}
	m.begin(max(n.start, d.Life.From))
	times := n.sampled(d)
	return func() (Point, bool) {
		for {
			at, ok := times()
			if !ok {
				return Point{}, false
			}
			if p, ok := m.read(at); ok {
				return p, true
			}
		}
	}
}

// meters integrate what a device and its holders do.
type meters struct {
	node   *Node
	device *world.Device
	// series is the real time at which the sums began, time that of the
	// newest point.
	series, time gpu.Time
	newest       gpu.Time     // of the points that were read, NoTime before
	all          *world.Meter // since series
	sample       *world.Meter // of one sample after another
	holds        []holdMeter
}

type holdMeter struct {
	pod   *world.Pod
	meter *world.Meter
	last  world.Busy
}

// begin starts new sums at t.
func (m *meters) begin(t gpu.Time) {
	seen := world.Except(m.device.Activity, m.device.Lost)
	m.series, m.time = t, t
	m.all = world.NewMeter(seen, t)
	m.sample = world.NewMeter(seen, t)
	m.holds = m.holds[:0]
	for _, p := range m.node.Pods {
		for i := range p.Holds {
			if h := &p.Holds[i]; (p.Processes || m.node.Settings.Ideal) && h.Device == m.device.ID {
				m.holds = append(m.holds, holdMeter{p, world.NewMeter(world.Except(h.Activity, m.device.Lost), t), 0})
			}
		}
	}
}

// read returns the point that a sample makes, if there is one.
func (m *meters) read(at sampled) (Point, bool) {
	n, d := m.node, m.device
	if back := n.back(at.time); back > m.series {
		m.begin(back)
	}
	if at.time <= m.newest || n.away(world.Engine, at.time) { // nothing new
		return Point{}, false
	}
	if at.time < m.series || at.time < d.Life.From || at.time > d.Life.To || world.Within(d.Lost, at.time) {
		return Point{}, false
	}
	m.newest = at.time
	return Point{
		Tick: at.tick, Time: n.Told(at.time), Start: n.Told(m.series),
		Value:     m.value(at.time),
		Active:    m.all.At(at.time).Nanos(),
		Observed:  int64(at.time.Sub(m.series)) - m.lost(at.time),
		Processes: m.processes(at.time),
	}, true
}

// back returns the newest end of an outage of the engine at or before t.
func (n *Node) back(t gpu.Time) (end gpu.Time) {
	for _, o := range n.Outages {
		if o.Part != world.Kubernetes && o.To <= t {
			end = max(end, o.To)
		}
	}
	return end
}

// lost returns for how long the device was lost between the start of the sums
// and t.
func (m *meters) lost(t gpu.Time) (nanos int64) {
	for _, s := range m.device.Lost {
		if from, to := max(s.From, m.series), min(s.To, t); to > from {
			nanos += int64(to.Sub(from))
		}
	}
	return nanos
}

func (m *meters) value(t gpu.Time) float64 {
	from := max(t.Add(-m.node.Settings.Sample), m.time)
	busy := -m.sample.At(from) + m.sample.At(t)
	if t == from {
		return 0
	}
	return float64(busy) / (float64(world.Full) * float64(t.Sub(from)))
}

func (m *meters) processes(t gpu.Time) (processes []Process) {
	span := t.Sub(m.time)
	m.time = t
	for i := range m.holds {
		h := &m.holds[i]
		busy := h.meter.At(t)
		if busy > h.last && span > 0 {
			processes = append(processes, Process{h.pod, float64(busy-h.last) / (float64(world.Full) * float64(span))})
		}
		h.last = busy
	}
	return processes
}
