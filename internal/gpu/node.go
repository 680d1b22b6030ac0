// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpu

// Node is the account of a node: it exists from Begin on, with so many physical
// GPUs, whatever an agent on it says. It says what the node is, so that its time
// has a price.
type Node struct {
	Name    string
	Cluster string
	Time    Time
	Begin   Time // NoTime if the source doesn't know it
	Ended   bool // it is gone since Time; the counts are void

	Capacity    int
	Allocatable int // of them: can be given to pods

	HostType     string // of the machine, as the provider calls it
	Region       string
	Zone         string
	CapacityType string // "on_demand", "spot", "reserved"
	Labels       map[string]string
}

// The words for how a node is paid for.
const (
	CapacityOnDemand = "on_demand"
	CapacitySpot     = "spot"
	CapacityReserved = "reserved"
)

// Demand is what pods of a namespace ask for, and don't have yet: so many of a
// resource, a device plugin's or a device class.
type Demand struct {
	Cluster   string
	Namespace string
	Time      Time
	Resource  string
	Reason    DemandReason
	Age       DemandAge
	Count     int
}

// DemandReason says why a pod has no node.
type DemandReason string

// The reasons for which demand is pending.
const (
	DemandGated     DemandReason = "gated"     // somebody holds the pod back, as a queue does
	DemandNotTried  DemandReason = "not_tried" // the scheduler hasn't said anything yet
	DemandNoGPU     DemandReason = "no_gpu"    // too few GPUs are free
	DemandUnfit     DemandReason = "unfit"     // there would be GPUs, but nodes don't fit: taints, other resources, affinity
	DemandNominated DemandReason = "nominated" // a node is being made free for it
)

// DemandReasons returns all of them.
func DemandReasons() []DemandReason {
	return []DemandReason{DemandGated, DemandNotTried, DemandNoGPU, DemandUnfit, DemandNominated}
}

// DemandAge says for how long a pod has waited.
type DemandAge string

// The ages of demand.
const (
	DemandUnderMinute DemandAge = "under_1m"
	DemandUnderTen    DemandAge = "under_10m"
	DemandUnderHour   DemandAge = "under_1h"
	DemandOverHour    DemandAge = "over_1h"
)

// DemandAges returns all of them, the youngest first.
func DemandAges() []DemandAge {
	return []DemandAge{DemandUnderMinute, DemandUnderTen, DemandUnderHour, DemandOverHour}
}
