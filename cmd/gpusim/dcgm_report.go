// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/counters"
	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/table"
	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/truth"
	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/verdict"
	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/watch"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// reportDCGM prints the account and fails if it isn't what happened.
func reportDCGM(stdout io.Writer, sim *simulation, export counters.Export) error {
	happened := heldByState(sim.happened())
	export.Accounts = heldByState(export.Accounts)
	fmt.Fprintf(stdout, "%s\n", table.Seconds(export.Accounts))
	v := verdict.Compare(happened, export)
	const side = "OTLP output"
	if err := v.Err(); err != nil {
		fmt.Fprint(stdout, table.Differences(v, shownDifferences, side))
		return err
	}
	fmt.Fprintf(stdout, "%s\nLedger error 0 ns: what the collector itself finds when it checks what it sends.\n", table.Checked(v, side))
	return nil
}

// happened is the account of an observer who sees everything.
func (s *simulation) happened() []counters.Account {
	ideal := make([]*watch.Node, 0, len(s.world.Nodes))
	for _, n := range s.world.Nodes {
		ideal = append(ideal, watch.New(s.world, n, watch.Ideal()))
	}
	return verdict.Truth(ideal, truth.DefaultRules())
}

// heldByState leaves out the time in which nobody held a device, which depends
// on when the collector was started, and the reasons of states: to which of them
// a moment is booked depends on when the collector collects.
func heldByState(accounts []counters.Account) []counters.Account {
	held := slices.DeleteFunc(slices.Clone(accounts), func(a counters.Account) bool { return !a.Held() })
	for i := range held {
		states := make(map[gpu.Condition]time.Duration, len(held[i].States))
		for c, d := range held[i].States {
			states[gpu.Condition{State: c.State}] += d
		}
		held[i].States = states
	}
	return held
}
