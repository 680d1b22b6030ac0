// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package world

import "github.com/otelcol-gpu/otelcol-gpu/internal/gpu"

// Pod is a pod that holds devices.
type Pod struct {
	gpu.Holder
	Holds      []Hold
	Milestones []Milestone // in order of time
	Metrics    []Metric
	// Processes: the source tells what each of its processes does.
	Processes bool
}

// Hold is a pod's hold of one device.
type Hold struct {
	Span
	Device  gpu.DeviceID
	Sharing gpu.Sharing
	Slots   gpu.Slots // of a shared device, else the zero value
	// Activity is what the pod's processes do on the device, before and after
	// which it does nothing.
	Activity Activity
	// Unseen: the end isn't told, as of a pod that was deleted by force.
	Unseen bool
}

// Milestone is a mark in the life of a pod.
type Milestone struct {
	Name      gpu.MilestoneName
	Attempt   int
	Container string
	Source    string
	At        gpu.Time
}

// Metric is an application metric of a pod.
type Metric struct {
	Profile gpu.OutputProfile
	Join    gpu.Join
	Marks   Marks
	Span           // the target can be scraped
	Failing []Span // but not in these
}

// Mark is the value of a metric from At on. Start is that of the process that
// counts: a counter begins again from 0 with another Start.
type Mark struct {
	At, Start gpu.Time
	Value     float64
}

// Marks returns a new walk over the changes of a metric, in order of time.
type Marks func() func() (Mark, bool)
