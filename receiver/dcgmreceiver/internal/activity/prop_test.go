// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package activity

import (
	"cmp"
	"math/big"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/sample"
)

// draw is a stream of samples of a field: some blank, some out of range, some
// after a gap, some twice.
func draw(t *rapid.T, field sample.Field, whole bool) []sample.Raw {
	var all []sample.Raw
	now := at(0)
	for range rapid.IntRange(0, 60).Draw(t, "samples") {
		now += rapid.SampledFrom([]int64{0, 1, 100_000, second, second, second, second, 2 * second, 9 * second}).Draw(t, "step")
		r := sample.Raw{Field: field, Type: sample.Double, Micros: now}
		r.Double = rapid.SampledFrom([]float64{0, 0, 0, 0.03, 0.15, 0.8, 1, 1.5, -1, blank}).Draw(t, "value")
		if whole {
			r.Type, r.Int = sample.Integer, int64(100*r.Double)
		}
		all = append(all, r)
	}
	return all
}

// One source: what is told is the sum over the values, each for the time since
// the sample before it, for MaxGap at most. Compared with exact arithmetic.
func TestPropIntegral(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		samples := draw(t, sample.EngineActive, false)
		active, observed := new(big.Rat), int64(0)
		last := int64(0)
		for _, r := range samples {
			if r.Micros <= last {
				continue
			}
			if last != 0 && 0 <= r.Double && r.Double < blank {
				covered := min(r.Micros-last, 3*second)
				observed += covered
				active.Add(active, new(big.Rat).Mul(new(big.Rat).SetFloat64(min(r.Double, 1)), big.NewRat(covered, 1)))
			}
			last = r.Micros
		}
		d := board()
		d.Observe(slices.Clone(samples), last)
		var gotActive, gotObserved time.Duration
		for _, p := range d.Points() {
			gotActive += p.Active
			gotObserved += p.Observed
		}
		want, _ := active.Float64()
		if gotObserved != time.Duration(observed)*time.Microsecond {
			t.Fatalf("observed %v, want %d µs", gotObserved, observed)
		}
		if diff := float64(gotActive) - want*1000; diff > 10 || diff < -10 {
			t.Fatalf("active %v, want %v µs", gotActive, want)
		}
	})
}

// Whatever two sources say: no time is told twice, a series only grows, and
// is active for as long as it is observed, at most.
func TestPropSeries(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		samples := append(draw(t, sample.EngineActive, false), draw(t, sample.Util, true)...)
		slices.SortStableFunc(samples, func(a, b sample.Raw) int { return cmp.Compare(a.Micros, b.Micros) })
		d := board()
		var told Point // the last point
		ended := int64(0)
		for len(samples) > 0 {
			n := rapid.IntRange(1, len(samples)).Draw(t, "read")
			d.Observe(samples[:n], at(1000))
			samples = samples[n:]
			if rapid.Bool().Draw(t, "gone") {
				d.End()
			}
			for _, p := range d.Points() {
				goesOn := p.Start == told.Start && p.Source == told.Source && !told.Ended
				if !goesOn && p.Start < ended {
					t.Fatalf("series of %v begins at %v, before %v", p.Source, since(p.Start), since(ended))
				}
				if goesOn && (p.Time < told.Time || p.Active < told.Active || p.Observed < told.Observed) {
					t.Fatalf("%+v shrank to %+v", told, p)
				}
				if p.Active < 0 || p.Active > p.Observed || p.Observed > time.Duration(p.Time-p.Start) {
					t.Fatalf("%+v", p)
				}
				if told = p; p.Ended {
					ended = p.Time
				}
			}
		}
	})
}

// How the samples are read in pieces changes nothing.
func TestPropReads(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		samples := append(draw(t, sample.EngineActive, false), draw(t, sample.Util, true)...)
		slices.SortStableFunc(samples, func(a, b sample.Raw) int {
			return cmp.Or(cmp.Compare(a.Micros, b.Micros), cmp.Compare(a.Field, b.Field))
		})
		whole, parts := board(), board()
		whole.Observe(slices.Clone(samples), at(1000))
		for len(samples) > 0 {
			n := rapid.IntRange(1, len(samples)).Draw(t, "read")
			parts.Observe(samples[:n], at(1000))
			samples = samples[n:]
		}
		if got, want := told(parts.Points()), told(whole.Points()); got != want {
			t.Fatalf("in parts:\n%s\nat once:\n%s", got, want)
		}
	})
}

// Whatever the engine says, nothing is told that can't be.
func FuzzObserve(f *testing.F) {
	f.Add([]byte{0, 10, 99, 1, 10, 0, 2, 10, 50, 3, 10, 40})
	fields := []sample.Field{sample.EngineActive, sample.Util, sample.CyclesElapsed, sample.SMCycles, sample.SMActive}
	f.Fuzz(func(t *testing.T, data []byte) {
		d := board()
		now := int64(zero)
		for ; len(data) >= 3; data = data[3:] {
			now += int64(int8(data[1])) * 100_000
			r := sample.Raw{Field: fields[int(data[0])%len(fields)], Micros: now, Double: float64(data[2]) / 200}
			r.Type = sample.Double
			if r.Field == sample.Util || r.Field >= sample.CyclesElapsed {
				r.Type, r.Int = sample.Integer, int64(data[2])
			}
			d.Observe([]sample.Raw{r}, at(1e6))
			for _, p := range d.Points() {
				if p.Active < 0 || p.Active > p.Observed || p.Observed > time.Duration(p.Time-p.Start) {
					t.Fatalf("%+v", p)
				}
			}
		}
	})
}
