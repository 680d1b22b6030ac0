// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/counters"
	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/table"
	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/verdict"
	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/watch"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/internal/ledger"
)

func simulationOf(t *testing.T, name string) *simulation {
	t.Helper()
	o := simulationFlags{scenario: name}
	s, err := o.load()
	require.NoError(t, err)
	return o.of(s)
}

// The README of the demo shows the account as it has to be.
func TestReadmeOfDCGM(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join("..", "..", "examples", "demo-dcgm", "README.md"))
	require.NoError(t, err)
	assert.Contains(t, string(readme), table.Seconds(heldByState(simulationOf(t, "dcgm").happened())))
}

// An account that is a microsecond off isn't what happened, nor is one without
// the collector's own check.
func TestReportDCGM(t *testing.T) {
	sim := simulationOf(t, "dcgm")
	right := func() counters.Export {
		return counters.Export{Accounts: sim.happened(), Errors: map[string]time.Duration{"gpu-node": 0}}
	}
	require.NoError(t, reportDCGM(t.Output(), sim, right()))

	off := right()
	for c := range off.Accounts[0].States {
		off.Accounts[0].States[c] += 2 * time.Microsecond
	}
	require.Zero(t, off.Accounts[0].Allocated, "a device that nobody held")
	require.NoError(t, reportDCGM(t.Output(), sim, off))
	for i := range off.Accounts {
		if a := &off.Accounts[i]; a.Held() {
			a.States[gpu.Condition{State: gpu.Terminating}] += 2 * time.Microsecond
			break
		}
	}
	require.ErrorContains(t, reportDCGM(t.Output(), sim, off), "1 of 30 figures aren't what is true")

	unchecked := right()
	unchecked.Errors = nil
	require.Error(t, reportDCGM(t.Output(), sim, unchecked))
}

func TestDCGMUsage(t *testing.T) {
	t.Setenv("DCGM_STANDIN_SCRIPT", "")
	script := filepath.Join(t.TempDir(), "script")
	for _, c := range []struct {
		code int
		args []string
		want string
	}{
		{2, nil, "--script is missing"},
		{2, []string{"--script", script, "--off", "-1"}, "--off is -1: want 0 to 1000"},
		{2, []string{"--script", script, "--kind", "gauges"}, "--kind is gauges: DCGM takes samples"},
		{1, []string{"--script", script, "--sink", "127.0.0.1:0", "--scenario", "demo"}, "scenario demo: it has 4 nodes: want a single one"},
		{1, []string{"--script", t.TempDir(), "--sink", "127.0.0.1:0"}, "open the script of the stand-in for DCGM"},
	} {
		code, _, stderr := gpusim(t, append([]string{"dcgm"}, c.args...)...)
		assert.Equal(t, c.code, code, c.args)
		assert.Contains(t, stderr, c.want)
	}
}

// TestScenarioOfDCGM: its account is what happened, whenever the collector
// collects, also if a busy machine makes it skip collections. Nobody can move those
// of a real one, so that they are moved here, before a ledger with the settings of
// the demo.
func TestScenarioOfDCGM(t *testing.T) {
	cfg := ledger.DefaultConfig()
	cfg.SettleDelay = 5 * time.Second
	happened := heldByState(simulationOf(t, "dcgm").happened())
	for _, step := range []time.Duration{time.Second, 2500 * time.Millisecond} {
		for shift := 20 * time.Millisecond; shift < step; shift += 20 * time.Millisecond {
			sim := simulationOf(t, "dcgm")
			n := sim.nodes[0]
			ticks := []watch.Tick{n.Ticks[0]}
			for at := sim.world.Start.Add(shift); at < sim.world.End; at = at.Add(step) {
				ticks = append(ticks, watch.Tick{Real: at, Told: at})
			}
			n.Ticks = slices.Concat(ticks, n.Ticks[len(n.Ticks)-1:])
			v := verdict.Compare(happened, counters.Export{
				Accounts: heldByState(publishedBy(cfg, sim)), Errors: map[string]time.Duration{"gpu-node": 0},
			})
			require.NoError(t, v.Err(), "%s, %s: %v", step, shift, v.Differences)
		}
	}
}
