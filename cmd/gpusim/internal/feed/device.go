// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package feed

import (
	"strconv"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/watch"
	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/world"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// source is the gpu.activity.source of every device.
const source = "prof"

// device is a device that is being told of.
type device struct {
	*world.Device
	identity  gpu.Device
	instances []*world.Device // of a board
	points    func() (watch.Point, bool)
	point     watch.Point // the next
	more      bool        // there is one
	newest    gpu.Time    // of the points that were told, told
	named     bool        // an allocation named it
	gone      bool        // its end was told
}

func newDevice(n *watch.Node, d *world.Device) *device {
	of := &device{Device: d, identity: identity(n.Node, d), instances: n.Instances(d.ID)}
	if !of.board() {
		of.points = n.Points(d)
		of.point, of.more = of.points()
	}
	return of
}

func identity(n *world.Node, d *world.Device) gpu.Device {
	of := d.Device
	of.Node, of.Cluster = n.Name, n.Cluster
	return of
}

// Instances returns all MIG instances of some nodes. A batch that only names
// one has to be encoded with what is known of it.
func Instances(nodes []*world.Node) map[gpu.DeviceID]gpu.Device {
	instances := map[gpu.DeviceID]gpu.Device{}
	for _, n := range nodes {
		for _, d := range n.Devices {
			if d.Parent != "" {
				instances[d.ID] = identity(n, d)
			}
		}
	}
	return instances
}

func (d *device) board() bool { return len(d.instances) > 0 }

// points tells of the activity of a device.
func (f *feed) points(d *device, tick int, b *gpu.Batch) {
	for d.more && d.point.Tick == tick {
		p := d.point
		if f.Settings.Gauges {
			b.Samples = append(b.Samples, sample(d, p.Time, p.Value))
		} else {
			b.Counters = append(b.Counters, d.counter(gpu.ActivityPart, p, p.Active), d.counter(gpu.ObservedPart, p, p.Observed))
		}
		for i, process := range p.Processes {
			b.Processes = append(b.Processes, gpu.Process{
				Device: d.ID, Pod: process.Pod.Key(), PID: strconv.Itoa(i + 1), Time: p.Time, Value: process.Value,
			})
		}
		d.newest = max(d.newest, p.Time)
		d.point, d.more = d.points()
	}
}

func sample(d *device, t gpu.Time, value float64) gpu.Sample {
	return gpu.Sample{Device: d.identity, Engine: gpu.EngineAny, Source: source, Time: t, Value: value}
}

func (d *device) counter(part gpu.CounterPart, p watch.Point, nanos int64) gpu.Counter {
	return gpu.Counter{
		Device: d.identity, Engine: gpu.EngineAny, Source: source, Part: part, Start: p.Start, Time: p.Time, Nanos: nanos,
	}
}

// condition tells of all else that can be read of a device. A board counts its
// instances, and has no memory of its own.
func (f *feed) condition(d *device, t watch.Tick, b *gpu.Batch) {
	lost := world.Within(d.Lost, t.Real)
	b.Statuses = append(b.Statuses, gpu.Status{Device: d.ID, Time: t.Told, Failed: lost})
	switch {
	case lost:
	case d.board():
		count := gpu.PartitionCount{Board: d.identity, Time: t.Told}
		for _, instance := range d.instances {
			if exists(instance, t.Real) {
				count.Count++
			}
		}
		b.PartitionCounts = append(b.PartitionCounts, count)
	default:
		b.Memory = append(b.Memory, gpu.Memory{Device: d.ID, Time: t.Told, Bytes: d.MemoryAt(t.Real)})
	}
}
