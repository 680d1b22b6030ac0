// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package hardware

import (
	"maps"
	"slices"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/catalog"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/sample"
)

// Sum is a series as it stands at Time. Times are in µs since 1970.
type Sum struct {
	Row         *catalog.Row
	XID         int64 // of an event: its code; else 0
	Start, Time int64
	Value       float64 // in the base unit of its metric
	Whole       int64   // the same of a counter whose unit is that of its metric
}

// Device adds up what counts on one device. Not for concurrent use.
type Device struct {
	maxGap int64 // µs: the longest time that a sample of a rate speaks for
	begin  int64 // µs
	newest int64 // µs
	sums   []*sum
	of     map[sample.Field][]place
	events *catalog.Row
	xids   map[int64]int64 // how often, by code
	resets int64
}

// place is where a field is a source.
type place struct {
	sum *sum
	k   int
}

// NewDevice returns a device that nothing is known of before begin, µs since
// 1970, and whose samples are taken every interval.
func NewDevice(interval time.Duration, begin int64) *Device {
	d := &Device{maxGap: 3 * interval.Microseconds(), begin: begin, of: map[sample.Field][]place{}, xids: map[int64]int64{}}
	rows := catalog.Rows()
	for i := range rows {
		row := &rows[i]
		switch row.Sources[0].Use {
		case catalog.Events:
			d.events = row
		case catalog.Growth, catalog.Integral:
			s := newSum(row)
			d.sums = append(d.sums, s)
			for k, source := range row.Sources {
				d.of[source.Field] = append(d.of[source.Field], place{s, k})
			}
		default: // nothing to add up
		}
	}
	return d
}

// Observe takes a sample that was checked: a value, or why it isn't one.
func (d *Device) Observe(r sample.Raw, v sample.Value, drop sample.Drop) {
	if drop == sample.Kept {
		d.newest = max(d.newest, r.Micros)
	}
	for _, p := range d.of[r.Field] {
		switch drop {
		case sample.Kept:
			if p.sum.value(p.k, r.Micros, v, d.maxGap) {
				d.resets++
			}
		case sample.Stale, sample.Future, sample.NoData: // says nothing of its time
		default:
			p.sum.unknown(p.k, r.Micros, drop == sample.NotSupported)
		}
	}
}

// XID takes an error that wasn't told before.
func (d *Device) XID(code int64) { d.xids[code]++ }

// Pause says that nobody takes samples from now on, until the next one.
func (d *Device) Pause() {
	for _, s := range d.sums {
		s.pause()
	}
}

// Resets returns how many counters began anew.
func (d *Device) Resets() int64 { return d.resets }

// Sums returns every series. The errors by their code are known up to the
// newest sample of anything.
func (d *Device) Sums() []Sum {
	var all []Sum
	for _, s := range d.sums {
		if s.current >= 0 {
			all = append(all, s.told())
		}
	}
	for _, code := range slices.Sorted(maps.Keys(d.xids)) {
		n := d.xids[code]
		all = append(all, Sum{Row: d.events, XID: code, Start: d.begin, Time: max(d.newest, d.begin+1), Value: float64(n), Whole: n})
	}
	return all
}
