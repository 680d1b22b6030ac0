// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpupdata

import (
	"math"

	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// subject returns which device a point is about, and when.
func (c *decoding) subject(p point) (gpu.DeviceID, gpu.Time, DropReason) {
	t, why := stamp(p.NumberDataPoint, c.future)
	if why != accepted {
		return "", 0, why
	}
	d, why := p.device()
	return d.ID, t, why
}

// partitionCount reads a point of gpu.mig.instances, which is the board's.
func (c *decoding) partitionCount(p point) DropReason {
	t, why := stamp(p.NumberDataPoint, c.future)
	if why != accepted {
		return why
	}
	n := gpu.PartitionCount{Time: t, Ended: p.ended()}
	if n.Board, why = p.device(); why != accepted {
		return why
	}
	if isPartition(n.Board.ID) {
		return DropPartition
	}
	if !n.Ended {
		if n.Count, why = count(p.NumberDataPoint); why != accepted {
			return why
		}
	}
	if c.exporter != nil {
		c.exporter.hearCount(n.Board.ID, n.Time)
	}
	c.batch.PartitionCounts = append(c.batch.PartitionCounts, n)
	return accepted
}

// memory reads a point of hw.gpu.memory.usage, in bytes.
func (c *decoding) memory(p point) DropReason {
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
	if v < 0 {
		return DropOutOfRange
	}
	bytes := uint64(math.Round(v))
	if p.ValueType() == pmetric.NumberDataPointValueTypeInt {
		bytes = uint64(p.IntValue()) // a double has 53 bits only
	}
	c.batch.Memory = append(c.batch.Memory, gpu.Memory{Device: id, Time: t, Bytes: bytes})
	return accepted
}

// flag returns a value that can be 0 or 1 only.
func flag(p pmetric.NumberDataPoint) (bool, DropReason) {
	v, why := number(p)
	if why != accepted {
		return false, why
	}
	if v != 0 && v != 1 {
		return false, DropOutOfRange
	}
	return v == 1, accepted
}

// availability reads a point of gpu.device.available.
func (c *decoding) availability(p point) DropReason {
	if p.ended() {
		return ignored
	}
	id, t, why := c.subject(p)
	if why != accepted {
		return why
	}
	available, why := flag(p.NumberDataPoint)
	if why != accepted {
		return why
	}
	a := gpu.Availability{Device: id, Time: t, Available: available}
	if !available {
		a.Reason = unavailableReason(p.str(AttrUnavailableReason))
	}
	c.batch.Availability = append(c.batch.Availability, a)
	return accepted
}

// unavailableReason takes what it doesn't know for a broken device.
func unavailableReason(name string) gpu.Reason {
	for _, r := range gpu.Unavailable.Reasons() {
		if r.String() == name {
			return r
		}
	}
	return gpu.ReasonHealth
}

// status reads a point of hw.status: of the points of a device, the one with
// value 1 names its current hw.state. Other hardware has this metric as well.
func (c *decoding) status(p point) DropReason {
	failed, known := false, true
	switch p.str(AttrHWState) {
	case StateFailed:
		failed = true
	case StateOK, StateDegraded:
	default:
		known = false // predicted_failure, needs_cleaning: it works
	}
	if kind := p.str(AttrHWType); !known || p.ended() || kind != TypeGPU {
		return ignored
	}
	id, t, why := c.subject(p)
	if why != accepted {
		return why
	}
	current, why := flag(p.NumberDataPoint)
	if why != accepted {
		return why
	}
	if !current {
		return ignored
	}
	c.batch.Statuses = append(c.batch.Statuses, gpu.Status{Device: id, Time: t, Failed: failed})
	return accepted
}
