// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package activity

import (
	"runtime"
	"testing"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/sample"
)

// hour plays an hour of a board, sampled every 100 ms and read every second.
func hour(d *Device, from float64, read func()) {
	var samples []sample.Raw
	for i := 1; i <= 36_000; i++ {
		s := from + float64(i)/10
		samples = append(samples,
			prof(sample.EngineActive, s, 0.5), prof(sample.SMActive, s, 0.5), prof(sample.TensorActive, s, 0.25),
			util(s, int64(i%100)), count(sample.CyclesElapsed, s, int64(i)*1000), count(sample.SMCycles, s, int64(i)*500))
		if i%10 == 0 {
			d.Observe(samples, at(1e6))
			samples = samples[:0]
			read()
		}
	}
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// What is kept doesn't grow with the samples.
func TestNothingGrows(t *testing.T) {
	d := NewDevice(DefaultConfig(100*time.Millisecond), sample.Board)
	var early uint64
	reads := 0
	hour(d, 0, func() {
		if reads++; reads == 720 { // a fifth of the hour
			early = heap()
		}
		d.Points()
	})
	if late := heap(); float64(late) > 1.05*float64(early) {
		t.Errorf("%d bytes after a fifth of an hour, %d at its end", early, late)
	}
	runtime.KeepAlive(d)
}

func BenchmarkObserve(b *testing.B) {
	d := NewDevice(DefaultConfig(100*time.Millisecond), sample.Board)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		hour(d, float64(i)*3600, func() {})
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(36_000*6), "ns/sample")
}
