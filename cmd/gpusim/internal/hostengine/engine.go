// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package hostengine

import (
	"slices"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/world"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// Engine is the host engine of a node. Not for concurrent use.
type Engine struct {
	// Off is by how much the engine measures too much wherever something runs,
	// in thousandths. It is a fault: with one, an account can't be right.
	Off world.Level

	world  *world.World // of one node
	at     gpu.Time     // of the newest poll
	boards []*board
}

// board is a GPU, with its MIG instances if there are any.
type board struct {
	*world.Device
	id    uint
	mig   bool
	lost  bool        // as it was said
	parts []*measured // what its activity is measured on: itself, or the instances that it has now
}

// measured is a device of which activity and memory are measured.
type measured struct {
	*world.Device
	activity, memory entity
	meter            *world.Meter
	busy             world.Busy // at the newest poll
	value            float64    // that was said
	mebibytes        uint64
}

// New returns the engine of a world's only node.
func New(w *world.World) *Engine { return &Engine{world: w} }

// Play lets the engine go on with the same devices in another world: one that
// begins when it is known that somebody watches.
func (e *Engine) Play(w *world.World) {
	e.world = w
	for _, b := range e.boards {
		b.Device = e.device(b.ID)
		for _, m := range b.parts {
			m.Device = e.device(m.ID)
			m.meter, m.busy = nil, 0
		}
	}
}

func (e *Engine) device(id gpu.DeviceID) *world.Device {
	devices := e.world.Nodes[0].Devices
	return devices[slices.IndexFunc(devices, func(d *world.Device) bool { return d.ID == id })]
}

// Open returns the lines that start the engine, with the devices as they are
// when the world begins, at rest. Its clock shows t.
func (e *Engine) Open(t gpu.Time) []byte {
	var s script
	s.say("clock manual")
	s.now(t)
	s.say("start")
	e.at = t
	for _, d := range e.world.Nodes[0].Devices {
		if d.Parent != "" {
			continue
		}
		b := &board{Device: d, id: uint(len(e.boards)), mig: len(e.world.Nodes[0].Instances(d.ID)) > 0}
		e.boards = append(e.boards, b)
		b.describe(&s, e.slices(d.ID))
		if !b.mig {
			b.parts = []*measured{newMeasured(d, entity{"gpu", b.id}, entity{"gpu", b.id}, &s)}
		}
		e.layOut(b, e.when(t), &s)
	}
	return s.text.Bytes()
}

// slices is how many a board has in all.
func (e *Engine) slices(id gpu.DeviceID) int {
	for _, d := range e.world.Nodes[0].Instances(id) {
		return d.Slices.Of
	}
	return 0
}

// when returns the time of the world that the engine sees at t: before the
// world its first, after it its last.
func (e *Engine) when(t gpu.Time) gpu.Time { return min(max(t, e.world.Start+1), e.world.End) }

// Poll returns the lines of a poll at t, which is later than the one before.
func (e *Engine) Poll(t gpu.Time) []byte {
	var s script
	for _, b := range e.boards {
		if lost := world.Within(b.Lost, t); lost != b.lost {
			b.lost = lost
			s.status(b.id, lost)
		}
		e.layOut(b, e.when(t), &s)
		for _, m := range b.parts {
			m.measure(e, t, &s)
		}
	}
	e.at = t
	s.now(t) // the last line: what was set in between is measured at once
	return s.text.Bytes()
}

// layOut lets a board have the instances that live at t.
func (e *Engine) layOut(b *board, t gpu.Time, s *script) {
	if !b.mig {
		return
	}
	living := slices.DeleteFunc(e.world.Nodes[0].Instances(b.ID), func(d *world.Device) bool { return !d.Life.Has(t) })
	if slices.EqualFunc(b.parts, living, func(m *measured, d *world.Device) bool { return m.ID == d.ID }) {
		return
	}
	if len(b.parts) > 0 {
		s.say("remove-mig %d", b.id)
	}
	b.parts = b.parts[:0]
	for _, d := range living {
		b.parts = append(b.parts, newInstance(b.id, len(b.parts), d, s))
	}
}

// measure says what is measured at t of the time since the newest poll.
func (m *measured) measure(e *Engine, t gpu.Time, s *script) {
	if m.meter == nil { // it began, or its world did
		m.meter = world.NewMeter(m.Activity, max(e.at, e.world.Start))
	}
	busy := m.meter.At(t)
	value := float64(busy-m.busy) / (float64(world.Full) * float64(t.Sub(e.at)))
	m.busy = busy
	if value > 0 {
		value = min(value+float64(e.Off)/float64(world.Full), 1)
	}
	if value != m.value {
		m.value = value
		s.set(m.activity, engineActive, double(value))
	}
	if memory := m.MemoryAt(t) >> 20; memory != m.mebibytes {
		m.mebibytes = memory
		s.set(m.memory, memoryUsed, integer(memory))
	}
}
