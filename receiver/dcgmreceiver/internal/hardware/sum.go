// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package hardware

import (
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/catalog"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/sample"
)

// patience is how many values of a worse source the better one may be silent
// for.
const patience = 10

// sum is a series of the table.
type sum struct {
	row     *catalog.Row
	current int     // the source that tells; -1: none yet
	last    []int64 // µs: when each source had its newest sample, valid or not
	waited  int     // values of a worse source since the current one had any

	start, end int64   // µs
	raw        int64   // newest value of a counter, in its own unit
	whole      int64   // its growth
	part       float64 // the integral of a rate
}

func newSum(row *catalog.Row) *sum {
	return &sum{row: row, current: -1, last: make([]int64, len(row.Sources))}
}

// value takes a value of a source.
func (s *sum) value(k int, at int64, v sample.Value, maxGap int64) (reset bool) {
	before := s.last[k]
	if at <= before || at < s.end {
		return false
	}
	s.last[k] = at
	switch {
	case k == s.current:
		s.waited = 0
		return s.tell(before, at, v, maxGap)
	case s.current >= 0 && k > s.current:
		if s.waited++; s.waited <= patience {
			return false
		}
	}
	s.current, s.waited = k, 0
	s.start, s.end, s.raw, s.whole, s.part = at, at, v.Int, 0, 0
	return false
}

func (s *sum) tell(before, at int64, v sample.Value, maxGap int64) (reset bool) {
	switch {
	case s.row.Sources[s.current].Use == catalog.Integral:
		if before > 0 {
			s.part += v.Float * float64(min(at-before, maxGap)) / 1e6
		}
	case v.Int < s.raw:
		reset = true
		s.start, s.whole, s.raw = s.end, v.Int, v.Int
	default:
		s.whole += v.Int - s.raw
		s.raw = v.Int
	}
	s.end = at
	return reset
}

// unknown takes a sample of a source that isn't a value: a rate of the time
// before it isn't known. never says that it won't have any.
func (s *sum) unknown(k int, at int64, never bool) {
	s.last[k] = max(s.last[k], at)
	if never && k == s.current {
		s.current = -1
	}
}

// pause forgets the newest samples of rates.
func (s *sum) pause() {
	for k, source := range s.row.Sources {
		if source.Use == catalog.Integral {
			s.last[k] = 0
		}
	}
}

// told returns the series as it stands.
func (s *sum) told() Sum {
	source := s.row.Sources[s.current]
	out := Sum{Row: s.row, Start: s.start, Time: s.end, Whole: s.whole}
	if source.Use == catalog.Integral {
		out.Whole, out.Value = int64(s.part), s.part
		return out
	}
	spec, _ := sample.SpecOf(source.Field)
	out.Value = float64(s.whole) * spec.Scale
	return out
}
