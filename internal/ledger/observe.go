// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"sync"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// sampled returns the device of a sample of time t, or nil if the sample comes
// too late or there is no room for the device.
func (l *Ledger) sampled(of gpu.Device, t gpu.Time) *device {
	d := l.device(of.ID)
	if d == nil {
		return nil
	}
	g := l.gone[of.ID]
	switch {
	case g != nil && t <= g.ended, d.opened != gpu.NoTime && t <= d.settled:
		l.counts.Points[Late]++
		if planted == plantedLate && g == nil {
			d.bookOwn(gpu.Condition{State: gpu.Unallocated, Reason: gpu.ReasonFree}, int64(stepSize))
		}
		return nil
	}
	l.place(d, of)
	d.touched = max(d.touched, t)
	return d
}

func (l *Ledger) observeSamples(b gpu.Batch) {
	for _, s := range b.Samples {
		if d := l.sampled(s.Device, s.Time); d != nil {
			d.samples[s.Engine].addGauge(gaugePoint{s.Time, s.Value, s.Source}, &l.counts)
			d.node.tick(s.Time)
		}
	}
	for _, c := range b.Counters {
		if d := l.sampled(c.Device, c.Time); d != nil {
			d.samples[c.Engine].addCounter(c, &l.counts)
			d.node.tick(c.Time)
		}
	}
	for _, e := range b.SeriesEnds {
		if d := l.device(e.Device.ID); d != nil && e.Engine == gpu.EngineAny {
			d.addEnd(sourceTime{e.Source, e.Time})
			d.touched = max(d.touched, e.Time)
		}
	}
}

func (l *Ledger) observeDevices(b gpu.Batch) {
	for _, p := range b.Processes {
		if d := l.device(p.Device); d != nil && p.Time > d.settled {
			d.touched = max(d.touched, p.Time)
			d.processes.add(p, &l.counts)
		} else if d != nil {
			l.counts.Points[Late]++
		}
	}
	for _, c := range b.PartitionCounts {
		if d := l.device(c.Board.ID); d != nil {
			d.addPartitionCount(c, &l.counts)
		}
	}
	for _, m := range b.Memory {
		if d := l.device(m.Device); d != nil {
			d.touched = max(d.touched, m.Time)
			d.memory.set(m.Time, m.Bytes, func(newer, older uint64) bool { return newer > older })
		}
	}
	for _, a := range b.Availability {
		if d := l.device(a.Device); d != nil {
			d.touched = max(d.touched, a.Time)
			d.available.set(a.Time, a, func(newer, older gpu.Availability) bool {
				return !newer.Available && (older.Available || newer.Reason < older.Reason)
			})
		}
	}
	for _, s := range b.Statuses {
		if d := l.device(s.Device); d != nil {
			d.touched = max(d.touched, s.Time)
			d.failed.set(s.Time, s.Failed, func(newer, _ bool) bool { return newer })
		}
	}
}

// observeAllocations takes in allocation sets, unless the holders come from
// elsewhere.
func (l *Ledger) observeAllocations(b gpu.Batch) {
	if l.cfg.Host || l.cfg.Labels {
		l.counts.Points[Shadowed] += uint64(len(b.Allocations) + len(b.AllocationCounts))
	} else {
		for _, a := range b.Allocations {
			l.observeAllocation(a)
		}
		for _, c := range b.AllocationCounts {
			n := l.node(c.Node, c.Cluster)
			n.sets.addCount(c, &l.counts)
			n.tick(c.Time)
		}
	}
	if !l.cfg.Labels {
		return
	}
	for _, a := range b.DeviceAllocations {
		d := l.device(a.Device.ID)
		if d == nil {
			continue
		}
		if a.Time <= d.lastSet {
			l.counts.Points[Late]++
			continue
		}
		d.touched = max(d.touched, a.Time)
		d.addLabel(a)
	}
}

func (l *Ledger) observeAllocation(a gpu.Allocation) {
	n := l.node(a.Node, a.Cluster)
	if !a.Ended {
		n.sets.addMember(a, &l.counts)
		return
	}
	id := a.Device
	if id == "" {
		id = pseudoID(a.Node, a.Ref)
	}
	if d := l.device(id); d != nil {
		d.touched = max(d.touched, a.Time)
		d.addDatedEnd(datedEndOf(a))
	}
}

func (l *Ledger) observeOutputs(points []gpu.Output) {
	counted := sync.OnceValue(l.countedByKey) // only a new stream needs to know
	for _, p := range points {
		l.outputs.observe(p, counted, l.cfg.MaxAccounts*seriesPerAccount, &l.counts)
	}
}

// podsPerAccount bounds the pods of which only milestones are known, as a
// multiple of MaxAccounts.
const podsPerAccount = 4

func (l *Ledger) observeMilestone(m gpu.Milestone) {
	if l.pods[m.Pod] == nil && len(l.pods) >= podsPerAccount*l.cfg.MaxAccounts {
		l.counts.Points[Limit]++
		return
	}
	l.pod(m.Pod).observe(m, &l.counts)
}

// newestOf returns the newest time of a point of any kind.
func newestOf(b *gpu.Batch) gpu.Time {
	return max(
		newest(b.Samples, func(p *gpu.Sample) gpu.Time { return p.Time }),
		newest(b.Counters, func(p *gpu.Counter) gpu.Time { return p.Time }),
		newest(b.SeriesEnds, func(p *gpu.SeriesEnd) gpu.Time { return p.Time }),
		newest(b.Processes, func(p *gpu.Process) gpu.Time { return p.Time }),
		newest(b.PartitionCounts, func(p *gpu.PartitionCount) gpu.Time { return p.Time }),
		newest(b.Memory, func(p *gpu.Memory) gpu.Time { return p.Time }),
		newest(b.Availability, func(p *gpu.Availability) gpu.Time { return p.Time }),
		newest(b.Statuses, func(p *gpu.Status) gpu.Time { return p.Time }),
		newest(b.Allocations, func(p *gpu.Allocation) gpu.Time { return p.Time }),
		newest(b.AllocationCounts, func(p *gpu.AllocationCount) gpu.Time { return p.Time }),
		newest(b.DeviceAllocations, func(p *gpu.DeviceAllocation) gpu.Time { return p.Time }),
		newest(b.Milestones, func(p *gpu.Milestone) gpu.Time { return p.Time }),
		newest(b.Outputs, func(p *gpu.Output) gpu.Time { return p.Time }),
	)
}

func newest[P any](points []P, at func(*P) gpu.Time) (t gpu.Time) {
	for i := range points {
		t = max(t, at(&points[i]))
	}
	return t
}
