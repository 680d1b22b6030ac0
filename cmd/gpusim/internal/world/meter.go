// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package world

import "github.com/otelcol-gpu/otelcol-gpu/internal/gpu"

// Busy is ∫ level dt in thousandths of nanoseconds.
type Busy int64

// Nanos returns the whole nanoseconds of b.
func (b Busy) Nanos() int64 { return int64(b) / int64(Full) }

// Meter integrates an activity.
type Meter struct {
	reader *reader
	time   gpu.Time
	busy   Busy
}

// NewMeter returns a meter that stands at 0 at start.
func NewMeter(a Activity, start gpu.Time) *Meter {
	m := &Meter{reader: newReader(a), time: start}
	m.reader.pass(start)
	return m
}

// At moves the meter to t and returns the integral from its start to t. The
// times of successive calls never fall.
func (m *Meter) At(t gpu.Time) Busy {
	for m.time < t {
		until := min(t, m.reader.step.Until)
		m.busy += Busy(until.Sub(m.time)) * Busy(m.reader.step.Level)
		m.time = until
		m.reader.pass(until)
	}
	return m.busy
}
