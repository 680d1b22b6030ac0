// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/world"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// values returns the value of a metric at each nanosecond of (from, to]. Its
// marks have to be later and later.
func values(t *rapid.T, marks world.Marks, from, to gpu.Time) []float64 {
	all := make([]float64, to-from+1)
	walk, before := marks(), gpu.NoTime
	for m, ok := walk(); ok; m, ok = walk() {
		require.Greater(t, m.At, before)
		before = m.At
		for t := m.At; t <= to; t++ {
			all[t-from] = m.Value
		}
	}
	return all
}

// TestMarks compares the walks, which jump from change to change, with what
// looking at each nanosecond gives.
func TestMarks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const from, to = gpu.Time(1000), gpu.Time(1300)
		steps := []world.Step{{Until: from}}
		for at := from; at < to; {
			at = at.Add(time.Duration(rapid.IntRange(1, 60).Draw(t, "length")))
			steps = append(steps, world.Step{Until: min(at, to), Level: world.Level(rapid.SampledFrom([]int{0, 0, 1, 400, 1000}).Draw(t, "level"))})
		}
		a := world.Steps(steps...)
		m := &metricSpec{
			Grain: time.Duration(rapid.IntRange(1, 40).Draw(t, "grain")),
			Every: time.Duration(rapid.IntRange(1, 40).Draw(t, "every")), Value: 3,
		}
		first := world.Mark{At: from, Start: from - 1}
		assert.Equal(t, lookedCount(a, m, from, to), values(t, marksCount(first, to, m, a), from, to))
		assert.Equal(t, lookedWhile(a, m, from, to), values(t, marksWhile(first, to, m, a), from, to))
		rate := &metricSpec{Grain: m.Grain, Rate: int64(time.Second) / rapid.Int64Range(1, 40).Draw(t, "rate")}
		assert.Equal(t, lookedCount(a, rate, from, to), values(t, marksCount(first, to, rate, a), from, to))
	})
}

func lookedCount(a world.Activity, m *metricSpec, from, to gpu.Time) []float64 {
	meter := world.NewMeter(a, from)
	all := make([]float64, to-from+1)
	var running, busy, before int64
	for t := from + 1; t <= to; t++ {
		now := int64(meter.At(t))
		if now > before {
			running++
		}
		busy, before = now, now
		all[t-from] = all[t-from-1]
		if (t-from)%gpu.Time(m.Grain) != 0 {
			continue
		}
		if m.Every > 0 {
			all[t-from] = float64(running / int64(m.Every))
		} else {
			all[t-from] = float64(busy * m.Rate / (1000 * int64(time.Second)))
		}
	}
	return all
}

func lookedWhile(a world.Activity, m *metricSpec, from, to gpu.Time) []float64 {
	meter := world.NewMeter(a, from)
	all := make([]float64, to-from+1)
	var before world.Busy
	for t := from + 1; t <= to; t++ {
		all[t-from] = all[t-from-1]
		if (t-from)%gpu.Time(m.Grain) != 0 || t == to {
			continue
		}
		all[t-from] = 0
		if now := meter.At(t); now > before {
			before, all[t-from] = now, float64(m.Value)
		}
	}
	return all
}

func TestMarksWhen(t *testing.T) {
	first := world.Mark{At: 10, Start: 5}
	for _, c := range []struct {
		spans []world.Span
		want  string
	}{
		{nil, "[{10 5 0}]"},
		{[]world.Span{{From: 1, To: 9}}, "[{10 5 0}]"},
		{[]world.Span{{From: 1, To: 12}, {From: 12, To: 15}}, "[{10 5 2} {12 5 2} {15 5 0}]"},
		{[]world.Span{{From: 30, To: 99}}, "[{10 5 0} {30 5 2}]"},
		{[]world.Span{{From: 50, To: 99}}, "[{10 5 0}]"},
	} {
		var got []world.Mark
		walk := marksWhen(first, 50, 2, c.spans)()
		for m, ok := walk(); ok; m, ok = walk() {
			got = append(got, m)
		}
		assert.Equal(t, c.want, fmt.Sprint(got))
	}
}

// TestLongCount counts for the longest time at the highest rate.
func TestLongCount(t *testing.T) {
	const month = 744 * time.Hour
	end := gpu.Earliest.Add(month)
	m := &metricSpec{Rate: 1_000_000_000, Grain: time.Hour}
	a := world.Steps(world.Step{Until: end, Level: world.Full})
	walk, last := marksCount(world.Mark{At: gpu.Earliest}, end, m, a)(), world.Mark{}
	for k, ok := walk(); ok; k, ok = walk() {
		last = k
	}
	require.Equal(t, world.Mark{At: end, Value: float64(month)}, last)
}
