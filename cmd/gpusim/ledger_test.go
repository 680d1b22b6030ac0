// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/counters"
	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/feed"
	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/verdict"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/internal/ledger"
)

// published is the newest of each account that a ledger published of a
// simulation. In it, no account begins twice.
func published(sim *simulation) []counters.Account { return publishedBy(ledger.DefaultConfig(), sim) }

func publishedBy(cfg ledger.Config, sim *simulation) (accounts []counters.Account) {
	l, newest := ledger.New(cfg), map[counters.Key]counters.Account{}
	next := sim.walk(feed.Collector{MaxGap: cfg.MaxGap, Settle: cfg.SettleDelay})
	for d, ok := next(); ok; d, ok = next() {
		l.Observe(d.Batch)
		for derived, due := l.Due(); due; derived, due = l.Due() {
			for i := range derived.Accounts {
				a := accountOf(&derived.Accounts[i])
				newest[a.Key()] = a
			}
			l.Confirm(derived)
		}
	}
	for _, a := range newest {
		accounts = append(accounts, a)
	}
	return accounts
}

func accountOf(a *gpu.Account) counters.Account {
	account := counters.Account{
		Cluster: a.Device.Cluster, Node: a.Device.Node, Device: cmp.Or(string(a.Device.ID), a.Device.Ref),
		Parent: string(a.Device.Parent), Namespace: a.Holder.Namespace, Pod: a.Holder.Pod, PodUID: a.Holder.PodUID,
		Container: a.Holder.Container, WorkloadKind: a.Holder.Workload.Kind, Workload: a.Holder.Workload.Name,
		Class: a.Holder.Workload.Class, Group: a.Holder.Workload.Group, Attribution: a.Attribution,
		States:    map[gpu.Condition]time.Duration{},
		Allocated: a.Allocated, Active: a.Active, Productive: a.Productive, Entitled: a.Entitled,
	}
	for _, s := range a.States {
		account.States[s.Condition] = s.Nanos
	}
	return account
}

// One ledger accounts all nodes of the demo, to the nanosecond, also while one
// of them is silent for longer than evidence is kept.
func TestDemoInALedger(t *testing.T) {
	sim, err := runFlags{simulationFlags: simulationFlags{duration: 10*time.Hour + 15*time.Minute, scenario: "demo"}}.began()
	require.NoError(t, err)
	v := verdict.Compare(sim.truth(), counters.Export{
		Accounts: published(sim), Errors: map[string]time.Duration{"gpu-a": 0, "gpu-b": 0, "gpu-c": 0, "gpu-d": 0},
	})
	require.NoError(t, v.Err())
	assert.Zero(t, v.Largest.By(), v.Largest)
	assert.Greater(t, v.Figures, 400)

	total := counters.Total(sim.truth())
	for _, r := range []gpu.Residence{gpu.ResidentTrue, gpu.ResidentFalse} {
		idle := total.Sum(func(c gpu.Condition) bool { return c.State == gpu.Idle && c.Residence == r })
		assert.Greater(t, idle, 15*time.Minute, "the line of which resident tells something: %s", r)
	}
}
