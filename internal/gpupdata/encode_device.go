// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpupdata

import (
	"math"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

var (
	specActivity = &metricSpec{
		MetricActivity, "1", "Part of the time that an engine was busy, at the last sample.", gauges,
	}
	specActivityTime = &metricSpec{
		MetricActivityTime, "s", "Time that an engine was busy.", counters,
	}
	specObservedTime = &metricSpec{
		MetricObservedTime, "s", "Time that valid samples of an engine cover.", counters,
	}
	specProcessActivity = &metricSpec{
		MetricProcessActivity, "1", "Part of the time that a process kept the device busy.", gauges,
	}
	specMIGInstances = &metricSpec{
		MetricMIGInstances, "{instance}", "MIG instances that the board has at this timestamp.", upDowns,
	}
	specMemoryUsage = &metricSpec{
		MetricMemoryUsage, "By", "Memory of the device in use.", upDowns,
	}
	specAvailable = &metricSpec{
		MetricDeviceAvailable, "1", "Whether the device can be given to a pod.", gauges,
	}
	specStatus = &metricSpec{
		MetricStatus, "1", "1 for the current state of the device.", upDowns,
	}
)

// labels takes note of who held which device at which time.
func (e *encoder) labels(allocations []gpu.DeviceAllocation) {
	e.labeled = make(map[instant]*gpu.Holder, len(allocations))
	for i := range allocations {
		a := &allocations[i]
		if a.Holder.Key() != "" {
			e.labeled[instant{a.Device.ID, a.Time}] = &a.Holder
		}
	}
}

// activity writes samples, counters, the ends of series and what processes did.
func (e *encoder) activity(b *gpu.Batch) {
	for i := range b.Samples {
		s := &b.Samples[i]
		p := e.device(s.Device).point(specActivity, gpu.NoTime, s.Time)
		p.SetDoubleValue(s.Value)
		e.putEngine(p.Attributes(), s.Engine, s.Source, instant{s.Device.ID, s.Time})
	}
	for i := range b.Counters {
		c := &b.Counters[i]
		spec := specActivityTime
		if c.Part == gpu.ObservedPart {
			spec = specObservedTime
		}
		p := e.device(c.Device).point(spec, c.Start, c.Time)
		p.SetDoubleValue(seconds(time.Duration(c.Nanos)))
		e.putEngine(p.Attributes(), c.Engine, c.Source, instant{c.Device.ID, c.Time})
	}
	for i := range b.SeriesEnds {
		s := &b.SeriesEnds[i]
		p := e.device(s.Device).point(specActivity, gpu.NoTime, s.Time)
		noRecordedValue(p)
		e.putEngine(p.Attributes(), s.Engine, s.Source, instant{s.Device.ID, s.Time})
	}
	for i := range b.Processes {
		e.process(&b.Processes[i])
	}
}

func (e *encoder) process(s *gpu.Process) {
	p := e.deviceNamed(s.Device).point(specProcessActivity, gpu.NoTime, s.Time)
	p.SetDoubleValue(s.Value)
	attrs := p.Attributes()
	pod := podWith(s.Pod)
	put(attrs, AttrNamespaceName, pod.Namespace)
	put(attrs, AttrPodName, pod.Pod)
	put(attrs, AttrPodUID, pod.PodUID)
	put(attrs, AttrProcessPID, s.PID)
}

func (e *encoder) putEngine(m pcommon.Map, engine gpu.Engine, source string, at instant) {
	m.EnsureCapacity(2)
	put(m, AttrEngine, engine.String())
	put(m, AttrActivitySource, source)
	if h := e.labeled[at]; h != nil && engine == gpu.EngineAny {
		m.EnsureCapacity(2 + holderAttributes)
		putHolder(m, h)
	}
}

// condition writes memory, availability and status, and how many instances
// boards have.
func (e *encoder) condition(b *gpu.Batch) {
	for i := range b.PartitionCounts {
		c := &b.PartitionCounts[i]
		p := e.device(c.Board).point(specMIGInstances, gpu.NoTime, c.Time)
		if c.Ended {
			noRecordedValue(p)
		} else {
			p.SetIntValue(int64(c.Count))
		}
	}
	for i := range b.Memory {
		m := &b.Memory[i]
		p := e.deviceNamed(m.Device).point(specMemoryUsage, gpu.NoTime, m.Time)
		p.SetIntValue(int64(min(m.Bytes, math.MaxInt64)))
	}
	for i := range b.Availability {
		a := &b.Availability[i]
		p := e.deviceNamed(a.Device).point(specAvailable, gpu.NoTime, a.Time)
		if a.Available {
			p.SetIntValue(1)
			continue
		}
		p.SetIntValue(0)
		put(p.Attributes(), AttrUnavailableReason, a.Reason.String())
	}
	for i := range b.Statuses {
		s := &b.Statuses[i]
		p := e.deviceNamed(s.Device).point(specStatus, gpu.NoTime, s.Time)
		p.SetIntValue(1)
		state := StateOK
		if s.Failed {
			state = StateFailed
		}
		put(p.Attributes(), AttrHWState, state)
	}
}
