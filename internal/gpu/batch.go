// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpu

// Batch is everything that one metrics batch says to the ledger. The order in
// it carries no meaning.
type Batch struct {
	Samples           []Sample
	Counters          []Counter
	SeriesEnds        []SeriesEnd
	Processes         []Process
	Memory            []Memory
	Availability      []Availability
	Statuses          []Status
	Allocations       []Allocation
	AllocationCounts  []AllocationCount
	PartitionCounts   []PartitionCount
	DeviceAllocations []DeviceAllocation
	Milestones        []Milestone
	Outputs           []Output
}
