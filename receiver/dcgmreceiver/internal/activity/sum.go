// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package activity

import (
	"math"
	"time"
)

// Config are the rules. MaxGap is the longest time that one sample may speak
// for.
type Config struct {
	Interval   time.Duration // between samples
	MaxGap     time.Duration
	Patience   int     // values, at least 1
	StuckFor   int     // values, at least 1
	StuckAbove float64 // utilisation, in (0, 1]
}

// DefaultConfig returns the rules for samples that are taken every interval.
func DefaultConfig(interval time.Duration) Config {
	return Config{Interval: interval, MaxGap: 3 * interval, Patience: 3, StuckFor: 10, StuckAbove: 0.9}
}

// Point is a series as it stands at Time.
type Point struct {
	Engine   Engine
	Source   Source
	Start    int64 // ns since 1970
	Time     int64 // of the newest sample in it, ns since 1970
	Active   time.Duration
	Observed time.Duration
	Last     float64 // the newest value, in [0, 1]
	Ended    bool
}

// piece is a value and the time that it speaks for, (from, to].
type piece struct {
	from, to int64
	value    float64
}

// sum is a series: the integral of its pieces. What is below a nanosecond is
// carried.
type sum struct {
	start, end int64
	active     time.Duration
	carry      float64 // ns, in [0, 1)
	observed   time.Duration
	last       float64
}

func (s *sum) add(p piece) {
	covered := p.to - p.from
	exact := p.value*float64(covered) + s.carry
	whole := math.Floor(exact)
	// The sum of parts is never more than the time observed.
	s.observed += time.Duration(covered)
	s.active = min(s.active+time.Duration(whole), s.observed)
	s.carry = exact - whole
	s.end, s.last = p.to, p.value
}

func (s *sum) point(e Engine, source Source) Point {
	return Point{
		Engine: e, Source: source, Start: s.start, Time: s.end,
		Active: s.active, Observed: s.observed, Last: s.last,
	}
}
