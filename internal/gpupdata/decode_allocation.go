// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpupdata

import "github.com/otelcol-gpu/otelcol-gpu/internal/gpu"

// allocation reads a point of gpu.allocation; its value is a share. A point of
// a MIG instance is no drop: without it the node's set would never be
// complete.
func (c *decoding) allocation(p point) DropReason {
	t, why := stamp(p.NumberDataPoint, c.future)
	if why != accepted {
		return why
	}
	a := gpu.Allocation{
		Device:  gpu.DeviceID(p.str(AttrHWID)),
		Ref:     p.str(AttrDeviceRef),
		Node:    p.node(),
		Cluster: p.str(AttrClusterName),
		Holder:  p.holder(),
		Sharing: gpu.Sharing(p.str(AttrSharing)),
		Time:    t,
		Begin:   start(p.NumberDataPoint),
		Ended:   p.ended(),
	}
	switch {
	case a.Device == "" && a.Ref == "":
		return DropNoDevice
	case a.Holder.Key() == "":
		return DropNoPod
	}
	if a.Sharing == "" {
		a.Sharing = gpu.Exclusive
	}
	if !a.Ended {
		// Whether a share is possible is the ledger's business.
		if a.Share, why = number(p.NumberDataPoint); why != accepted {
			return why
		}
	}
	c.batch.Allocations = append(c.batch.Allocations, a)
	return accepted
}

// allocationCount reads a point of gpu.node.allocations.
func (c *decoding) allocationCount(p point) DropReason {
	if p.ended() {
		return ignored
	}
	t, why := stamp(p.NumberDataPoint, c.future)
	if why != accepted {
		return why
	}
	n, why := count(p.NumberDataPoint)
	if why != accepted {
		return why
	}
	c.batch.AllocationCounts = append(c.batch.AllocationCounts, gpu.AllocationCount{
		Node: p.node(), Cluster: p.str(AttrClusterName), Time: t, Count: n,
	})
	return accepted
}

// microsecond is what a milestone's time is read in: a double of Unix seconds
// tells no finer.
const microsecond = 1000

// milestone reads a point of gpu.milestone.time. Most milestones are for the
// cold-start connector, not for the ledger.
func (c *decoding) milestone(p point) DropReason {
	name := gpu.MilestoneName(p.str(AttrMilestone))
	known := name == gpu.DeletionRequested || name == gpu.ContainersFinished
	if !known || p.ended() {
		return ignored
	}
	t, why := stamp(p.NumberDataPoint, c.future)
	if why != accepted {
		return why
	}
	pod := p.holder().Key()
	if pod == "" {
		return DropNoPod
	}
	seconds, why := finite(p.NumberDataPoint)
	if why != accepted {
		return why
	}
	at, why := scaled(seconds, microsecond)
	if why != accepted {
		return why
	}
	if gpu.Time(at) < gpu.Earliest {
		return DropUnsetClock
	}
	c.batch.Milestones = append(c.batch.Milestones, gpu.Milestone{
		Pod: pod, Name: name, At: gpu.Time(at), Time: t,
	})
	return accepted
}
