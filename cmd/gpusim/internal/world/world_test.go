// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package world

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

func walked(a Activity) (steps []Step) {
	walk := a.Walk()
	for s, ok := walk(); ok; s, ok = walk() {
		steps = append(steps, s)
	}
	return steps
}

func TestTogether(t *testing.T) {
	a := Steps(Step{10, 0}, Step{20, 600}, Step{50, 100})
	b := Steps(Step{15, 300}, Step{30, 700})
	assert.Equal(t,
		[]Step{{10, 300}, {15, 900}, {20, Full}, {30, 800}, {50, 100}},
		walked(Together(a, b, nil)))
	assert.Equal(t, walked(a), walked(Together(a)))
	assert.Empty(t, walked(nil))
}

func TestMeter(t *testing.T) {
	a := Steps(Step{10, 0}, Step{20, 600}, Step{50, 100})
	m := NewMeter(a, 5)
	for at, busy := range []Busy{12: 1200, 20: 6000, 21: 6100, 60: 9000} {
		if busy != 0 {
			assert.Equal(t, busy, m.At(gpu.Time(at)), at)
		}
	}
	assert.Equal(t, Busy(900), NewMeter(a, 41).At(100))
	assert.EqualValues(t, 9, m.At(60).Nanos())
	assert.Zero(t, NewMeter(nil, 5).At(100))
}

func TestExcept(t *testing.T) {
	a := Steps(Step{10, 0}, Step{20, 600}, Step{50, 100})
	assert.Equal(t,
		[]Step{{5, 0}, {10, 0}, {12, 0}, {20, 600}, {30, 100}, {40, 0}, {50, 100}},
		walked(Except(a, []Span{{5, 12}, {30, 40}})))
	assert.Equal(t, walked(a), walked(Except(a, nil)))
	assert.Empty(t, walked(Except(nil, []Span{{5, 12}})))
	m := NewMeter(Except(a, []Span{{5, 12}, {30, 40}}), 0)
	assert.Equal(t, Busy(8*600+20*100), m.At(100))
}

func TestSpans(t *testing.T) {
	s := Span{10, 20}
	assert.False(t, s.Has(10))
	assert.True(t, s.Has(20))
	assert.False(t, Within([]Span{s, {30, 40}}, 25))
	assert.True(t, Within([]Span{s, {30, 40}}, 31))
}

func TestDeviceAt(t *testing.T) {
	d := Device{
		Memory: []Memory{{10, 1}, {20, 2}},
		Closed: []Closed{{Span{10, 20}, gpu.ReasonTaint}},
	}
	assert.Zero(t, d.MemoryAt(9))
	assert.EqualValues(t, 1, d.MemoryAt(10))
	assert.EqualValues(t, 2, d.MemoryAt(30))
	assert.Equal(t, gpu.ReasonTaint, d.ClosedAt(20))
	assert.Equal(t, gpu.NoReason, d.ClosedAt(21))
}
