// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"runtime/metrics"
	"sync"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/drive"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// monitor shows how far a drive is, and keeps the most memory that it took.
type monitor struct {
	drive  *drive.Drive
	start  gpu.Time
	span   time.Duration // of the world
	length time.Duration // and of the ending
	began  time.Time
	bar    progress
	memory uint64 // bytes, the most so far
	done   chan struct{}
	ended  sync.WaitGroup
}

// look is the time between two looks.
const look = 200 * time.Millisecond

func newMonitor(out io.Writer, d *drive.Drive, start gpu.Time, span, length time.Duration) *monitor {
	m := &monitor{
		drive: d, start: start, span: span, length: length, began: time.Now(), done: make(chan struct{}),
		bar: newProgress(out, int(length/time.Second)),
	}
	m.ended.Go(m.run)
	return m
}

func (m *monitor) run() {
	ticker := time.NewTicker(look)
	defer ticker.Stop()
	for {
		m.memory = max(m.memory, memoryInUse())
		t := m.drive.Totals()
		if t.Real > m.start {
			rate := perSecond(t.Points, time.Since(m.began))
			m.bar.says(fmt.Sprintf("%d points/s, at %s", rate, m.simulated(t).Truncate(time.Second)))
			m.bar.at(int(m.simulated(t) / time.Second))
		}
		select {
		case <-m.done:
			return
		case <-ticker.C:
		}
	}
}

// simulated returns how much real time of the world was sent.
func (m *monitor) simulated(t drive.Totals) time.Duration {
	return min(max(t.Real.Sub(m.start), 0), m.length)
}

// stop ends the bar and returns what was done, in words.
func (m *monitor) stop() string {
	took := time.Since(m.began)
	close(m.done)
	m.ended.Wait()
	m.bar.stop()
	t := m.drive.Totals()
	return fmt.Sprintf("sent %d points in %d requests (%d sent again), %s of simulated time from %s on, in %.1f s: %d points/s; memory %.0f MB at most",
		t.Points, t.Requests, t.Retries, min(m.simulated(t), m.span).Round(time.Second),
		time.Unix(0, int64(m.start)).UTC().Format(time.RFC3339), took.Seconds(),
		perSecond(t.Points, took), float64(m.memory)/1e6)
}

// memoryInUse returns what the program holds of the machine's memory, as far
// as Go knows.
func memoryInUse() uint64 {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(samples)
	return samples[0].Value.Uint64() - samples[1].Value.Uint64()
}
