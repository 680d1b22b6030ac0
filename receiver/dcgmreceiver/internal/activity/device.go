// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package activity

import (
	"cmp"
	"slices"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/sample"
)

// Counts is what happened besides.
type Counts struct {
	Dropped  map[sample.Drop]int64
	Clamped  int64 // ratios above 1
	Switches int64 // of source
	Stuck    int64 // times that profiling was found to be stuck at 0
	Resets   int64 // of cycle counters
}

// Device adds up what is said of one entity. Not for concurrent use.
type Device struct {
	config Config
	meters [engines]*meter
	cycles [engines]cycles
	counts Counts
}

// NewDevice returns the account of an entity: of a board that isn't in MIG
// mode, or of a compute instance.
func NewDevice(c Config, kind sample.Kind) *Device {
	d := &Device{config: c, counts: Counts{Dropped: map[sample.Drop]int64{}}}
	for _, l := range ladders(kind) {
		d.meters[l.engine] = newMeter(c, l.engine, l.sources, l.check, &d.counts)
	}
	return d
}

// Measures reports whether Observe reads a field.
func Measures(f sample.Field) bool {
	_, _, ratio := ratioOf(f)
	_, count := cyclesOf(f)
	return ratio || count || f == sample.CyclesElapsed
}

// Counts returns what happened so far.
func (d *Device) Counts() Counts { return d.counts }

// Observe adds samples that were read at a time, µs since 1970, and sorts
// them by time. Of the fields that measure something else it takes none.
func (d *Device) Observe(samples []sample.Raw, read int64) {
	slices.SortStableFunc(samples, func(a, b sample.Raw) int {
		return cmp.Or(cmp.Compare(a.Micros, b.Micros), cmp.Compare(a.Field, b.Field))
	})
	for _, r := range samples {
		if Measures(r.Field) {
			d.observe(r, sample.Window{After: 0, Until: read})
		}
	}
}

func (d *Device) observe(r sample.Raw, w sample.Window) {
	v, drop := sample.Check(r, w)
	if drop != sample.Kept {
		d.counts.Dropped[drop]++
	}
	if v.Clamped {
		d.counts.Clamped++
	}
	if engine, source, ok := ratioOf(r.Field); ok {
		d.ratio(engine, source, r.Micros, v, drop)
		return
	}
	if drop == sample.Kept {
		d.count(r.Field, reading{r.Micros * int64(time.Microsecond), v.Int})
	}
}

func (d *Device) ratio(e Engine, s Source, micros int64, v sample.Value, drop sample.Drop) {
	m := d.meters[e]
	k := m.rung(s)
	at := micros * int64(time.Microsecond)
	switch {
	case k < 0: // an instance has no such source
	case drop == sample.Kept:
		m.value(k, at, v.Float)
	case drop != sample.Stale && drop != sample.Future && drop != sample.NoData:
		m.unknown(k, at)
	}
}

// count takes a counter of cycles.
func (d *Device) count(f sample.Field, r reading) {
	engine, active := cyclesOf(f)
	for e := range d.cycles {
		k := d.meters[e].rung(Cycles)
		if k < 0 || active && Engine(e) != engine {
			continue
		}
		c := &d.cycles[e]
		newest := &c.elapsed
		if active {
			newest = &c.active
		}
		if r.at <= newest.at {
			d.counts.Dropped[sample.Stale]++
			return
		}
		*newest = r
		d.paired(k, c, d.meters[e])
	}
}

func (d *Device) paired(k int, c *cycles, m *meter) {
	began := c.base.elapsed.at != 0
	at, v, known, ok := c.ratio(d.config.Interval / 2)
	switch {
	case !ok:
	case !known:
		if began {
			d.counts.Resets++
		}
		m.unknown(k, at)
	default:
		if v > 1 {
			d.counts.Clamped++
		}
		m.value(k, at, min(v, 1))
	}
}

// rung returns the place of a source in the ladder, or -1.
func (m *meter) rung(s Source) int {
	return slices.IndexFunc(m.rungs, func(r rung) bool { return r.source == s })
}

// Points returns each series as it stands, and those that ended since the
// last call, in the order in which they ended.
func (d *Device) Points() []Point {
	var points []Point
	for _, m := range d.meters {
		points = m.points(points)
	}
	return points
}

// Pause says that nobody takes samples from now on, until the next one: no
// sample speaks for the time across. The series go on.
func (d *Device) Pause() {
	for e, m := range d.meters {
		m.pause()
		d.cycles[e] = cycles{}
	}
}

// End ends every series: the entity is gone. Points tells them once more.
func (d *Device) End() {
	for e, m := range d.meters {
		m.end()
		d.cycles[e] = cycles{}
	}
}
