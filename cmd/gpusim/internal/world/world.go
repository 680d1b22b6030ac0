// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package world

import "github.com/otelcol-gpu/otelcol-gpu/internal/gpu"

// World is what happens on some nodes in (Start, End].
type World struct {
	Start, End gpu.Time
	Nodes      []*Node
}

// Node is a machine with its devices and the pods that hold them.
type Node struct {
	Name    string
	Cluster string
	Devices []*Device
	Pods    []*Pod
	Outages []Outage
	Clock   []ClockStep // in order of time
	Hitches []Hitch
}

// Span is the time (From, To].
type Span struct{ From, To gpu.Time }

// Has reports whether t is in s.
func (s Span) Has(t gpu.Time) bool { return s.From < t && t <= s.To }

// Within reports whether t is in one of spans.
func Within(spans []Span, t gpu.Time) bool {
	for _, s := range spans {
		if s.Has(t) {
			return true
		}
	}
	return false
}

// Part is a part of an agent that can be away.
type Part string

// The parts of an agent.
const (
	Collector  Part = "collector"  // the whole agent: nothing is told
	Engine     Part = "engine"     // DCGM's host engine: nothing is told of devices
	Kubernetes Part = "kubernetes" // the kubelet: nothing is told of holders
)

// Outage is the time in which a part of the agent is away.
type Outage struct {
	Span
	Part Part
}

// ClockStep moves the node's wall clock at At. By is at most a few seconds;
// a second step adds to the first.
type ClockStep struct {
	At gpu.Time
	By int64 // nanoseconds, negative for a step back
}

// Hitch is what goes wrong with the batches collected in a span on their way
// to the ledger.
type Hitch struct {
	Span
	Late  int  // a batch comes this many batches later than it should
	Twice bool // a batch comes a second time
}
