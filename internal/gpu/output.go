// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpu

import "time"

// OutputKind says what an application metric is evidence of.
type OutputKind uint8

// The kinds of application metrics.
const (
	// OutputCounter counts what the workload produced; a rise proves output.
	OutputCounter OutputKind = iota
	// DemandGauge is work that waits or runs: above 0, idle time is starved.
	DemandGauge
	// SleepGauge is above 0 while the engine says that it sleeps.
	SleepGauge
	outputKinds
)

var outputKindNames = [outputKinds]string{"output", "demand", "sleep"}

// String returns the kind as it is written in the configuration.
func (k OutputKind) String() string { return outputKindNames[k] }

// ParseOutputKind is the inverse of OutputKind.String.
func ParseOutputKind(name string) (OutputKind, bool) {
	return parse[OutputKind](outputKindNames[:], name)
}

// OutputProfile says how to read one application metric.
type OutputProfile struct {
	Metric string
	Kind   OutputKind
	Unit   string        // of what is counted, as "{token}"
	Window time.Duration // a rise proves the activity of this time before it
}

// Join is how an application metric finds its holder: by the first of pod UID,
// namespace and name, pod IP, device that it has.
type Join struct {
	PodUID    string
	Namespace string
	Pod       string
	PodIP     string
	Device    DeviceID
	// Group is beside these: all pods of the group are credited.
	Group string
}

// Output is one point of an application metric.
type Output struct {
	Profile OutputProfile
	Join    Join
	Series  string // tells apart the series of one metric of one pod
	Start   Time
	Time    Time
	Value   float64
	Ended   bool // NoRecordedValue: the series ended, Value is void
}
