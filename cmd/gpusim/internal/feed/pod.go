// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package feed

import (
	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/watch"
	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/world"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// pod is a pod that is being told of.
type pod struct {
	*world.Pod
	tells   []int // with which tick the end of each hold is told, -1 if it isn't
	named   bool  // a set told of it
	told    int   // how many of its milestones
	started bool  // nothing of its start is repeated any more
	metrics []*metric
}

func newPod(n *watch.Node, p *world.Pod) *pod {
	of := &pod{Pod: p}
	for i := range p.Holds {
		tells := -1
		if h := &p.Holds[i]; n.Dated(h) {
			tells = n.Tells(h)
		}
		of.tells = append(of.tells, tells)
	}
	for i := range p.Metrics {
		of.metrics = append(of.metrics, newMetric(p, i))
	}
	return of
}

// set tells who holds what, and which devices could be given to somebody.
func (f *feed) set(tick int, b *gpu.Batch) {
	t, held := f.Ticks[tick], 0
	for _, p := range f.pods {
		n := f.allocations(p, tick, b)
		f.milestones(p, n > 0, t, b)
		held += n
	}
	b.AllocationCounts = append(b.AllocationCounts, f.count(t.Told, held))
	for _, d := range f.devices {
		if exists(d.Device, t.Real) {
			reason := d.ClosedAt(t.Real)
			b.Availability = append(b.Availability, gpu.Availability{
				Device: d.ID, Time: t.Told, Available: reason == gpu.NoReason, Reason: reason,
			})
		}
	}
}

func (f *feed) count(t gpu.Time, n int) gpu.AllocationCount {
	return gpu.AllocationCount{Node: f.Name, Cluster: f.Cluster, Time: t, Count: n}
}

// allocations tells of the holds of a pod and returns how many it has now.
func (f *feed) allocations(p *pod, tick int, b *gpu.Batch) (held int) {
	t := f.Ticks[tick]
	for i := range p.Holds {
		h := &p.Holds[i]
		if watch.Has(h, t) {
			held++
			a := f.allocation(p, h, t.Told)
			a.Share = share(h.Slots)
			b.Allocations = append(b.Allocations, a)
			f.name(p, h)
		}
		if p.tells[i] == tick {
			a := f.allocation(p, h, f.Told(h.To))
			a.Ended = true
			b.Allocations = append(b.Allocations, a)
			f.name(p, h)
		}
	}
	return held
}

func (f *feed) allocation(p *pod, h *world.Hold, t gpu.Time) gpu.Allocation {
	return gpu.Allocation{
		Device: h.Device, Node: f.Name, Cluster: f.Cluster, Holder: p.Holder,
		Sharing: h.Sharing, Slots: h.Slots, Time: t, Begin: f.Told(h.From),
	}
}

func share(s gpu.Slots) float64 {
	if s == (gpu.Slots{}) {
		return 1
	}
	return float64(s.N) / float64(s.Of)
}

// name takes note that the pod and the device of a hold were told of.
func (f *feed) name(p *pod, h *world.Hold) {
	p.named = true
	for _, d := range f.devices {
		if d.ID == h.Device {
			d.named = true
		}
	}
}

// milestones tells which milestones a pod passed: all while it starts, then
// those that weren't told yet.
func (f *feed) milestones(p *pod, held bool, t watch.Tick, b *gpu.Batch) {
	if !p.named {
		return
	}
	from := p.told
	if held && !p.started {
		from = 0
	}
	for i := from; i < len(p.Milestones) && p.Milestones[i].At <= t.Real; i++ {
		m := p.Milestones[i]
		b.Milestones = append(b.Milestones, gpu.Milestone{
			Pod: p.Key(), Name: m.Name, Attempt: m.Attempt, Container: m.Container, Source: m.Source, At: f.Told(m.At), Time: t.Told,
		})
		p.told = max(p.told, i+1)
		p.started = p.started || m.Name == gpu.Ready
	}
	p.started = p.started || p.told == len(p.Milestones)
}
