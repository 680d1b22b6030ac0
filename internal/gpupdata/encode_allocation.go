// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpupdata

import "github.com/otelcol-gpu/otelcol-gpu/internal/gpu"

var (
	specAllocation = &metricSpec{
		MetricAllocation, "1", "Share of the device that the pod holds.", upDowns,
	}
	specNodeAllocations = &metricSpec{
		MetricNodeAllocations, "{allocation}", "Allocations of the node with this timestamp.", upDowns,
	}
	specMilestone = &metricSpec{
		MetricMilestoneTime, "s", "Unix time at which the pod passed the milestone.", gauges,
	}
)

// allocations writes allocation sets and milestones.
func (e *encoder) allocations(b *gpu.Batch) {
	for i := range b.Allocations {
		e.allocation(&b.Allocations[i])
	}
	for i := range b.AllocationCounts {
		c := &b.AllocationCounts[i]
		p := e.node(place{c.Cluster, c.Node}).point(specNodeAllocations, gpu.NoTime, c.Time)
		p.SetIntValue(int64(c.Count))
	}
	for i := range b.Milestones {
		e.milestone(&b.Milestones[i])
	}
}

func (e *encoder) milestone(m *gpu.Milestone) {
	p := e.passed(m).point(specMilestone, gpu.NoTime, m.Time)
	p.SetDoubleValue(float64(m.At/microsecond) / 1e6)
	attrs := p.Attributes()
	attrs.EnsureCapacity(4)
	put(attrs, AttrMilestone, string(m.Name))
	put(attrs, AttrContainerName, m.Container)
	put(attrs, AttrMilestoneSource, m.Source)
	if m.Attempt != 0 {
		attrs.PutInt(AttrMilestoneAttempt, int64(m.Attempt))
	}
}

func (e *encoder) allocation(a *gpu.Allocation) {
	p := e.holder(&a.Holder, place{a.Cluster, a.Node}).point(specAllocation, a.Begin, a.Time)
	if a.Ended {
		noRecordedValue(p)
	} else {
		p.SetDoubleValue(a.Share)
	}
	attrs := p.Attributes()
	attrs.EnsureCapacity(5)
	put(attrs, AttrHWID, string(a.Device))
	put(attrs, AttrDeviceRef, a.Ref)
	put(attrs, AttrSharing, string(a.Sharing))
	if a.Slots != (gpu.Slots{}) {
		attrs.PutInt(AttrSlots, a.Slots.N)
		attrs.PutInt(AttrSlotsTotal, a.Slots.Of)
	}
}
