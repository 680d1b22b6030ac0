// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"math/bits"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/world"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// marksWhen is a gauge that has a value in some spans, else 0.
func marksWhen(first world.Mark, end gpu.Time, value float64, spans []world.Span) world.Marks {
	marks := []world.Mark{first}
	add := func(at gpu.Time, value float64) {
		m := world.Mark{At: at, Start: first.Start, Value: value}
		switch last := &marks[len(marks)-1]; {
		case at <= first.At:
			marks[0].Value = value
		case at >= end:
		case at == last.At:
			last.Value = value
		default:
			marks = append(marks, m)
		}
	}
	for _, s := range spans {
		add(s.From, value)
		add(s.To, 0)
	}
	return func() func() (world.Mark, bool) {
		i := 0
		return func() (world.Mark, bool) {
			if i == len(marks) {
				return world.Mark{}, false
			}
			i++
			return marks[i-1], true
		}
	}
}

// marksCount is a counter: it counts the seconds of activity × rate, or the
// time with any activity ÷ every, in whole numbers, and looks once a grain.
func marksCount(first world.Mark, end gpu.Time, m *metricSpec, a world.Activity) world.Marks {
	num, den := uint64(m.Rate), uint64(world.Full)*uint64(time.Second)
	if m.Every > 0 {
		num, den = 1, uint64(world.Full)*uint64(m.Every)
	}
	return func() func() (world.Mark, bool) {
		c := &countWalk{
			first: first, end: end, grain: gpu.Time(m.Grain), running: m.Every > 0,
			num: num, den: den, walk: a.Walk(), at: first.At,
		}
		return c.next
	}
}

// countWalk stands at at, where it has counted busy; step is the walk's there.
type countWalk struct {
	first    world.Mark
	end      gpu.Time
	grain    gpu.Time
	running  bool // any level counts as Full
	num, den uint64
	walk     world.Walk
	step     world.Step
	at       gpu.Time
	busy     uint64 // ∫ level dt, in thousandths of nanoseconds
	begun    bool
}

// value returns ⌊busy × num / den⌋.
func (c *countWalk) value() uint64 { return mulDiv(c.busy, c.num, c.den, 0) }

// mulDiv returns ⌊(a × b + more) / c⌋; it fits.
func mulDiv(a, b, c, more uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	lo, carry := bits.Add64(lo, more, 0)
	q, _ := bits.Div64(hi+carry, lo, c)
	return q
}

func (c *countWalk) next() (world.Mark, bool) {
	if !c.begun {
		c.begun = true
		return c.first, true
	}
	// A rise by one is due when busy reaches this.
	due := mulDiv(c.value()+1, c.den, c.num, c.num-1)
	if !c.reach(due) {
		return world.Mark{}, false
	}
	look := c.first.At + (c.at-c.first.At+c.grain-1)/c.grain*c.grain
	if look > c.end {
		return world.Mark{}, false
	}
	c.moveTo(look)
	return world.Mark{At: look, Start: c.first.Start, Value: float64(c.value())}, true
}

// reach moves to the time at which busy reaches due, false if it never does.
func (c *countWalk) reach(due uint64) bool {
	for c.busy < due {
		if !c.load() {
			return false
		}
		until := c.step.Until
		if l := c.level(); l > 0 {
			until = min(until, c.at+gpu.Time((due-c.busy+l-1)/l))
		}
		c.pass(until)
	}
	return true
}

// moveTo moves to t.
func (c *countWalk) moveTo(t gpu.Time) {
	for c.at < t && c.load() {
		c.pass(min(t, c.step.Until))
	}
	c.at = t
}

// load makes step the one at at, false if none is left.
func (c *countWalk) load() (ok bool) {
	for c.step.Until <= c.at {
		if c.step, ok = c.walk(); !ok {
			return false
		}
	}
	return true
}

// pass counts up to t, which is in step.
func (c *countWalk) pass(t gpu.Time) {
	c.busy += uint64(t-c.at) * c.level()
	c.at = t
}

func (c *countWalk) level() uint64 {
	if c.running && c.step.Level > 0 {
		return uint64(world.Full)
	}
	return uint64(c.step.Level)
}
