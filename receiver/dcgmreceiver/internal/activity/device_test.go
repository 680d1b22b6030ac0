// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package activity

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/sample"
)

const (
	zero   = 1_800_000_000_000_000 // µs: second 0 of the tests
	second = 1_000_000             // µs
)

func at(seconds float64) int64 { return zero + int64(math.Round(seconds*second)) }

func prof(f sample.Field, seconds, v float64) sample.Raw {
	return sample.Raw{Field: f, Type: sample.Double, Micros: at(seconds), Double: v}
}

func count(f sample.Field, seconds float64, v int64) sample.Raw {
	return sample.Raw{Field: f, Type: sample.Integer, Micros: at(seconds), Int: v}
}

func util(seconds float64, v int64) sample.Raw { return count(sample.Util, seconds, v) }

const blank = 140737488355328.0

// every returns what a field was at each whole second of from..to.
func every(from, to int, of func(seconds float64) sample.Raw) []sample.Raw {
	var all []sample.Raw
	for s := from; s <= to; s++ {
		all = append(all, of(float64(s)))
	}
	return all
}

func engineAt(v float64) func(float64) sample.Raw {
	return func(s float64) sample.Raw { return prof(sample.EngineActive, s, v) }
}

func utilAt(v int64) func(float64) sample.Raw {
	return func(s float64) sample.Raw { return util(s, v) }
}

func board() *Device { return NewDevice(DefaultConfig(time.Second), sample.Board) }

// told writes points as "engine/source start..end active/observed".
func told(points []Point) string {
	var lines []string
	for _, p := range points {
		line := fmt.Sprintf("%v/%v %v..%v %v/%v", p.Engine, p.Source, since(p.Start), since(p.Time), p.Active, p.Observed)
		if p.Ended {
			line += " ended"
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func since(ns int64) time.Duration { return time.Duration(ns - zero*1000) }

func TestObserve(t *testing.T) {
	for name, test := range map[string]struct {
		samples []sample.Raw
		want    string
	}{
		"one sample speaks for nothing": {every(0, 0, engineAt(1)), ""},
		"the integral":                  {slices.Concat(every(0, 4, engineAt(0.5)), every(5, 6, engineAt(1))), "engine/prof 0s..6s 4s/6s"},
		"the first GPM sample is blank": {slices.Concat(every(0, 0, engineAt(blank)), every(1, 3, engineAt(1))), "engine/prof 0s..3s 3s/3s"},
		"a blank hides its second": {
			slices.Concat(every(0, 2, engineAt(1)), every(3, 3, engineAt(blank)), every(4, 5, engineAt(1))), "engine/prof 0s..5s 4s/4s",
		},
		"a gap is known for max_gap only":    {slices.Concat(every(0, 1, engineAt(1)), every(101, 101, engineAt(1))), "engine/prof 0s..1m41s 4s/4s"},
		"an old sample is not added":         {slices.Concat(every(0, 3, engineAt(1)), every(3, 3, engineAt(1))), "engine/prof 0s..3s 3s/3s"},
		"no profiling: the driver's":         {every(0, 5, utilAt(40)), "engine/util 0s..5s 2s/5s"},
		"the driver's waits for its chance":  {every(0, 2, utilAt(40)), ""},
		"profiling tells, not the driver":    {slices.Concat(every(0, 5, utilAt(40)), every(0, 5, engineAt(1))), "engine/prof 0s..5s 5s/5s"},
		"tensor without cycles is profiling": {every(0, 3, func(s float64) sample.Raw { return prof(sample.TensorActive, s, 0.25) }), "tensor/prof 0s..3s 750ms/3s"},
		"profiling dies: nothing is lost": {
			slices.Concat(every(0, 9, utilAt(50)), every(0, 3, engineAt(1))),
			"engine/prof 0s..3s 3s/3s ended\nengine/util 3s..9s 3s/6s",
		},
		"profiling comes back": {
			slices.Concat(every(0, 9, utilAt(50)), every(0, 3, engineAt(1)), every(9, 15, engineAt(0.25)), every(10, 15, utilAt(50))),
			"engine/prof 0s..3s 3s/3s ended\nengine/util 3s..11s 4s/8s ended\nengine/prof 11s..15s 1s/4s",
		},
		"profiling is stuck": {
			slices.Concat(every(0, 20, utilAt(99)), every(0, 5, engineAt(0.75)), every(6, 20, engineAt(0))),
			"engine/prof 0s..5s 3.75s/5s ended\nengine/util 5s..20s 14.85s/15s",
		},
		"profiling was stuck from the start": {
			slices.Concat(every(0, 20, utilAt(100)), every(0, 20, engineAt(0))), "engine/util 0s..20s 20s/20s",
		},
		"profiling isn't stuck any more": {
			slices.Concat(every(0, 30, utilAt(100)), every(0, 20, engineAt(0)), every(21, 30, engineAt(0.5))),
			"engine/util 0s..23s 23s/23s ended\nengine/prof 23s..30s 3.5s/7s",
		},
		"zeros of a moment are zeros": {
			slices.Concat(every(0, 9, utilAt(99)), every(10, 12, utilAt(0)), every(0, 12, engineAt(0))), "engine/prof 0s..12s 0s/12s",
		},
	} {
		d := board()
		d.Observe(test.samples, at(1000))
		if got := told(d.Points()); got != test.want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, test.want)
		}
	}
}

// Held back zeros aren't told before it is known what they are.
func TestSuspiciousZerosAreHeldBack(t *testing.T) {
	d := board()
	d.Observe(slices.Concat(every(0, 7, utilAt(99)), every(0, 2, engineAt(1)), every(3, 7, engineAt(0))), at(7))
	if got, want := told(d.Points()), "engine/prof 0s..2s 2s/2s"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	d.Observe([]sample.Raw{util(8, 10), prof(sample.EngineActive, 8, 0)}, at(8))
	if got, want := told(d.Points()), "engine/prof 0s..8s 2s/8s"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// 8 of 132 SMs for 10 s: the engine was busy all the time, the SMs 0.6 s.
func TestCyclesAreOfTheSMs(t *testing.T) {
	d := board()
	samples := every(0, 10, engineAt(1))
	for s := int64(0); s <= 10; s++ {
		elapsed := s * 1_980_000_000
		samples = append(samples,
			count(sample.CyclesElapsed, float64(s), 77+elapsed),
			count(sample.SMCycles, float64(s)+0.000_3, 5+elapsed*8/132)) // stamped 300 µs later
	}
	d.Observe(samples, at(11))
	points := d.Points()
	if got, want := told(points[:1]), "engine/prof 0s..10s 10s/10s"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	sm := points[1]
	want := 10 * time.Second * 8 / 132
	if sm.Source != Cycles || sm.Observed != 10*time.Second || (sm.Active-want).Abs() > time.Microsecond {
		t.Errorf("sm: got %s, want %v of 10s", told(points[1:]), want)
	}
}

func TestCyclesBeginAnew(t *testing.T) {
	d := board()
	for s, c := range []int64{100, 200, 300, 50, 150} { // a driver was loaded before second 3
		d.Observe([]sample.Raw{count(sample.CyclesElapsed, float64(s), c), count(sample.SMCycles, float64(s), c/2)}, at(10))
	}
	if got, want := told(d.Points()), "sm/cycles 0s..4s 1.5s/3s"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := d.Counts().Resets; got != 1 {
		t.Errorf("%d resets", got)
	}
}

// A poll without a value hides no time of a counter.
func TestCyclesLoseNothing(t *testing.T) {
	d := board()
	for s, c := range []int64{100, 200, math.MaxInt64 - 15, 400} {
		d.Observe([]sample.Raw{count(sample.CyclesElapsed, float64(s), c), count(sample.SMCycles, float64(s), c)}, at(10))
	}
	if got, want := told(d.Points()), "sm/cycles 0s..3s 3s/3s"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// An instance takes nothing of what is the board's.
func TestInstanceHasNoUtil(t *testing.T) {
	d := NewDevice(DefaultConfig(time.Second), sample.ComputeInstance)
	samples := slices.Concat(every(0, 9, utilAt(50)), every(0, 9, func(s float64) sample.Raw { return count(sample.SMCycles, s, int64(s)) }))
	for i := range samples {
		samples[i].Entity.Kind = sample.ComputeInstance
	}
	d.Observe(samples, at(10))
	if got := told(d.Points()); got != "" {
		t.Errorf("got %s", got)
	}
	if got := d.Counts().Dropped[sample.WrongLevel]; got != 20 {
		t.Errorf("%d are of the wrong level", got)
	}
}

func TestEnd(t *testing.T) {
	d := board()
	d.Observe(every(0, 3, engineAt(1)), at(3))
	d.End()
	if got, want := told(d.Points()), "engine/prof 0s..3s 3s/3s ended"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := told(d.Points()); got != "" {
		t.Errorf("told again: %s", got)
	}
	d.Observe(every(5, 7, engineAt(1)), at(7))
	if got, want := told(d.Points()), "engine/prof 5s..7s 2s/2s"; got != want {
		t.Errorf("after it came back: got %q, want %q", got, want)
	}
}

// Nobody sampled for two seconds: they aren't observed, and the series goes on.
func TestPause(t *testing.T) {
	d := board()
	d.Observe(every(0, 3, engineAt(1)), at(3))
	d.Pause()
	d.Observe(every(5, 7, engineAt(1)), at(7))
	if got, want := told(d.Points()), "engine/prof 0s..7s 5s/5s"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// An hour of bursts, sampled every 100 ms and read every 10 s: what is told is
// the sum over the samples, to less than a µs.
func TestAnHourOfBurstsAddsUp(t *testing.T) {
	d := NewDevice(DefaultConfig(100*time.Millisecond), sample.Board)
	levels := []float64{0.03, 0.15, 0.8, 1.0 / 3}
	want := 0.0
	const samples = 36_000
	var read []sample.Raw
	for i := range samples + 1 {
		v := levels[i%len(levels)]
		if i > 0 {
			want += v * 0.1
		}
		read = append(read, prof(sample.EngineActive, float64(i)/10, v))
		if len(read) == 100 || i == samples {
			d.Observe(read, at(3601))
			read = read[:0]
		}
	}
	points := d.Points()
	if got := points[0].Active.Seconds(); math.Abs(got-want) > 1e-6 || points[0].Observed != time.Hour {
		t.Errorf("got %v s of %v, want %v s", got, points[0].Observed, want)
	}
}
