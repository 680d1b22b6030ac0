// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"slices"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

type gaugePoint struct {
	time   gpu.Time
	value  float64
	source string
}

func (p gaugePoint) at() gpu.Time { return p.time }

// pairPoint is a point of a sum pair, by gpu.CounterPart.
type pairPoint struct {
	time   gpu.Time
	source string
	have   [2]bool
	start  [2]gpu.Time
	nanos  [2]int64
}

func (p pairPoint) at() gpu.Time { return p.time }

// complete reports whether p is evidence.
func (p pairPoint) complete() bool { return p.have[0] && p.have[1] && p.start[0] == p.start[1] }

// samples are the unsettled activity points of one engine of one device, with
// the last settled point of each kind as anchor.
type samples struct {
	gauges timeline[gaugePoint]
	pairs  timeline[pairPoint]
	lost   []sourceTime // points that lost to another source: it lives all the same
}

// sourceTime is a time at which a source said something.
type sourceTime struct {
	source string
	time   gpu.Time
}

// clear drops everything and returns how many points that were.
func (s *samples) clear() int {
	n := len(s.gauges) + len(s.pairs)
	*s = samples{}
	return n
}

// clearUntil drops the points at or before t and returns how many those were.
func (s *samples) clearUntil(t gpu.Time) int {
	n := s.gauges.after(t) + s.pairs.after(t)
	s.forgetLife(t)
	return n
}

// last returns the time of the newest sample of either kind at or before t.
func (s *samples) last(t gpu.Time) (last gpu.Time) {
	if i := s.lastPair(t); i >= 0 {
		last = s.pairs[i].time
	}
	if i := s.gauges.after(t) - 1; i >= 0 {
		last = max(last, s.gauges[i].time)
	}
	return last
}

// forgetLife drops the points of a life that ended at t.
func (s *samples) forgetLife(t gpu.Time) {
	s.gauges = s.gauges[s.gauges.after(t):]
	s.pairs = s.pairs[s.pairs.after(t):]
	s.forgetLost(t)
}

// forgetLost drops the sources that lost at or before t.
func (s *samples) forgetLost(t gpu.Time) {
	s.lost = slices.DeleteFunc(s.lost, func(p sourceTime) bool { return p.time <= t })
}

// forgetBefore bounds what is kept of time that isn't settled: it drops the
// points before the last ones at or before t.
func (s *samples) forgetBefore(t gpu.Time) {
	s.gauges.forget(t)
	s.pairs.forget(t)
	s.forgetLost(t)
}

// lose remembers the source of a point of which nothing else is kept.
func (s *samples) lose(source, winner string, t gpu.Time) {
	if p := (sourceTime{source, t}); source != winner && !slices.Contains(s.lost, p) {
		s.lost = append(s.lost, p)
	}
}

func (s *samples) addGauge(p gaugePoint, counts *Counts) {
	i, found := s.gauges.find(p.time)
	if !found {
		s.gauges.insert(i, p)
		return
	}
	old := &s.gauges[i]
	counts.Points[collision(old.value == p.value)]++
	if p.value > old.value {
		s.lose(old.source, p.source, p.time)
		old.value, old.source = p.value, p.source
	} else {
		s.lose(p.source, old.source, p.time)
	}
}

func (s *samples) addCounter(c gpu.Counter, counts *Counts) {
	i, found := s.pairs.find(c.Time)
	if !found {
		s.pairs.insert(i, pairPoint{time: c.Time})
	}
	p := &s.pairs[i]
	if p.have[c.Part] {
		counts.Points[collision(p.start[c.Part] == c.Start && p.nanos[c.Part] == c.Nanos)]++
		s.lose(min(p.source, c.Source), max(p.source, c.Source), c.Time)
		if c.Nanos < p.nanos[c.Part] || c.Nanos == p.nanos[c.Part] && c.Start <= p.start[c.Part] {
			return
		}
	}
	p.have[c.Part], p.start[c.Part], p.nanos[c.Part] = true, c.Start, c.Nanos
	p.source = max(p.source, c.Source)
}

func collision(same bool) Reason {
	if same {
		return Duplicate
	}
	return Conflict
}

// lastPair returns the index of the newest complete pair at or before k.
func (s *samples) lastPair(k gpu.Time) int {
	i := s.pairs.after(k) - 1
	for i >= 0 && !s.pairs[i].complete() {
		i--
	}
	return i
}

// pairsInForce reports whether, of the samples up to until, sums and not gauges
// are the evidence at step k.
func (s *samples) pairsInForce(until, k gpu.Time, maxGap time.Duration) bool {
	i := s.lastPair(until)
	if i < 0 {
		return false
	}
	newest := s.pairs[i].time
	g := s.gauges.after(until) - 1
	return k.Sub(newest) <= maxGap || g < 0 || s.gauges[g].time <= newest
}

// newest returns the time of the newest known sample of the kind in force.
func (s *samples) newest(k gpu.Time, maxGap time.Duration) (gpu.Time, bool) {
	if s.pairsInForce(k, k, maxGap) {
		return s.pairs[s.lastPair(k)].time, true
	}
	if i := s.gauges.after(k) - 1; i >= 0 {
		return s.gauges[i].time, true
	}
	return gpu.NoTime, false
}

// first returns the time of the first known sample of either kind after t, or
// Forever.
func (s *samples) first(t, k gpu.Time) gpu.Time {
	first := gpu.Forever
	if i := s.gauges.after(t); i < len(s.gauges) {
		first = s.gauges[i].time
	}
	for _, p := range s.pairs[s.pairs.after(t):] {
		if p.complete() {
			first = min(first, p.time)
			break
		}
	}
	if first > k {
		return gpu.Forever
	}
	return first
}

// wholeIntervals cuts t back to the earlier of two samples up to until if it
// lies strictly between them.
func (s *samples) wholeIntervals(t, until, k gpu.Time, maxGap time.Duration) gpu.Time {
	if !s.pairsInForce(until, k, maxGap) {
		i := s.gauges.after(t)
		if i > 0 && i < len(s.gauges) && s.gauges[i].time <= until {
			return s.gauges[i-1].time
		}
		return t
	}
	i := s.lastPair(t)
	if i >= 0 && i < s.lastPair(until) {
		return s.pairs[i].time
	}
	return t
}

// forget drops what is settled up to t, but for the anchors. It counts the
// points that were no evidence.
func (s *samples) forget(t, until, k gpu.Time, maxGap time.Duration, counts *Counts) {
	s.forgetLost(t)
	pairs := s.pairsInForce(until, k, maxGap)
	if n := s.gauges.forget(t); pairs {
		counts.Points[Shadowed] += uint64(n)
	}
	anchor, i := s.lastPair(t), -1
	s.pairs = slices.DeleteFunc(s.pairs, func(p pairPoint) bool {
		if i++; p.time > t || i == anchor {
			return false
		}
		if !p.complete() {
			counts.Points[Unpaired]++
		}
		return true
	})
}
