// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Package points says what was added up in the words of the ledger's contract.
// Pure: no pdata, no clock.
package points

import (
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/activity"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/catalog"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/engine"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/sample"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/session"
)

// Writer makes batches of one node. It tells each point once.
type Writer struct {
	node, cluster string
	told          map[key]gpu.Time
	boards        map[gpu.DeviceID]gpu.Device // those in MIG mode
}

// key is a series of a device, or its memory.
type key struct {
	device gpu.DeviceID
	engine activity.Engine
	source activity.Source
	memory bool
	row    *catalog.Row // of a reading
	xid    int64
}

// NewWriter returns a Writer for a node of a cluster.
func NewWriter(node, cluster string) *Writer {
	return &Writer{node: node, cluster: cluster, told: map[key]gpu.Time{}, boards: map[gpu.DeviceID]gpu.Device{}}
}

// Batch returns what accounts say at a time. A point of activity has the time
// of its newest sample. What has no time of its own, whether a device is lost
// and how many parts a board has, has now, and is told only if the engine is up.
// The depths that the ledger doesn't account (fp64, …) are told by Readings.
func (w *Writer) Batch(accounts []session.Account, now gpu.Time, up bool) gpu.Batch {
	var b gpu.Batch
	for i := range accounts {
		a := &accounts[i]
		d := w.device(&a.Device)
		for _, p := range a.Points {
			w.point(&b, d, p)
		}
		if a.Ended {
			w.end(&b, d, now)
			continue
		}
		w.memory(&b, d, a)
		if up {
			w.condition(&b, d, a, now)
		}
	}
	return b
}

// engines of the ledger.
var engines = map[activity.Engine]gpu.Engine{
	activity.Any: gpu.EngineAny, activity.SM: gpu.EngineSM, activity.Tensor: gpu.EngineTensor, activity.DRAM: gpu.EngineDRAM,
}

// point adds the sums and the gauge of a series, if there is something new.
func (w *Writer) point(b *gpu.Batch, d gpu.Device, p activity.Point) {
	e, ok := engines[p.Engine]
	if !ok {
		return
	}
	k := key{device: d.ID, engine: p.Engine, source: p.Source}
	t, source := gpu.Time(p.Time), p.Source.String()
	if t > w.told[k] {
		w.told[k] = t
		c := gpu.Counter{Device: d, Engine: e, Source: source, Start: gpu.Time(p.Start), Time: t}
		active, observed := c, c
		active.Part, active.Nanos = gpu.ActivityPart, int64(p.Active)
		observed.Part, observed.Nanos = gpu.ObservedPart, int64(p.Observed)
		b.Counters = append(b.Counters, active, observed)
		if !p.Ended { // its gauge has no more to say than that
			b.Samples = append(b.Samples, gpu.Sample{Device: d, Engine: e, Source: source, Time: t, Value: p.Last})
		}
	}
	if p.Ended {
		delete(w.told, k)
		b.SeriesEnds = append(b.SeriesEnds, gpu.SeriesEnd{Device: d, Engine: e, Source: source, Time: t})
	}
}

func (w *Writer) memory(b *gpu.Batch, d gpu.Device, a *session.Account) {
	g, ok := a.Gauges[sample.MemoryUsed]
	k := key{device: d.ID, memory: true}
	t := gpu.Time(g.Micros) * gpu.Time(time.Microsecond)
	if !ok || t <= w.told[k] {
		return
	}
	w.told[k] = t
	b.Memory = append(b.Memory, gpu.Memory{Device: d.ID, Time: t, Bytes: uint64(g.Value.Float)})
}

// condition tells whether a device is lost, and how many parts a board has.
func (w *Writer) condition(b *gpu.Batch, d gpu.Device, a *session.Account, now gpu.Time) {
	if s := a.Device.Status; s == engine.OK || s == engine.Lost {
		b.Statuses = append(b.Statuses, gpu.Status{Device: d.ID, Time: now, Failed: s == engine.Lost})
	}
	if !a.Device.MIG {
		return
	}
	w.boards[d.ID] = d
	b.PartitionCounts = append(b.PartitionCounts, gpu.PartitionCount{Board: d, Time: now, Count: a.Device.Count})
}

// end forgets a device, and says that a board is in MIG mode no more.
func (w *Writer) end(b *gpu.Batch, d gpu.Device, now gpu.Time) {
	if board, mig := w.boards[d.ID]; mig {
		delete(w.boards, d.ID)
		b.PartitionCounts = append(b.PartitionCounts, gpu.PartitionCount{Board: board, Time: now, Ended: true})
	}
	w.forget(d.ID)
}

func (w *Writer) forget(id gpu.DeviceID) {
	for k := range w.told {
		if k.device == id {
			delete(w.told, k)
		}
	}
}
