// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package session

import (
	"maps"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/activity"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/hardware"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/sample"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/topology"
)

// Gauge is the newest value of a field.
type Gauge struct {
	Value  sample.Value
	Micros int64 // when it was taken
}

// XID is an error that a GPU reported.
type XID struct {
	Code   int64
	Micros int64
}

// Account is what is known of a device.
type Account struct {
	Device topology.Device
	Ended  bool // it is gone: this is told once
	Points []activity.Point
	Gauges map[sample.Field]Gauge
	XIDs   []XID // since the last call of Read
	Sums   []hardware.Sum
	Drops  map[sample.Drop]int64
	Counts activity.Counts // those of Points; its Dropped is in Drops
	Newest int64           // µs: when the newest value was taken
}

type account struct {
	device   topology.Device
	activity *activity.Device // nil of a board in MIG mode: its parts tell
	hardware *hardware.Device
	gauges   map[sample.Field]Gauge
	drops    map[sample.Drop]int64
	lastXID  int64 // µs; what was before the account isn't told
	xids     []XID
	newest   int64
}

func newAccount(d topology.Device, interval time.Duration) *account {
	now := time.Now().UnixMicro()
	a := &account{
		device: d, gauges: map[sample.Field]Gauge{}, drops: map[sample.Drop]int64{}, lastXID: now, hardware: hardware.NewDevice(interval, now),
	}
	if !d.MIG {
		a.activity = activity.NewDevice(activity.DefaultConfig(interval), d.Entity.Kind)
	}
	return a
}

// observe takes the samples of one read.
func (a *account) observe(samples []sample.Raw, read int64) {
	if a.activity != nil {
		a.activity.Observe(samples, read)
	}
	for _, r := range samples {
		known := a.gauges[r.Field]
		if activity.Measures(r.Field) {
			known.Micros = 0 // whether it is stale is decided, and counted, above
		}
		v, drop := sample.Check(r, sample.Window{After: known.Micros, Until: read})
		a.hardware.Observe(r, v, drop)
		switch {
		case drop == sample.Kept && r.Field == sample.XID:
			a.xid(XID{v.Int, r.Micros})
		case drop == sample.Kept:
			a.gauges[r.Field] = Gauge{v, max(r.Micros, a.gauges[r.Field].Micros)}
			a.newest = max(a.newest, r.Micros)
		case !activity.Measures(r.Field):
			a.drops[drop]++
		}
		if drop == sample.Blank || drop == sample.NotSupported || drop == sample.Failed {
			delete(a.gauges, r.Field) // what it was isn't what it is
		}
	}
}

// xid notes an error. DCGM gives the last one for ever: only a newer time is a
// new one, also if it is of the same code.
func (a *account) xid(x XID) {
	if x.Micros > a.lastXID {
		a.lastXID = x.Micros
		a.xids = append(a.xids, x)
		a.hardware.XID(x.Code)
	}
}

func (a *account) pause() {
	if a.activity != nil {
		a.activity.Pause()
	}
	a.hardware.Pause()
	clear(a.gauges)
}

// read returns the account as it stands.
func (a *account) read() Account {
	out := Account{
		Device: a.device, Gauges: maps.Clone(a.gauges), XIDs: a.xids, Sums: a.hardware.Sums(),
		Drops: map[sample.Drop]int64{}, Newest: a.newest,
	}
	a.xids = nil
	maps.Copy(out.Drops, a.drops)
	if a.activity != nil {
		out.Points, out.Counts = a.activity.Points(), a.activity.Counts()
		for d, n := range out.Counts.Dropped {
			out.Drops[d] += n
		}
		out.Counts.Dropped = nil
	}
	out.Counts.Resets += a.hardware.Resets()
	return out
}

func (a *account) end() Account {
	if a.activity != nil {
		a.activity.End()
	}
	out := a.read()
	out.Ended = true
	return out
}
