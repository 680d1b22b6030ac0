// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package truth

import (
	"cmp"
	"slices"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/watch"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// span is the time (from, to].
type span struct{ from, to gpu.Time }

func (s span) covers(p span) bool { return s.from <= p.from && p.to <= s.to }

// interval is the time between two points of a device, or one of which no
// point speaks (seen is nil).
type interval struct {
	span
	seen      *seen
	processes []watch.Process
}

// points returns a walk over the points of a device, in the order of their
// told times.
func (d *device) points() func() (watch.Point, bool) {
	walk := d.node.Points(d.Device)
	if d.node.Settings.Ideal || len(d.node.Clock) == 0 {
		return walk
	}
	var all []watch.Point
	for p, ok := walk(); ok; p, ok = walk() {
		all = append(all, p)
	}
	slices.SortStableFunc(all, func(a, b watch.Point) int { return cmp.Compare(a.Time, b.Time) })
	var points []watch.Point
	for _, p := range all {
		if n := len(points); n > 0 && points[n-1].Time == p.Time {
			points[n-1] = larger(points[n-1], p)
			continue
		}
		points = append(points, p)
	}
	return func() (p watch.Point, ok bool) {
		if len(points) == 0 {
			return p, false
		}
		p, points = points[0], points[1:]
		return p, true
	}
}

// larger returns what counts of two points of one time: of each value the larger.
func larger(p, q watch.Point) watch.Point {
	if q.Active > p.Active || q.Active == p.Active && q.Start > p.Start {
		p.Start = q.Start // both sums are, or the clock was set back over an outage
	}
	p.Active, p.Observed = max(p.Active, q.Active), max(p.Observed, q.Observed)
	p.Value = max(p.Value, q.Value)
	processes := slices.Clone(p.Processes)
	for _, o := range q.Processes {
		i := slices.IndexFunc(processes, func(p watch.Process) bool { return p.Pod == o.Pod })
		if i < 0 {
			processes = append(processes, o)
		} else {
			processes[i].Value = max(processes[i].Value, o.Value)
		}
	}
	p.Processes = processes
	return p
}

// intervals calls f for all that the device's points say, in order of time,
// without gap.
func (d *device) intervals(f func(interval)) {
	unseen := func(from, to gpu.Time) {
		if from < to {
			f(interval{span: span{from, to}})
		}
	}
	at, next := d.open, d.points()
	before, more := next()
	for more && before.Time <= d.end {
		var p watch.Point
		if p, more = next(); !more || p.Time > d.end {
			break
		}
		if iv, ok := d.between(before, p); ok {
			unseen(at, iv.from)
			f(iv)
			at = iv.to
		}
		before = p
	}
	unseen(at, d.end)
}

// between returns what two points tell.
func (d *device) between(p, q watch.Point) (interval, bool) {
	iv := interval{span: span{p.Time, q.Time}, processes: q.Processes}
	if q.Time.Sub(p.Time) > d.node.rules.MaxGap {
		return iv, false
	}
	if d.node.Settings.Gauges {
		length := int64(q.Time - p.Time)
		iv.seen = &seen{length: length, observed: length, gauge: true, value: q.Value}
		return iv, true
	}
	observed, active := q.Observed, q.Active
	switch {
	case q.Start == p.Start:
		observed, active = observed-p.Observed, active-p.Active
	case p.Time <= q.Start && q.Start < q.Time:
		iv.from = q.Start
	default:
		return iv, false
	}
	if observed < 0 || active < 0 {
		return iv, false
	}
	length := int64(iv.to - iv.from)
	observed = min(observed, length)
	iv.seen = &seen{length: length, observed: observed, active: min(active, observed)}
	return iv, true
}

// gap reports whether it is too long from t to u to say anything.
func (n *node) gap(t, u gpu.Time) bool { return u.Sub(t) > n.rules.MaxGap }

// step is the step in which what is told for t is known: the next whole second.
// An ideal observer knows it at once.
func (n *node) step(t gpu.Time) gpu.Time {
	const second = gpu.Time(time.Second)
	if n.Settings.Ideal {
		return t
	}
	return (t + second - 1) / second * second
}
