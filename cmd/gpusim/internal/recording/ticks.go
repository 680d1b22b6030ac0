// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package recording

import (
	"cmp"
	"slices"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// Tick is what one node agent would send at Time.
type Tick struct {
	Time  gpu.Time
	Batch gpu.Batch
}

// Ticks maps the recording to one batch per distinct time of the duty-cycle
// samples. Rows of the other files between two ticks go with the later one;
// rows after the last tick, and those of containers without a duty-cycle
// sample, belong to no device and are left out.
func (r Recording) Ticks() []Tick {
	m := mapping{Recording: r, lives: lives(r), ticks: emptyTicks(r.Duty)}
	m.samples()
	m.memory()
	m.allocations()
	m.outputs()
	return m.ticks
}

// life is how long a container held its device.
type life struct{ first, last gpu.Time }

func lives(r Recording) map[Container]life {
	lives := make(map[Container]life)
	for _, d := range r.Duty {
		l, known := lives[d.Container]
		if !known {
			l.first = d.Time
		}
		l.last = d.Time
		lives[d.Container] = l
	}
	return lives
}

func emptyTicks(duty []Duty) []Tick {
	var ticks []Tick
	for _, d := range duty {
		if n := len(ticks); n == 0 || ticks[n-1].Time != d.Time {
			ticks = append(ticks, Tick{Time: d.Time})
		}
	}
	return ticks
}

type mapping struct {
	Recording
	lives map[Container]life
	ticks []Tick
}

// at returns the batch of the first tick at or after t, nil if there is none.
func (m *mapping) at(t gpu.Time) *gpu.Batch {
	i := m.index(t)
	if i == len(m.ticks) {
		return nil
	}
	return &m.ticks[i].Batch
}

func (m *mapping) index(t gpu.Time) int {
	i, _ := slices.BinarySearchFunc(m.ticks, t, func(tick Tick, t gpu.Time) int { return cmp.Compare(tick.Time, t) })
	return i
}

func (m *mapping) samples() {
	for _, d := range m.Duty {
		batch := m.at(d.Time)
		batch.Samples = append(batch.Samples, gpu.Sample{
			Device: device(d.Container),
			Engine: gpu.EngineAny,
			Source: source,
			Time:   d.Time,
			Value:  d.Percent / 100,
		})
	}
}

func (m *mapping) memory() {
	for _, row := range m.Memory {
		batch := m.at(row.Time)
		if _, known := m.lives[row.Container]; !known || batch == nil {
			continue
		}
		batch.Memory = append(batch.Memory, gpu.Memory{
			Device: row.Container.Device(), Time: row.Time, Bytes: row.Bytes,
		})
	}
}
