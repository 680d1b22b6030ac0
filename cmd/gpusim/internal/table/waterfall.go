// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package table

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/counters"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// node is a line of the waterfall.
type node struct {
	sign  string
	title string
	time  time.Duration
	parts []node // what it is the sum of, in the order of printing
	// within is a share of it that isn't one of the parts.
	within *node
}

// waterfall arranges an account from capacity down to productive. The lines
// after a sum, up to and with the next one, are its parts.
func waterfall(a counters.Account) node {
	active := sum("=", "Active",
		minus("Busy, unproven", a, counters.State(gpu.Unproven), ""),
		node{sign: "=", title: "Productive", time: a.Sum(counters.State(gpu.Productive))},
	)
	idle := minus("Idle", a, counters.State(gpu.Idle), "")
	idle.within = &node{title: "of which with a model resident", time: a.Sum(resident)}
	allocated := sum("=", "Allocated",
		minus("No data (activity)", a, noActivity, "activity"),
		minus(starting, a, counters.State(gpu.Startup), ""),
		minus(stopping, a, counters.State(gpu.Terminating), ""),
		idle,
		active,
	)
	return sum("", "Capacity",
		minus("No data (allocation)", a, noAllocation, "allocation"),
		minus("Out of service", a, counters.State(gpu.Unavailable), ""),
		minus("Free", a, counters.State(gpu.Unallocated), "free"),
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

// minus is the line of the conditions that match. Its parts are their time by
// reason and form; if usual is the only one, there are none to tell apart.
func minus(title string, a counters.Account, match counters.Match, usual string) node {
	n := node{sign: "−", title: title}
	for _, c := range slices.SortedFunc(maps.Keys(a.States), compare) {
		if !match(c) || a.States[c] == 0 {
			continue
		}
		n.time += a.States[c]
		name := words(c)
		if last := len(n.parts) - 1; last >= 0 && n.parts[last].title == name {
			n.parts[last].time += a.States[c]
			continue
		}
		n.parts = append(n.parts, node{title: name, time: a.States[c]})
	}
	if len(n.parts) == 1 && n.parts[0].title == usual {
		n.parts = nil
	}
	return n
}

func compare(a, b gpu.Condition) int {
	return cmp.Or(
		cmp.Compare(a.State, b.State),
		cmp.Compare(a.Reason, b.Reason),
		cmp.Compare(a.Form, b.Form),
		cmp.Compare(a.Residence, b.Residence),
	)
}

// words names a condition within its state by its reason and form.
func words(c gpu.Condition) string {
	name := c.Reason.String()
	if c.Form != gpu.NoForm {
		name += ", " + c.Form.String()
	}
	return strings.ReplaceAll(name, "_", " ")
}
