// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package k8sgpureceiver

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// wallAt is a clock whose wall clock a test sets.
type wallAt struct {
	clock
	now  gpu.Time
	time time.Duration
	back []time.Duration
}

func newWall() *wallAt {
	w := &wallAt{now: gpu.Earliest + gpu.Time(time.Hour)}
	w.read = func() (gpu.Time, time.Duration) { return w.now, w.time }
	w.stepped = func(back time.Duration) { w.back = append(w.back, back) }
	return w
}

// after lets time pass on both clocks, and reads.
func (w *wallAt) after(d time.Duration) gpu.Time {
	w.now, w.time = w.now.Add(d), w.time+d
	return w.clock.now()
}

func TestClockIsTheWallClocks(t *testing.T) {
	w := newWall()
	for range 10 {
		require.Equal(t, w.now.Add(10*time.Second), w.after(10*time.Second))
	}
	first := w.after(0)
	require.Equal(t, first+1, w.after(0), "never the same twice")
	w.now = w.now.Add(time.Hour)
	require.Equal(t, w.now, w.after(0), "a step forward is followed")
	require.Empty(t, w.back)
}

// TestWallClockIsSetBack: the time goes on, and comes back to it.
func TestWallClockIsSetBack(t *testing.T) {
	w := newWall()
	last := w.after(10 * time.Second)
	w.now = w.now.Add(-30 * time.Second)
	for i := range 6 {
		now := w.after(10 * time.Second)
		require.Equal(t, 5*time.Second, now.Sub(last), i)
		last = now
	}
	require.Zero(t, w.ahead())
	require.Equal(t, w.now.Add(10*time.Second), w.after(10*time.Second), "in step again")
	require.Equal(t, []time.Duration{30 * time.Second}, w.back)
}

// TestWallClockIsSetBackByAnHour: what is further ahead than the ledger takes
// stands, so that it takes it again as soon as can be.
func TestWallClockIsSetBackByAnHour(t *testing.T) {
	w := newWall()
	before := w.after(10 * time.Second)
	w.now = w.now.Add(-time.Hour)
	passed := time.Duration(0)
	for w.ahead() >= 5*time.Minute || passed == 0 {
		require.Less(t, w.after(10*time.Second).Sub(before), time.Second)
		passed += 10 * time.Second
	}
	require.InDelta(t, 55*time.Minute, passed, float64(10*time.Second))
	for w.ahead() > 0 {
		w.after(10 * time.Second)
		passed += 10 * time.Second
	}
	require.InDelta(t, 64*time.Minute, passed, float64(20*time.Second))
	require.Len(t, w.back, 1)
}

// TestPropClock: whatever the wall clock does, time goes forward, is never
// behind it and never further ahead than it was set back.
func TestPropClock(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, last, back := newWall(), gpu.NoTime, time.Duration(0)
		for range rapid.IntRange(1, 50).Draw(t, "readings") {
			if step := time.Duration(rapid.IntRange(-400, 100).Draw(t, "step")) * time.Second; rapid.Bool().Draw(t, "steps") {
				w.now = w.now.Add(step)
				back += max(-step, 0)
			}
			now := w.after(time.Duration(rapid.IntRange(0, 20000).Draw(t, "passed")) * time.Millisecond)
			if now <= last || now < w.now || w.ahead() > back+time.Microsecond {
				t.Fatalf("%v after %v, wall clock %v, set back by %v", now, last, w.now, back)
			}
			last = now
		}
	})
}
