// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package feed

import (
	"slices"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/watch"
	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/world"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// Collector is what has to be known of a collector to end a feed.
type Collector struct {
	MaxGap time.Duration
	Settle time.Duration
}

// Delivery is a batch that arrives at a real time.
type Delivery struct {
	Real  gpu.Time
	Batch gpu.Batch
}

// Walk returns the next delivery, and false after the last.
type Walk func() (Delivery, bool)

// Node returns a walk over what arrives of a node. It keeps what has to be
// known to make the next batch, and makes nothing before it is called.
func Node(n *watch.Node, c Collector) Walk {
	var f *feed
	return func() (Delivery, bool) {
		if f == nil {
			f = newFeed(n, c)
		}
		return f.next()
	}
}

// feed is a node that is being told of.
type feed struct {
	*watch.Node
	collector Collector
	devices   []*device
	pods      []*pod
	ticks     int    // that were collected
	held      []held // collected, not delivered, in order of delivery
	ending    []Delivery
	ended     bool
}

// held is a batch that is delivered with the one of tick due.
type held struct {
	due   int
	batch gpu.Batch
}

func newFeed(n *watch.Node, c Collector) *feed {
	f := &feed{Node: n, collector: c}
	for _, d := range n.Devices {
		f.devices = append(f.devices, newDevice(n, d))
	}
	for _, p := range n.Pods {
		f.pods = append(f.pods, newPod(n, p))
	}
	return f
}

func (f *feed) next() (Delivery, bool) {
	for f.ticks < len(f.Ticks) && (len(f.held) == 0 || f.held[0].due >= f.ticks) {
		f.hold(f.ticks, f.collect(f.ticks))
		f.ticks++
	}
	if len(f.held) > 0 {
		first := f.held[0]
		f.held = f.held[1:]
		return Delivery{f.Ticks[min(first.due, len(f.Ticks)-1)].Real, first.batch}, true
	}
	if !f.ended {
		f.ending, f.ended = f.end(), true
	}
	if len(f.ending) == 0 {
		return Delivery{}, false
	}
	first := f.ending[0]
	f.ending = f.ending[1:]
	return first, true
}

// hold puts the batch of tick i where it is delivered. A second copy comes one
// batch after the first.
func (f *feed) hold(i int, b gpu.Batch) {
	late, twice := 0, false
	for _, h := range f.Hitches {
		if h.Has(f.Ticks[i].Real) {
			late, twice = max(late, h.Late), twice || h.Twice
		}
	}
	f.insert(held{i + late, b})
	if twice {
		f.insert(held{i + late + 1, b})
	}
}

func (f *feed) insert(h held) {
	at := len(f.held)
	for at > 0 && f.held[at-1].due > h.due {
		at--
	}
	f.held = slices.Insert(f.held, at, h)
}

// collect returns what the collection of tick i tells.
func (f *feed) collect(i int) gpu.Batch {
	var b gpu.Batch
	t := f.Ticks[i]
	for _, d := range f.devices {
		f.points(d, i, &b)
		switch {
		case !f.HasEngine(t):
		case exists(d.Device, t.Real):
			f.condition(d, t, &b)
		case t.Real > d.Life.To && !d.gone && d.newest != gpu.NoTime: // an instance is missed
			b.SeriesEnds = append(b.SeriesEnds, seriesEnd(d, d.newest))
			d.gone = true
		}
	}
	if f.HasSet(t) {
		f.set(i, &b)
	}
	for _, p := range f.pods {
		f.outputs(p, i, &b)
	}
	return b
}

// exists reports whether there is something to be read of a device at t.
func exists(d *world.Device, t gpu.Time) bool { return d.Life.From <= t && t <= d.Life.To }
