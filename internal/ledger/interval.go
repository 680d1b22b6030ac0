// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// interval is the time between two samples, with what was seen in it.
type interval struct {
	from, to gpu.Time
	seen     running
}

func (iv interval) length() int64 { return int64(iv.to - iv.from) }

// running spreads observed and active time evenly over length nanoseconds.
// 0 ≤ active ≤ observed ≤ length. Values are differences of its running sums,
// so that no cut changes a total.
type running struct {
	length, observed, active int64
	gauge                    bool    // ratio is exact, observed is length
	ratio                    float64 // of activity, in [0, 1]
}

// observedAt returns the observed time in the first x nanoseconds.
func (r running) observedAt(x int64) int64 {
	if r.observed == 0 {
		return 0
	}
	return scale(r.observed, x, r.length)
}

// activeAt returns the active time in the first x nanoseconds.
func (r running) activeAt(x int64) int64 {
	if r.gauge {
		return floorProduct(r.ratio, x)
	}
	if r.active == 0 {
		return 0
	}
	return scale(r.active, r.observedAt(x), r.observed)
}

// below reports whether time was observed and its activity is below threshold.
func (r running) below(threshold float64) bool {
	if r.gauge {
		return r.ratio < threshold
	}
	return r.observed > 0 && belowProduct(r.active, threshold, r.observed)
}

// lasting returns r spread over length, for a device that has only that part of
// the interval.
func (r running) lasting(length int64) running {
	if length == r.length {
		return r
	}
	w := running{length: length, gauge: r.gauge, ratio: r.ratio}
	if w.observed = length; !r.gauge {
		w.observed = scale(r.observed, length, r.length)
	}
	if r.observed > 0 {
		w.active = scale(r.active, w.observed, r.observed)
	}
	return w
}

// within narrows r to the held time of its interval, and returns the foreign
// part with it: the active time that doesn't fit into held time.
func (r running) within(held int64) (inside running, foreign int64) {
	if held == r.length {
		return r, 0
	}
	active := r.activeAt(r.length)
	inside = running{length: held}
	if held > 0 {
		inside.observed = scale(r.observed, held, r.length)
	}
	inside.active = min(active, inside.observed)
	return inside, active - inside.active
}

// intervals appends the intervals that speak for time in t, of the samples up to
// until; the kind in force is that of step k. With whole, an interval that
// begins before t says nothing.
func (s *samples) intervals(
	into []interval, t span, until, k gpu.Time, whole bool, maxGap time.Duration, counts *Counts,
) []interval {
	if s.pairsInForce(until, k, maxGap) {
		return s.pairIntervals(into, t, until, whole, maxGap, counts)
	}
	for i := max(s.gauges.after(t.from), 1); i < len(s.gauges) && s.gauges[i].time <= until; i++ {
		p, q := s.gauges[i-1], s.gauges[i]
		if p.time >= t.to {
			break
		}
		if q.time.Sub(p.time) > maxGap && planted != plantedGap || whole && p.time < t.from {
			continue
		}
		length := int64(q.time - p.time)
		seen := running{length: length, observed: length, gauge: true, ratio: q.value}
		into = append(into, interval{from: p.time, to: q.time, seen: seen})
	}
	return into
}

func (s *samples) pairIntervals(
	into []interval, t span, until gpu.Time, whole bool, maxGap time.Duration, counts *Counts,
) []interval {
	last := -1
	for i, q := range s.pairs {
		if !q.complete() || q.time > until {
			continue
		}
		if last >= 0 && q.time > t.from && s.pairs[last].time < t.to {
			iv, ok := pairInterval(s.pairs[last], q, counts)
			known := q.time.Sub(s.pairs[last].time) <= maxGap || planted == plantedGap
			if ok && known && (!whole || iv.from >= t.from) {
				into = append(into, iv)
			}
		}
		last = i
	}
	return into
}

// pairInterval returns what the sum pair q says after the pair p.
func pairInterval(p, q pairPoint, counts *Counts) (interval, bool) {
	iv := interval{from: p.time, to: q.time}
	active, observed := q.nanos[gpu.ActivityPart], q.nanos[gpu.ObservedPart]
	switch start := q.start[0]; {
	case start == p.start[0]:
		active -= p.nanos[gpu.ActivityPart]
		observed -= p.nanos[gpu.ObservedPart]
	case start >= p.time && start < q.time:
		iv.from = start
	default:
		counts.Points[CounterReset]++
		return iv, false
	}
	if active < 0 || observed < 0 {
		counts.Points[CounterReset]++
		return iv, false
	}
	length := iv.length()
	if observed > length || active > min(observed, length) {
		counts.Trimmed++
	}
	observed = min(observed, length)
	iv.seen = running{length: length, observed: observed, active: min(active, observed)}
	return iv, true
}
