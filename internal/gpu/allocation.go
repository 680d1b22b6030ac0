// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpu

// Class is what kind of work a workload does; it names the mode of its idle
// time.
type Class uint8

// The workload classes.
const (
	ClassUnclassified Class = iota
	ClassInference
	ClassBatch
	ClassInteractive
	classes
)

var classNames = [classes]string{"unclassified", "inference", "batch", "interactive"}

// String returns the value of the attribute gpu.workload.class.
func (c Class) String() string { return classNames[c] }

// ParseClass is the inverse of Class.String.
func ParseClass(name string) (Class, bool) { return parse[Class](classNames[:], name) }

// Workload is what a pod belongs to, up to the top of its owner chain.
type Workload struct {
	Kind  string
	Name  string
	Class Class
	Group string
}

// Holder is a pod that holds devices. With its device, PodUID is the identity
// of an allocation; everything else is description.
type Holder struct {
	Namespace string
	Pod       string
	PodUID    string
	PodIP     string
	Container string
	Workload  Workload
}

// Key identifies the pod: its UID, else "namespace/name" where the source
// knows no UID.
func (h Holder) Key() string {
	if h.PodUID != "" {
		return h.PodUID
	}
	if h.Pod == "" {
		return ""
	}
	return h.Namespace + "/" + h.Pod
}

// Sharing says how a device is shared between its holders.
type Sharing string

// The kinds of sharing. An exclusive holder has the whole device, one of a MIG
// instance the whole instance; all others have some of its slots.
const (
	Exclusive   Sharing = "exclusive"
	MIG         Sharing = "mig"
	TimeSlicing Sharing = "time_slicing"
	MPS         Sharing = "mps"
	DRA         Sharing = "dra"
	VGPU        Sharing = "vgpu"
)

// Slots says what a shared holder is entitled to: N of Of equal parts of the
// device. The zero value: the source told only a share.
type Slots struct{ N, Of int64 }

// Allocation says that at Time a pod held a device, since Begin.
type Allocation struct {
	Device  DeviceID // empty if the source couldn't resolve it
	Ref     string   // what the source called it then
	Node    string
	Cluster string
	Holder  Holder
	Sharing Sharing
	Share   float64 // of the device, in (0, 1]
	Slots   Slots
	Time    Time
	Begin   Time // NoTime if the source doesn't know it
	Ended   bool // the allocation ended at Time, dated by the source
}

// AllocationCount completes an allocation set: the set of Node at Time is
// complete when Count allocations with that timestamp arrived.
type AllocationCount struct {
	Node    string
	Cluster string
	Time    Time
	Count   int
}

// DeviceAllocation is of an allocation set of one device, read from the labels
// of its samples: at Time, Holder had it; an empty Holder.Key means nobody. Of a
// device that is shared, the labels name its slots: all that have one Time.
type DeviceAllocation struct {
	Device Device
	Slot   string // "" if the whole device is meant
	Holder Holder
	Time   Time
}

// PartitionCount says how many MIG instances a board had at Time.
type PartitionCount struct {
	Board Device
	Time  Time
	Count int
	Ended bool // the board is in MIG mode no more; Count is void
}
