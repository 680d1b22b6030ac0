// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// outputPoint is a point of one series of an application metric.
type outputPoint struct {
	time, start gpu.Time
	value       float64
	ended       bool
}

func (p outputPoint) at() gpu.Time { return p.time }

// larger is the order in which one of two points for the same time wins.
func (p outputPoint) larger(o outputPoint) bool {
	switch {
	case p.ended != o.ended:
		return o.ended // a value beats the end of the series
	case p.value != o.value:
		return p.value > o.value
	default:
		return p.start > o.start
	}
}

// riseSince returns how much the counter rose from the value before to p: after
// a reset, p counts from 0. That a series ended in between is no reset: a scrape
// that failed ends it, too. Neither is a start at p's own time: that is how OTLP
// says that it isn't known.
func (p outputPoint) riseSince(before outputPoint) float64 {
	restarted := p.start != before.start && p.start >= before.time && p.start != p.time
	if restarted || p.value < before.value {
		return p.value
	}
	return p.value - before.value
}

// outputStream is one application metric of one pod. Points that name a group
// aren't of one stream with points that don't.
type outputStream struct {
	profile gpu.OutputProfile
	join    joinKey
	group   string
	series  map[string]*timeline[outputPoint]
	newest  gpu.Time // of all points that arrived, known or not
	counted gpu.Time // its rises up to here are in an output total
	late    gpu.Time // so were those of its pod up to here when it began
}

// add stores a point of a series.
func (s *outputStream) add(series string, p outputPoint, counts *Counts) {
	points := s.series[series]
	i, found := points.find(p.time)
	switch {
	case found:
		old := &(*points)[i]
		counts.Points[collision(*old == p)]++
		if p.larger(*old) {
			*old = p
		}
	default:
		points.insert(i, p)
	}
	s.newest = max(s.newest, p.time)
}

// progress returns the time of the newest known value, NoTime if there is none.
func (s *outputStream) progress(k gpu.Time) (newest gpu.Time) {
	for _, points := range s.series {
		if p, ok := valueBefore(*points, points.after(k)); ok {
			newest = max(newest, p.time)
		}
	}
	return newest
}

// known reports whether a point is known at step k.
func (s *outputStream) known(k gpu.Time) bool {
	for _, points := range s.series {
		if points.after(k) > 0 {
			return true
		}
	}
	return false
}

// mark is a value that had one before it in its series: it shows whether the
// counter rose.
type mark struct {
	time gpu.Time
	rise float64
	gap  time.Duration // since the point before
}

// eachMark calls f for every known mark later than from.
func (s *outputStream) eachMark(from, k gpu.Time, f func(mark)) {
	for _, points := range s.series {
		for i := points.after(from); i < len(*points) && (*points)[i].time <= k; i++ {
			q := (*points)[i]
			if p, ok := valueBefore(*points, i); ok && !q.ended {
				f(mark{q.time, q.riseSince(p), q.time.Sub((*points)[i-1].time)})
			}
		}
	}
}

// valueBefore returns the newest point before points[i] that has a value.
func valueBefore(points timeline[outputPoint], i int) (outputPoint, bool) {
	if i = lastValue(points, i); i < 0 {
		return outputPoint{}, false
	}
	return points[i], true
}

// lastValue returns the index of the newest point before points[i] that has a
// value, -1 if there is none.
func lastValue(points timeline[outputPoint], i int) int {
	for i--; i >= 0 && points[i].ended; i-- {
	}
	return i
}

// above reports whether the newest value of a series at t, at most maxAge old,
// is above 0.
func (s *outputStream) above(t, k gpu.Time, maxAge time.Duration) bool {
	for _, points := range s.series {
		i := points.after(min(t, k)) - 1
		if i < 0 {
			continue
		}
		if p := (*points)[i]; !p.ended && p.value > 0 && t.Sub(p.time) <= maxAge {
			return true
		}
	}
	return false
}
