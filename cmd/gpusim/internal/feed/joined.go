// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package feed

import (
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// joined returns a batch that says all that a and b do. It may take a's room.
func joined(a, b gpu.Batch) gpu.Batch {
	return gpu.Batch{
		Samples:           append(a.Samples, b.Samples...),
		Counters:          append(a.Counters, b.Counters...),
		SeriesEnds:        append(a.SeriesEnds, b.SeriesEnds...),
		Processes:         append(a.Processes, b.Processes...),
		Memory:            append(a.Memory, b.Memory...),
		Availability:      append(a.Availability, b.Availability...),
		Statuses:          append(a.Statuses, b.Statuses...),
		Allocations:       append(a.Allocations, b.Allocations...),
		AllocationCounts:  append(a.AllocationCounts, b.AllocationCounts...),
		PartitionCounts:   append(a.PartitionCounts, b.PartitionCounts...),
		DeviceAllocations: append(a.DeviceAllocations, b.DeviceAllocations...),
		Milestones:        append(a.Milestones, b.Milestones...),
		Outputs:           append(a.Outputs, b.Outputs...),
	}
}
