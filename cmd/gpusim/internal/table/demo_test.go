// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package table

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/counters"
	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/verdict"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// everything is an account with an hour in every condition that there is, and
// two minutes more for each after the first.
func everything() counters.Account {
	a := counters.Account{Node: "n1", Device: "GPU-3", Namespace: "ml", Pod: "all", PodUID: "3", Attribution: gpu.ExclusiveAttribution}
	a.States = make(map[gpu.Condition]time.Duration)
	for s := gpu.Unavailable; s <= gpu.Productive; s++ {
		for _, r := range append(s.Reasons(), gpu.NoReason)[:max(1, len(s.Reasons()))] {
			for _, c := range qualified(gpu.Condition{State: s, Reason: r}) {
				a.States[c] = time.Hour + time.Duration(len(a.States))*2*time.Minute
			}
		}
	}
	return a
}

func qualified(c gpu.Condition) (all []gpu.Condition) {
	if c.State != gpu.Idle {
		return []gpu.Condition{c}
	}
	for _, form := range []gpu.Form{gpu.BetweenWork, gpu.Episode} {
		for _, residence := range []gpu.Residence{gpu.ResidentUnknown, gpu.ResidentTrue, gpu.ResidentFalse} {
			c.Form, c.Residence = form, residence
			all = append(all, c)
		}
	}
	return all
}

func TestExplained(t *testing.T) {
	total := counters.Total([]counters.Account{everything()})
	assertFits(t, Explained(total, price(t, "1.74")))
	golden(t, "explained.txt", Explained(total, price(t, "1.74"))+"\n"+Explained(counters.Total(fleet()), Price{}))
}

// Every reason is explained, in the room that there is.
func TestMeanings(t *testing.T) {
	for s := gpu.Unavailable; s <= gpu.Productive; s++ {
		for _, r := range s.Reasons() {
			assert.NotEmpty(t, meanings[r], r)
			assert.LessOrEqual(t, len(meanings[r]), explainedBars, r)
		}
	}
}

// cluster has pods that hold several devices, a part of one, and an instance.
func cluster() []counters.Account {
	idle := func(r gpu.Reason, hours float64) map[gpu.Condition]time.Duration {
		return map[gpu.Condition]time.Duration{
			{State: gpu.Idle, Reason: r, Form: gpu.Episode, Residence: gpu.ResidentTrue}: time.Duration(hours * float64(time.Hour)),
		}
	}
	account := func(node, device, pod string, as gpu.Attribution, r gpu.Reason, hours float64) counters.Account {
		a := counters.Account{Node: node, Device: device, Namespace: "ml", Pod: pod, PodUID: pod, Attribution: as, States: idle(r, hours)}
		a.Allocated = states(a)
		return a
	}
	accounts := []counters.Account{
		account("n1", "GPU-1", "chat", gpu.ExclusiveAttribution, gpu.ReasonInference, 6),
		account("n1", "GPU-2", "chat", gpu.ExclusiveAttribution, gpu.ReasonInference, 5),
		account("n1", "GPU-3", "speech", gpu.EqualAttribution, gpu.ReasonInference, 1.5),
		account("n1", "GPU-3", "speech", gpu.ProcessAttribution, gpu.ReasonStarved, 2),
		account("n2", "MIG-1", "notebook", gpu.PartitionAttribution, gpu.ReasonInteractive, 4),
		{Node: "n2", Device: "GPU-4", States: map[gpu.Condition]time.Duration{{State: gpu.Unallocated, Reason: gpu.ReasonFree}: 7 * time.Hour}},
	}
	accounts[4].Parent, accounts[4].Class = "GPU-4", gpu.ClassInteractive
	return accounts
}

func TestHeadline(t *testing.T) {
	assert.Equal(t, "2 nodes with 4 GPUs, 90 minutes: 25.50 GPU-hours. Allocated 72.5 %, active 0.0 %, productive 0.0 %.\n"+
		"The biggest loss while held is idle time, inference: it serves, and no request was there.\n"+
		"12.50 GPU-hours of it, 88.0 % with 1 of 2 pods.",
		Headline(cluster(), 90*time.Minute))
	assertFits(t, Headline(cluster(), 90*time.Minute))
	assert.Equal(t, "0 nodes with 0 GPUs, 1 hour: 0.00 GPU-hours. Allocated 0.0 %, active 0.0 %, productive 0.0 %.\n"+
		"No allocated device was idle.", Headline(nil, time.Hour))
	assert.Contains(t, Headline(nil, 61*time.Second), ", 1m1s:")
}

func TestMostIdle(t *testing.T) {
	golden(t, "most-idle.txt", MostIdle(cluster(), 10)+"\n"+MostIdle(cluster(), 1)+"\n"+MostIdle(nil, 1))
	assertFits(t, MostIdle(cluster(), 10))
}

func TestBesides(t *testing.T) {
	total := counters.Total(fleet())
	total.Active += time.Hour
	assertFits(t, Besides(total))
	assert.Equal(t, "\nActive while starting or stopping, as in loading a model: 1.00 GPU-hours, not on the line Active.\n", Besides(total))
	total.Active = busy(total)
	assert.Empty(t, Besides(total))
}

func TestComparison(t *testing.T) {
	truth := []counters.Account{everything()}
	truth[0].Allocated = 100 * time.Hour
	export := counters.Export{Accounts: []counters.Account{everything()}, Errors: map[string]time.Duration{"n1": 0}}
	export.Accounts[0].Allocated = 100*time.Hour + time.Millisecond
	export.Accounts[0].States[gpu.Condition{State: gpu.Productive}] -= 12
	v := verdict.Compare(truth, export)
	assertFits(t, Comparison(v))
	golden(t, "comparison.txt", Comparison(v)+"\n"+Differences(v, 5, "OTLP"))
	assert.Empty(t, Differences(verdict.Compare(truth, counters.Export{Accounts: truth}), 5, "OTLP"))
	assert.Equal(t, "-0.000000012", nanoseconds(-12))
}

func TestChecked(t *testing.T) {
	truth := []counters.Account{everything()}
	assert.Equal(t, "OTLP: 65 counters, each as it should be to 1 µs; largest difference 0 ns.",
		Checked(verdict.Compare(truth, counters.Export{Accounts: truth}), "OTLP"))
	export := everything()
	export.States[gpu.Condition{State: gpu.Productive}] -= 12
	assert.Equal(t, "OTLP: 65 counters, each as it should be to 1 µs; largest difference 12ns "+
		"(node n1, device GPU-3, pod ml/all (exclusive), gpu.time (productive): truth 3h8m0s, exported 3h7m59.999999988s).",
		Checked(verdict.Compare(truth, counters.Export{Accounts: []counters.Account{export}}), "OTLP"))
}
