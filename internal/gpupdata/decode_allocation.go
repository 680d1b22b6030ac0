// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpupdata

import "github.com/otelcol-gpu/otelcol-gpu/internal/gpu"

// allocation reads a point of gpu.allocation; its value is a share. Whether a
// share or slots are possible is the ledger's business: without the point the
// node's set would never be complete.
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
		Slots:   gpu.Slots{N: p.whole(AttrSlots), Of: p.whole(AttrSlotsTotal)},
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
	if why = c.instances.resolve(p, &a); why != accepted {
		return why
	}
	a.Sharing = p.sharing(a.Device)
	if !a.Ended {
		if a.Share, why = number(p.NumberDataPoint); why != accepted {
			return why
		}
	}
	if c.exporter != nil {
		c.exporter.hearAllocation(&a)
	}
	c.batch.Allocations = append(c.batch.Allocations, a)
	return accepted
}

// sharing returns how a device is shared: not at all, unless the point says
// so. Who has a MIG instance for itself has a part of a board.
func (p point) sharing(device gpu.DeviceID) gpu.Sharing {
	s := gpu.Sharing(p.str(AttrSharing))
	switch {
	case s != "" && s != gpu.Exclusive:
		return s
	case isPartition(device):
		return gpu.MIG
	}
	return gpu.Exclusive
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
	if c.exporter != nil {
		c.exporter.hearSet(p.node(), t)
	}
	c.batch.AllocationCounts = append(c.batch.AllocationCounts, gpu.AllocationCount{
		Node: p.node(), Cluster: p.str(AttrClusterName), Time: t, Count: n,
	})
	return accepted
}
