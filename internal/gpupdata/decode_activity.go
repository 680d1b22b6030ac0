// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpupdata

import "github.com/otelcol-gpu/otelcol-gpu/internal/gpu"

// The engines of the contract that the ledger doesn't account: such points
// pass by, they are no drop.
var otherEngines = map[string]struct{}{
	"fp64": {}, "fp32": {}, "fp16": {}, "sm_occupancy": {},
}

// engine returns the engine of an activity point.
func (p point) engine() (gpu.Engine, DropReason) {
	name := p.str(AttrEngine)
	if e, ok := gpu.ParseEngine(name); ok {
		return e, accepted
	}
	if _, ok := otherEngines[name]; ok {
		return 0, ignored
	}
	if name == "" {
		return 0, DropNoEngine
	}
	return 0, DropUnknownEngine
}

// evidence is what every activity point says besides its value.
type evidence struct {
	engine gpu.Engine
	device gpu.Device
	source string
	time   gpu.Time
}

func (c *decoding) evidence(p point) (e evidence, why DropReason) {
	if e.engine, why = p.engine(); why != accepted {
		return e, why
	}
	if e.time, why = stamp(p.NumberDataPoint, c.future); why != accepted {
		return e, why
	}
	if e.device, why = p.device(); why != accepted {
		return e, why
	}
	e.source = p.str(AttrActivitySource)
	return e, accepted
}

func (c *decoding) seriesEnd(e evidence) DropReason {
	c.batch.SeriesEnds = append(c.batch.SeriesEnds, gpu.SeriesEnd{
		Device: e.device, Engine: e.engine, Source: e.source, Time: e.time,
	})
	return accepted
}

// sample reads a point of gpu.activity.
func (c *decoding) sample(p point) DropReason {
	e, why := c.evidence(p)
	if why != accepted {
		return why
	}
	if p.ended() {
		return c.seriesEnd(e)
	}
	v, why := reading(p.NumberDataPoint)
	if why != accepted {
		return why
	}
	if v < 0 || v > 1 {
		return DropOutOfRange
	}
	c.batch.Samples = append(c.batch.Samples, gpu.Sample{
		Device: e.device, Engine: e.engine, Source: e.source, Time: e.time, Value: v,
	})
	c.deviceAllocation(p, e)
	return accepted
}

// activityTime reads a point of gpu.activity.time.
func (c *decoding) activityTime(p point) DropReason {
	e, why := c.evidence(p)
	if why != accepted {
		return why
	}
	if p.ended() {
		return c.seriesEnd(e)
	}
	if why = c.counter(p, e, gpu.ActivityPart); why == accepted {
		c.deviceAllocation(p, e)
	}
	return why
}

// observedTime reads a point of gpu.observed.time. Its end is told by that of
// gpu.activity.time.
func (c *decoding) observedTime(p point) DropReason {
	if p.ended() {
		return ignored
	}
	e, why := c.evidence(p)
	if why != accepted {
		return why
	}
	return c.counter(p, e, gpu.ObservedPart)
}

func (c *decoding) counter(p point, e evidence, part gpu.CounterPart) DropReason {
	ns, why := nanos(p.NumberDataPoint)
	if why != accepted {
		return why
	}
	c.batch.Counters = append(c.batch.Counters, gpu.Counter{
		Device: e.device, Engine: e.engine, Source: e.source, Part: part,
		Start: start(p.NumberDataPoint), Time: e.time, Nanos: ns,
	})
	return accepted
}

// process reads a point of gpu.process.activity. A process without a pod is
// nobody's: its activity is foreign.
func (c *decoding) process(p point) DropReason {
	if p.ended() {
		return ignored
	}
	id, t, why := c.subject(p)
	if why != accepted {
		return why
	}
	v, why := reading(p.NumberDataPoint)
	if why != accepted {
		return why
	}
	if v < 0 || v > 1 {
		return DropOutOfRange
	}
	c.batch.Processes = append(c.batch.Processes, gpu.Process{
		Device: id, Pod: p.holder().Key(), PID: p.word(AttrProcessPID), Time: t, Value: v,
	})
	return accepted
}

// deviceAllocation reads the pod labels of an engine's point, if allocations
// are told by labels.
func (c *decoding) deviceAllocation(p point, e evidence) {
	if !c.labels || e.engine != gpu.EngineAny || c.exporter != nil && c.exporter.hasLabels(e.device.ID, e.time) {
		return
	}
	c.batch.DeviceAllocations = append(c.batch.DeviceAllocations, gpu.DeviceAllocation{
		Device: e.device, Holder: p.labels(), Time: e.time,
	})
}
