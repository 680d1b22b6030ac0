// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/world"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// worldOf is that of one pod with a pattern, loaded from the start on.
func worldOf(t testing.TB, duration, pattern string) *world.World {
	t.Helper()
	text := strings.NewReplacer("DURATION", duration, "PATTERN", pattern).Replace(`
name: one
description: d
duration: DURATION
nodes: [{name: n, devices: 1}]
pods:
- name: p
  places: [{node: n, devices: [0]}]
  start: {scheduling: 0s, admission: 0s, sandbox: 0s, before_cuda: 0s, load: 0s}
  activity: {PATTERN}
`)
	s, err := Parse("one", []byte(text))
	require.NoError(t, err)
	w := s.World()
	require.Empty(t, sane(w))
	return w
}

func TestPatterns(t *testing.T) {
	for pattern, want := range map[string]string{
		"idle: {}":           "0..0s 0..1m0s",
		"steady: {level: 7}": "0..0s 7..1m0s",
		"bursts: {every: 25s, length: 4s, level: 30}":                                         "0..0s 30..4s 0..25s 30..29s 0..50s 30..54s 0..1m0s",
		"bursts: {every: 29s, length: 29s}":                                                   "0..0s 1000..29s 1000..58s 1000..1m0s",
		"steps: [{for: 20s, level: 1}, {for: 15s, level: 2}]":                                 "0..0s 1..20s 2..35s 1..55s 2..1m0s",
		"phases: [{for: 9s, steady: {level: 5}}, {for: 1s, idle: {}}]":                        "0..0s 5..9s 0..10s 0..1m0s",
		"phases: [{for: 9s, idle: {}}, {steady: {level: 5}}]":                                 "0..0s 0..9s 5..1m0s",
		"cycle: [{for: 30s, steps: [{for: 20s, level: 1}]}, {for: 5s, steady: {level: 0}}]":   "0..0s 1..20s 1..30s 0..35s 1..55s 1..1m0s",
		"cycle: [{for: 30s, phases: [{for: 20s, steady: {level: 1}}]}, {for: 30s, idle: {}}]": "0..0s 1..20s 0..30s 0..1m0s",
	} {
		w := worldOf(t, "1m", pattern)
		assert.Equal(t, want, (&listing{start: w.Start}).activity(w.Nodes[0].Devices[0].Activity), pattern)
	}
}

// share is how much of (from, to] the only device is busy.
func share(w *world.World, from, to time.Duration) float64 {
	m := world.NewMeter(w.Nodes[0].Devices[0].Activity, w.Start.Add(from))
	return float64(m.At(w.Start.Add(to)).Nanos()) / float64(to-from)
}

func TestTrickle(t *testing.T) {
	const day = 24 * time.Hour
	// Of a Poisson process, a device that serves all requests at once is busy
	// 1 − exp(−rate × length) of the time.
	assert.InDelta(t, 0.0296, share(worldOf(t, "24h", "trickle: {per_hour: 54, length: 2s}"), 0, day), 0.003)
	assert.InDelta(t, 0.6321, share(worldOf(t, "24h", "trickle: {per_hour: 1800, length: 2s}"), 0, day), 0.01)
	assert.InDelta(t, 0.3161, share(worldOf(t, "24h", "trickle: {per_hour: 1800, length: 2s, level: 500}"), 0, day), 0.005)

	w := worldOf(t, "24h", "trickle: {per_hour: 360, length: 5s, day: [0,0,0,0,0,0,100,100,100,100,100,100,200,200,200,200,200,200,0,0,0,0,0,0]}")
	assert.Zero(t, share(w, 0, 6*time.Hour))
	assert.InDelta(t, 0.3935, share(w, 6*time.Hour, 12*time.Hour), 0.02)
	assert.InDelta(t, 0.6321, share(w, 12*time.Hour, 18*time.Hour), 0.02)
	assert.Less(t, share(w, 18*time.Hour, day), 0.001)
}

func TestJitter(t *testing.T) {
	w := worldOf(t, "1h", "bursts: {every: 1s, length: 200ms, jitter: 800ms}")
	walk, at, bursts := w.Nodes[0].Devices[0].Activity.Walk(), w.Start, 0
	late := map[time.Duration]bool{}
	for s, ok := walk(); ok; s, ok = walk() {
		if s.Level > 0 {
			begin := at.Sub(w.Start)
			require.Equal(t, bursts, int(begin/time.Second), "burst %d begins at %s", bursts, begin)
			require.Equal(t, 200*time.Millisecond, s.Until.Sub(at))
			late[begin%time.Second/(100*time.Millisecond)] = true
			bursts++
		}
		at = s.Until
	}
	assert.Equal(t, 3600, bursts)
	assert.Len(t, late, 8)
}

// TestExcept takes spans from an activity and compares each nanosecond.
func TestExcept(t *testing.T) {
	a := world.Steps(world.Step{Until: 10}, world.Step{Until: 20, Level: 5}, world.Step{Until: 30, Level: 7}, world.Step{Until: 40, Level: 9})
	spans := []world.Span{{From: 5, To: 12}, {From: 15, To: 15}, {From: 18, To: 31}, {From: 31, To: 33}, {From: 39, To: 50}}
	whole, cut := world.NewMeter(a, 0), world.NewMeter(except(a, spans), 0)
	var before, beforeCut world.Busy
	for at := gpu.Time(1); at < 60; at++ {
		got, want := cut.At(at)-beforeCut, whole.At(at)-before
		if world.Within(spans, at) {
			want = 0
		}
		require.Equal(t, want, got, at)
		before, beforeCut = whole.At(at), cut.At(at)
	}
	assert.Nil(t, except(nil, spans))
}

func TestTogether(t *testing.T) {
	of := func(from, to gpu.Time, level int64) part {
		return part{span(from, to), activityOf([]run{{span(from, to), steady(level), seed{}}})}
	}
	a := together([]part{of(50, 60, 4), of(10, 20, 1), of(15, 40, 2), {span(1, 9), nil}, of(20, 30, 3)})
	l := &listing{}
	assert.Equal(t, "0..10ns 1..15ns 3..20ns 5..30ns 2..40ns 0..50ns 4..60ns", l.activity(a))
	assert.Nil(t, together([]part{{span(1, 9), nil}}))
}

// BenchmarkBursts walks a day of bursts of 20 ms.
func BenchmarkBursts(b *testing.B) {
	for name, pattern := range map[string]string{
		"regular":  "bursts: {every: 40ms, length: 20ms}",
		"jittered": "bursts: {every: 40ms, length: 20ms, jitter: 20ms}",
		"trickle":  "trickle: {per_hour: 36000, length: 20ms}",
	} {
		b.Run(name, func(b *testing.B) {
			w := worldOf(b, "24h", pattern)
			b.ReportAllocs()
			for b.Loop() {
				world.NewMeter(w.Nodes[0].Devices[0].Activity, w.Start).At(w.End)
			}
		})
	}
}
