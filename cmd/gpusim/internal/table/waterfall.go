// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package table

import (
	"cmp"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/counters"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// node is a line of the waterfall.
type node struct {
	sign  string
	title string
	time  time.Duration
	note  string // what it means, instead of a bar
	parts []node // what it is the sum of, in the order of printing
	// within are shares of it that aren't parts of it.
	within []node
}

// waterfall arranges an account from capacity down to productive. The lines
// after a sum, up to and with the next one, are its parts. What lines consist
// of is told apart by name.
func waterfall(a counters.Account, name naming) node {
	active := sum("=", "Active",
		name.minus("Busy, unproven", a, counters.State(gpu.Unproven), gpu.NoReason),
		node{sign: "=", title: "Productive", time: a.Sum(counters.State(gpu.Productive))},
	)
	idle := name.minus("Idle", a, counters.State(gpu.Idle), gpu.NoReason)
	idle.within = name.within(a)
	allocated := sum("=", "Allocated",
		name.minus("No data (activity)", a, noActivity, gpu.ReasonActivity),
		name.minus(starting, a, counters.State(gpu.Startup), gpu.NoReason),
		name.minus(stopping, a, counters.State(gpu.Terminating), gpu.NoReason),
		idle,
		active,
	)
	return sum("", "Capacity",
		name.minus("No data (allocation)", a, noAllocation, gpu.ReasonAllocation),
		name.minus("Out of service", a, counters.State(gpu.Unavailable), gpu.NoReason),
		name.minus("Free", a, counters.State(gpu.Unallocated), gpu.ReasonFree),
		allocated,
	)
}

// The lines that are left out if there is none: they are rare.
const (
	starting = "Starting"
	stopping = "Stopping"
)

var noAllocation = counters.Because(gpu.Unobserved, gpu.ReasonAllocation)

// noActivity is held time without evidence, for want of samples or because
// the device failed.
func noActivity(c gpu.Condition) bool {
	return c.State == gpu.Unobserved && c.Reason != gpu.ReasonAllocation
}

func resident(c gpu.Condition) bool {
	return c.State == gpu.Idle && c.Residence == gpu.ResidentTrue
}

func sum(sign, title string, parts ...node) node {
	s := node{sign: sign, title: title}
	for _, part := range parts {
		s.time += part.time
		rare := part.title == starting || part.title == stopping
		if !rare || part.time != 0 {
			s.parts = append(s.parts, part)
		}
	}
	return s
}

func compare(a, b gpu.Condition) int {
	return cmp.Or(
		cmp.Compare(a.State, b.State),
		cmp.Compare(a.Reason, b.Reason),
		cmp.Compare(a.Form, b.Form),
		cmp.Compare(a.Residence, b.Residence),
	)
}
