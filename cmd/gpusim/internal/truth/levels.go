// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package truth

import (
	"cmp"
	"slices"
	"sort"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/watch"
	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/world"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// level is a value from a time on.
type level[V any] struct {
	time  gpu.Time
	value V
}

// levels is in force from each time until the next, for maxAge at most.
type levels[V any] struct {
	all    []level[V] // by time
	maxAge time.Duration
}

// told returns what the collections tell that read says is read. Of two values
// of one time, wins tells whether the first counts.
func told[V any](n *node, read func(watch.Tick) (V, bool), wins func(v, o V) bool) levels[V] {
	var all []level[V]
	for _, t := range n.Ticks {
		if v, ok := read(t); ok {
			all = append(all, level[V]{t.Told, v})
		}
	}
	slices.SortStableFunc(all, func(a, b level[V]) int { return cmp.Compare(a.time, b.time) })
	l := levels[V]{maxAge: n.rules.MaxGap}
	for _, p := range all {
		switch last := len(l.all) - 1; {
		case last < 0 || l.all[last].time != p.time:
			l.all = append(l.all, p)
		case wins(p.value, l.all[last].value):
			l.all[last] = p
		}
	}
	return l
}

// after returns what is in force right after t, for less than maxAge.
func (l levels[V]) after(t gpu.Time) (v V, ok bool) {
	if i := l.at(t); i >= 0 && t.Sub(l.all[i].time) < l.maxAge {
		return l.all[i].value, true
	}
	return v, false
}

// newest returns the newest value at t, if it isn't older than maxAge.
func (l levels[V]) newest(t gpu.Time) (v V, ok bool) {
	if i := l.at(t); i >= 0 && t.Sub(l.all[i].time) <= l.maxAge {
		return l.all[i].value, true
	}
	return v, false
}

func (l levels[V]) at(t gpu.Time) int {
	return sort.Search(len(l.all), func(i int) bool { return l.all[i].time > t }) - 1
}

// cuts appends the times at which what is in force changes.
func (l levels[V]) cuts(cuts []gpu.Time) []gpu.Time {
	for _, p := range l.all {
		cuts = append(cuts, p.time, p.time.Add(l.maxAge))
	}
	return cuts
}

// exists reports whether there is something to be told of the device.
func (d *device) exists(t watch.Tick) bool { return d.Life.From <= t.Real && t.Real <= d.Life.To }

// closed returns why the device can't be given to a pod: NoReason if it can.
// An observer that sees everything sees it at every instant.
func (d *device) closed() levels[gpu.Reason] {
	if !d.node.Settings.Ideal {
		return told(d.node,
			func(t watch.Tick) (gpu.Reason, bool) { return d.ClosedAt(t.Real), d.exists(t) && d.node.HasSet(t) },
			func(r, o gpu.Reason) bool { return r != gpu.NoReason && (o == gpu.NoReason || r < o) })
	}
	var spans []world.Span
	for _, c := range d.Closed {
		spans = append(spans, c.Span)
	}
	return always(spans, func(t gpu.Time) gpu.Reason { return d.ClosedAt(t) })
}

// failed returns whether the device is said to have failed.
func (d *device) failed() levels[bool] {
	if !d.node.Settings.Ideal {
		return told(d.node,
			func(t watch.Tick) (bool, bool) {
				return world.Within(d.Lost, t.Real), d.exists(t) && d.node.HasEngine(t)
			},
			func(failed, _ bool) bool { return failed })
	}
	return always(d.Lost, func(t gpu.Time) bool { return world.Within(d.Lost, t) })
}

// used returns the memory of the device.
func (d *device) used() levels[uint64] {
	return told(d.node, func(t watch.Tick) (uint64, bool) {
		return d.MemoryAt(t.Real), d.exists(t) && d.node.HasEngine(t) && !world.Within(d.Lost, t.Real)
	}, func(bytes, o uint64) bool { return bytes > o })
}

// always returns what is so in spans, with the value right after each time.
func always[V any](spans []world.Span, value func(gpu.Time) V) levels[V] {
	l := levels[V]{maxAge: 1 << 62}
	for _, s := range spans {
		l.all = append(l.all, level[V]{s.From, value(s.From + 1)}, level[V]{s.To, value(s.To + 1)})
	}
	slices.SortStableFunc(l.all, func(a, b level[V]) int { return cmp.Compare(a.time, b.time) })
	return l
}
