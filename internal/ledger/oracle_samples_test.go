// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger_test

import (
	"math/big"
	"slices"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// evidence is what one sample says of an interval.
type evidence struct {
	span

	speaks   bool // false: no sample speaks
	gauge    bool
	value    float64 // of a gauge
	length   int64   // L
	observed int64   // ΔO
	active   int64   // ΔA of a pair
}

type oraclePoint struct {
	time  gpu.Time
	gauge *gpu.Sample
	pair  *oraclePair
}

// points returns the sample points of the kind in force at k.
func (o *oracle) points(d *oracleDevice, k gpu.Time) []oraclePoint {
	var gauges, pairs []oraclePoint
	for i := range d.gauges {
		if t := d.gauges[i].Time; d.since < t && t <= min(k, d.end) {
			gauges = append(gauges, oraclePoint{time: t, gauge: &d.gauges[i]})
		}
	}
	for i := range d.pairs {
		if t := d.pairs[i].time; d.since < t && t <= min(k, d.end) {
			pairs = append(pairs, oraclePoint{time: t, pair: &d.pairs[i]})
		}
	}
	if len(pairs) == 0 {
		return gauges
	}
	newest := pairs[len(pairs)-1].time
	if !o.gap(newest, k) || len(gauges) == 0 || gauges[len(gauges)-1].time <= newest {
		return pairs
	}
	return gauges
}

// evidences returns the intervals of which the points known at k say something.
func (o *oracle) evidences(d *oracleDevice, k gpu.Time) []evidence {
	return slices.DeleteFunc(o.allEvidences(d, k), func(ev evidence) bool { return ev.from < d.f })
}

// allEvidences returns also those into which F was moved.
func (o *oracle) allEvidences(d *oracleDevice, k gpu.Time) []evidence {
	var evs []evidence
	points := o.points(d, k)
	for i := 1; i < len(points); i++ {
		p, q := points[i-1], points[i]
		if o.gap(p.time, q.time) {
			continue
		}
		if q.gauge != nil {
			evs = append(evs, evidence{
				span: span{p.time, q.time}, speaks: true, gauge: true, value: q.gauge.Value,
				observed: int64(q.time - p.time),
			})
			continue
		}
		if ev, ok := pairEvidence(p.pair, q.pair); ok {
			evs = append(evs, ev)
		}
	}
	for i := range evs {
		d.weigh(&evs[i])
	}
	return evs
}

// weigh says what is observed in the device's own time: that of a partition is
// a part of the board's.
func (d *oracleDevice) weigh(ev *evidence) {
	ev.length = d.w(ev.span)
	observed := mulDiv(ev.observed, ev.length, ev.len())
	ev.active = mulDiv(ev.active, observed, ev.observed)
	ev.observed = observed
}

func pairEvidence(p, q *oraclePair) (evidence, bool) {
	ev := evidence{span: span{p.time, q.time}, speaks: true, observed: q.observed - p.observed, active: q.active - p.active}
	switch {
	case q.start == p.start:
		if ev.observed < 0 || ev.active < 0 {
			return ev, false
		}
	case q.start >= p.time:
		ev = evidence{span: span{q.start, q.time}, speaks: true, observed: q.observed, active: q.active}
	default:
		return ev, false
	}
	ev.observed = min(ev.observed, ev.len())
	ev.active = min(ev.active, ev.observed)
	return ev, ev.len() > 0
}

// o returns O(x), the observed time x ns into the interval.
func (ev evidence) o(x int64) int64 { return mulDiv(ev.observed, x, ev.length) }

// a returns A(x), the active time x ns into the interval.
func (ev evidence) a(x int64) int64 {
	if !ev.gauge {
		return mulDiv(ev.active, ev.o(x), ev.observed)
	}
	exact := new(big.Rat).SetFloat64(ev.value)
	exact.Mul(exact, new(big.Rat).SetInt64(x))
	return new(big.Int).Quo(exact.Num(), exact.Denom()).Int64()
}

// mulDiv returns ⌊a·b/c⌋, and 0 if c is 0.
func mulDiv(a, b, c int64) int64 {
	if c == 0 {
		return 0
	}
	product := new(big.Int).Mul(big.NewInt(a), big.NewInt(b))
	return product.Quo(product, big.NewInt(c)).Int64()
}
