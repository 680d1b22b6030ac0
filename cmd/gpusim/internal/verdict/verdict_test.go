// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/counters"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

var (
	busy    = gpu.Condition{State: gpu.Productive}
	between = gpu.Condition{State: gpu.Idle, Reason: gpu.ReasonBatch, Form: gpu.BetweenWork, Residence: gpu.ResidentTrue}
	unsure  = gpu.Condition{State: gpu.Idle, Reason: gpu.ReasonBatch, Form: gpu.BetweenWork, Residence: gpu.ResidentUnknown}
	free    = gpu.Condition{State: gpu.Unallocated, Reason: gpu.ReasonFree}
)

// world is a node with a pod that shares a device, and the device's own time.
func world() []counters.Account {
	pod := counters.Account{
		Node: "n1", Device: "GPU-1", Namespace: "ml", Pod: "train", PodUID: "7", Attribution: gpu.EqualAttribution,
		States:    map[gpu.Condition]time.Duration{busy: 30 * time.Second, between: 10 * time.Second, unsure: 5 * time.Second},
		Allocated: 45 * time.Second, Active: 30 * time.Second, Productive: 30 * time.Second, Entitled: 20 * time.Second,
	}
	own := counters.Account{
		Node: "n1", Device: "GPU-1", States: map[gpu.Condition]time.Duration{free: time.Minute, busy: 0},
	}
	for i, a := range []*counters.Account{&pod, &own} {
		a.Cluster, a.Parent = "c1", "GPU-0"
		if i == 0 {
			a.Class, a.Container = gpu.ClassBatch, "main"
			a.WorkloadKind, a.Workload, a.Group = "PyTorchJob", "train", "ranks"
		}
	}
	return []counters.Account{pod, own}
}

// changed compares the world with an export of it that a change was made to.
func changed(change func(*counters.Export)) Verdict {
	export := counters.Export{Accounts: world(), Errors: map[string]time.Duration{"n1": 0}}
	change(&export)
	return Compare(world(), export)
}

func TestCompareEqual(t *testing.T) {
	v := changed(func(*counters.Export) {})
	require.NoError(t, v.Err())
	assert.Equal(t, 8, v.Figures, "3 states, 4 measures, free time: what is 0 isn't there")
	assert.Zero(t, v.Largest.By())
	assert.Equal(t, []Line{
		{Figure{Condition: free}, time.Minute, time.Minute, 0},
		{Figure{Condition: gpu.Condition{State: gpu.Idle, Reason: gpu.ReasonBatch, Form: gpu.BetweenWork}}, 15 * time.Second, 15 * time.Second, 0},
		{Figure{Condition: busy}, 30 * time.Second, 30 * time.Second, 0},
		{Figure{Measure: "gpu.allocated.time"}, 45 * time.Second, 45 * time.Second, 0},
		{Figure{Measure: "gpu.active.time"}, 30 * time.Second, 30 * time.Second, 0},
		{Figure{Measure: "gpu.productive.time"}, 30 * time.Second, 30 * time.Second, 0},
		{Figure{Measure: "gpu.entitled.time"}, 20 * time.Second, 20 * time.Second, 0},
	}, v.Lines)
}

// Each way to be wrong is found.
func TestCompareFinds(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*counters.Export)
		want   string
	}{
		"state": {
			func(e *counters.Export) { e.Accounts[0].States[between] += 1001 },
			"node n1, device GPU-1, pod ml/train (equal), gpu.time (idle, batch, between_work, resident true): truth 10s, exported 10.000001001s",
		},
		"residence": {
			func(e *counters.Export) {
				e.Accounts[0].States[between] -= time.Second
				e.Accounts[0].States[unsure] += time.Second
			},
			"2 of 8 figures aren't what is true",
		},
		"allocated": {func(e *counters.Export) { e.Accounts[0].Allocated -= time.Minute }, "gpu.allocated.time: truth 45s, exported -15s"},
		"active":    {func(e *counters.Export) { e.Accounts[0].Active += time.Hour }, "gpu.active.time: truth 30s"},
		"output":    {func(e *counters.Export) { e.Accounts[0].Productive /= 2 }, "gpu.productive.time: truth 30s, exported 15s"},
		"slots":     {func(e *counters.Export) { e.Accounts[0].Entitled *= 2 }, "gpu.entitled.time: truth 20s, exported 40s"},
		"own": {
			func(e *counters.Export) { e.Accounts[1].States[free]-- },
			"",
		},
		"missing series": {
			func(e *counters.Export) { delete(e.Accounts[1].States, free) },
			"nobody's time, gpu.time (unallocated, free): truth 1m0s, exported 0s",
		},
		"additional series": {
			func(e *counters.Export) { e.Accounts[1].States[busy] = 1 },
			"nobody's time, gpu.time (productive): truth 0s, exported 1ns",
		},
		"missing account":    {func(e *counters.Export) { e.Accounts = e.Accounts[:1] }, "1 of 8 figures"},
		"additional account": {func(e *counters.Export) { e.Accounts[1].Overflow = true }, "2 of 9 figures"},
		"found otherwise":    {func(e *counters.Export) { e.Accounts[0].Attribution = gpu.ProcessAttribution }, "14 of 15 figures"},
		"ledger error":       {func(e *counters.Export) { e.Errors["n1"] = -2 }, "node n1 found gpu.ledger.error -2ns"},
		"ledger error of another": {
			func(e *counters.Export) { e.Errors["n2"] = 3 }, "node n2 found gpu.ledger.error 3ns",
		},
		"no check": {func(e *counters.Export) { e.Errors = nil }, "no gpu.ledger.error of n1"},
	} {
		t.Run(name, func(t *testing.T) {
			v := changed(c.change)
			if c.want == "" {
				require.NoError(t, v.Err(), "within the limit")
				return
			}
			require.Error(t, v.Err())
			found := v.Err().Error()
			if len(v.Differences) > 0 {
				found += "\n" + v.Differences[0].String()
			}
			assert.Contains(t, found, c.want)
		})
	}
	assert.ErrorContains(t, Compare(nil, counters.Export{}).Err(), "nothing to compare")
}

func TestCompareOrdersDifferences(t *testing.T) {
	v := changed(func(e *counters.Export) {
		e.Accounts[0].Active += 2 * time.Second
		e.Accounts[0].States[between] -= 3 * time.Second
		e.Accounts[1].States[free] += time.Millisecond
	})
	var by []time.Duration
	for _, d := range v.Differences {
		by = append(by, d.By())
	}
	assert.Equal(t, []time.Duration{-3 * time.Second, 2 * time.Second, time.Millisecond}, by)
	assert.Equal(t, v.Differences[0], v.Largest)
	assert.Equal(t, 3*time.Second, v.Lines[1].Largest)
}

// What describes an account has to be the same on both sides, each label of it.
func TestCompareLabels(t *testing.T) {
	for want, change := range map[string]func(*counters.Account){
		`k8s.cluster.name: truth "c1", exported "x"`:               func(a *counters.Account) { a.Cluster = "x" },
		`hw.parent: truth "GPU-0", exported "GPU-9"`:               func(a *counters.Account) { a.Parent = "GPU-9" },
		`k8s.namespace.name: truth "ml", exported "evil"`:          func(a *counters.Account) { a.Namespace = "evil" },
		`k8s.pod.name: truth "train", exported "nobody"`:           func(a *counters.Account) { a.Pod = "nobody" },
		`k8s.container.name: truth "main", exported ""`:            func(a *counters.Account) { a.Container = "" },
		`gpu.workload.class: truth "batch", exported "inference"`:  func(a *counters.Account) { a.Class = gpu.ClassInference },
		`gpu.workload.kind: truth "PyTorchJob", exported "Job"`:    func(a *counters.Account) { a.WorkloadKind = "Job" },
		`gpu.workload.name: truth "train", exported "test"`:        func(a *counters.Account) { a.Workload = "test" },
		`gpu.workload.group: truth "ranks", exported "everything"`: func(a *counters.Account) { a.Group = "everything" },
	} {
		v := changed(func(e *counters.Export) { change(&e.Accounts[0]) })
		assert.Empty(t, v.Differences, want)
		require.EqualError(t, v.Err(), "1 label isn't what is true: node n1, device GPU-1, pod ml/train (equal), "+want)
	}
	v := changed(func(e *counters.Export) {
		e.Accounts[0].Pod, e.Accounts[0].Parent = "nobody", ""
		e.Accounts[1].Parent = ""
	})
	require.ErrorContains(t, v.Err(), `3 labels aren't what is true, the first: node n1, device GPU-1, nobody's time, hw.parent: truth "GPU-0", exported ""`)
	assert.Len(t, v.Mislabels, 3)
}

// A page of the Prometheus exporter doesn't have attributes of the resource; if
// it has them, they have to be true.
func TestCompareWithoutTheCluster(t *testing.T) {
	unnamed := func(e *counters.Export) {
		for i := range e.Accounts {
			e.Accounts[i].Cluster = ""
		}
	}
	require.Error(t, changed(unnamed).Err())
	require.NoError(t, changed(func(e *counters.Export) { unnamed(e); e.NoCluster = true }).Err())
}

// Neither side has an account twice.
func TestCompareTwice(t *testing.T) {
	export := counters.Export{Accounts: world(), Errors: map[string]time.Duration{"n1": 0}}
	twice := append(world(), world()[0])
	twice[0].States = nil
	require.ErrorContains(t, Compare(twice, export).Err(), "the truth has 2 accounts of node n1, device GPU-1, pod ml/train (equal)")

	export.Accounts = append(export.Accounts, world()[0], world()[0])
	require.ErrorContains(t, Compare(world(), export).Err(), "the export has 3 accounts of node n1, device GPU-1, pod ml/train (equal)")
}
