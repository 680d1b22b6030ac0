// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger_test

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// TestPropGap: samples that are lost change nothing but the time that they
// spoke for: that from the last sample before them to the first one after
// them. TestPropLost says what the loss of any points does: exactly what it
// does to a ledger that never had them.
func TestPropGap(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		f := drawFeatures(t)
		// What says something of other times than its own is left out.
		f.Silence, f.MissingSets, f.EarlyBegins, f.Labels = false, false, false, false
		f.Milestones, f.Starts, f.Partitions, f.Bad, f.Both, f.Conflicts = false, false, false, false, false, false
		s := drawScenarioWith(t, f)
		g := &generator{t: t}
		from := sec(float64(10 + g.intn(40)))
		lost := span{from, from.Add(time.Duration(1+g.intn(40)) * time.Second)}
		left := s.without(lost)
		want, got := s.observe(batches(s.events, 10), true), left.observe(batches(left.events, 10), true)
		for id, gap := range s.gaps(lost) {
			if moved := movedTime(want, got, id); moved > 2*gap {
				t.Fatalf("lost samples in (%s, %s]: %v of %s is booked otherwise, they spoke for %v\n%s",
					stamp(lost.from), stamp(lost.to), moved/2, id, gap, s)
			}
		}
	})
}

// sampled returns the device and time of a point that is a sample.
func (p point) sampled() (gpu.Device, bool) {
	switch {
	case len(p.Samples) > 0:
		return p.Samples[0].Device, true
	case len(p.Counters) > 0:
		return p.Counters[0].Device, true
	}
	return gpu.Device{}, false
}

// without returns the scenario without the samples in a span.
func (s scenario) without(lost span) scenario {
	left := scenario{cfg: s.cfg}
	for _, e := range s.events {
		if _, sample := e.sampled(); !sample || e.at <= lost.from || lost.to < e.at {
			left.events = append(left.events, e)
		}
	}
	return left
}

// gaps returns, of the devices that have samples before and after a span, how
// long the lost ones in it spoke for: 0, if none is lost.
func (s scenario) gaps(lost span) map[gpu.DeviceID]time.Duration {
	before, after, lose := map[gpu.DeviceID]gpu.Time{}, map[gpu.DeviceID]gpu.Time{}, map[gpu.DeviceID]bool{}
	for _, e := range s.events {
		d, sample := e.sampled()
		switch {
		case !sample:
		case e.at <= lost.from:
			before[d.ID] = e.at
		case e.at <= lost.to:
			lose[d.ID] = true
		case after[d.ID] == gpu.NoTime:
			after[d.ID] = e.at
		}
	}
	of := map[gpu.DeviceID]time.Duration{}
	for id, from := range before {
		if to, ok := after[id]; ok && lose[id] {
			of[id] = to.Sub(from)
		} else if !lose[id] {
			of[id] = 0
		}
	}
	return of
}

// movedTime adds up by how much the times of a device differ in two ledgers,
// by who has them and whether they are active: reasons follow from what was
// before.
func movedTime(a, b gpu.Derived, id gpu.DeviceID) time.Duration {
	times := map[string]time.Duration{}
	add := func(d gpu.Derived, sign time.Duration) {
		for _, account := range d.Accounts {
			for _, s := range account.States {
				state := s.Condition.State
				if state == gpu.Productive {
					state = gpu.Unproven
				}
				if idOf(account.Device) == id {
					times[fmt.Sprint(holderOf(account), state)] += sign * s.Nanos
				}
			}
		}
	}
	add(a, 1)
	add(b, -1)
	moved := time.Duration(0)
	for _, t := range times {
		moved += t.Abs()
	}
	return moved
}
