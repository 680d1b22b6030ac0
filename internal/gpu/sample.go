// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpu

// Sample is a gauge sample of activity: Value, in [0, 1], speaks for the time
// from the sample before it to Time.
type Sample struct {
	Device Device
	Engine Engine
	Source string // gpu.activity.source: "prof", "util", …
	Time   Time
	Value  float64
}

// CounterPart says which of the two counters of a sum pair a point belongs to.
type CounterPart uint8

// The two halves of a sum pair. A pair is evidence only when both halves
// carry the same device, engine and timestamp.
const (
	ActivityPart CounterPart = iota // gpu.activity.time: ∫ activity dt
	ObservedPart                    // gpu.observed.time: time with valid samples
)

// Counter is one half of a sum pair: a cumulative sum, in nanoseconds, since
// Start.
type Counter struct {
	Device Device
	Engine Engine
	Source string
	Part   CounterPart
	Start  Time
	Time   Time
	Nanos  int64
}

// SeriesEnd says that an activity series ended (NoRecordedValue). A device has
// ended when every series of EngineAny that it had has ended.
type SeriesEnd struct {
	Device Device
	Engine Engine
	Source string
	Time   Time
}

// Process is the activity of one process on a device, as a share of the time
// since the point before. It weighs how the activity of a shared device is
// divided between its holders.
type Process struct {
	Device DeviceID
	Pod    string // Holder.Key; "" if the process belongs to no pod
	PID    string // tells apart the processes of one time
	Time   Time
	Value  float64 // in [0, 1]
}

// Memory is the used memory of a device.
type Memory struct {
	Device DeviceID
	Time   Time
	Bytes  uint64
}

// Availability says whether a device can be given to a pod. It is in force
// from Time until the next one, for max_gap at most.
type Availability struct {
	Device    DeviceID
	Time      Time
	Available bool
	Reason    Reason // if not available: ReasonHealth, ReasonTaint, ReasonNode or ReasonReconfiguration
}

// Status says whether a device failed or is lost. It is in force from Time
// until the next one, for max_gap at most.
type Status struct {
	Device DeviceID
	Time   Time
	Failed bool
}
