// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package sink

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/counters"
	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/replay"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpupdata"
)

func at(seconds int) gpu.Time { return gpu.Earliest.Add(time.Duration(seconds) * time.Second) }

var productive = gpu.Condition{State: gpu.Productive}

// chat is what an account is at a second: productive for all of the time
// since start.
func chat(start, second int) gpu.Account {
	d := time.Duration(second-start)*time.Second + 1
	return gpu.Account{
		Device: gpu.Device{ID: "GPU-1", Parent: "GPU-0", Node: "n1", Cluster: "c1"},
		Kind:   gpu.HolderAccount,
		Holder: gpu.Holder{
			Namespace: "ml", Pod: "chat", PodUID: "7", PodIP: "10.0.0.7", Container: "vllm",
			Workload: gpu.Workload{Kind: "LeaderWorkerSet", Name: "chats", Class: gpu.ClassInference, Group: "pair"},
		},
		Attribution: gpu.EqualAttribution, Start: at(start), Time: at(second), New: start == second,
		States:    []gpu.StateTime{{Condition: productive, Nanos: d, Start: at(start), New: start == second}},
		Allocated: d, Active: d, Productive: d, Entitled: 2 * d,
	}
}

func free(second int) gpu.Account {
	return gpu.Account{
		Device: gpu.Device{Ref: "nvidia3", Node: "n1"}, Time: at(second),
		States: []gpu.StateTime{{
			Condition: gpu.Condition{State: gpu.Unallocated, Reason: gpu.ReasonFree},
			Nanos:     time.Duration(second) * time.Second, Start: at(0),
		}},
	}
}

func encoded(accounts ...gpu.Account) pmetric.Metrics {
	metrics := pmetric.NewMetrics()
	gpupdata.EncodeDerived(gpu.Derived{Accounts: accounts}, metrics)
	return metrics
}

func health(second int, found time.Duration) pmetric.Metrics {
	metrics := pmetric.NewMetrics()
	gpupdata.EncodeHealth([]gpupdata.NodeHealth{{
		NodeStanding: gpu.NodeStanding{Node: "n1", Start: at(0), Time: at(second)}, Error: &found,
	}}, metrics)
	return metrics
}

// receive sends requests to a sink and returns what it has then.
func receive(t *testing.T, requests ...pmetric.Metrics) (counters.Export, error) {
	t.Helper()
	s, err := Listen("127.0.0.1:0")
	require.NoError(t, err)
	defer func() { assert.NoError(t, s.Close()) }()
	sender, err := replay.Dial(s.Address())
	require.NoError(t, err)
	defer sender.Close()
	for _, r := range requests {
		require.NoError(t, sender.Send(t.Context(), r))
	}
	return s.Export()
}

func TestExport(t *testing.T) {
	export, err := receive(t, encoded(chat(5, 5), free(5)), encoded(chat(5, 10)), encoded(free(20)), encoded(chat(5, 5)))
	require.NoError(t, err)
	d := 5*time.Second + 1
	assert.Equal(t, []counters.Account{
		{
			Cluster: "c1", Node: "n1", Device: "GPU-1", Parent: "GPU-0",
			Namespace: "ml", Pod: "chat", PodUID: "7", Container: "vllm",
			WorkloadKind: "LeaderWorkerSet", Workload: "chats", Class: gpu.ClassInference, Group: "pair",
			Attribution: gpu.EqualAttribution,
			States:      map[gpu.Condition]time.Duration{productive: d},
			Allocated:   d, Active: d, Productive: d, Entitled: 2 * d,
		},
		{
			Node: "n1", Device: "nvidia3",
			States: map[gpu.Condition]time.Duration{{State: gpu.Unallocated, Reason: gpu.ReasonFree}: 20 * time.Second},
		},
	}, export.Accounts)
	assert.Empty(t, export.Errors)
}

// An account that begins anew counts on top of what it was.
func TestExportOverStarts(t *testing.T) {
	export, err := receive(t, encoded(chat(5, 10)), encoded(chat(20, 20)), encoded(chat(20, 21)))
	require.NoError(t, err)
	require.Len(t, export.Accounts, 1)
	assert.Equal(t, 6*time.Second+2, export.Accounts[0].States[productive])
	assert.Equal(t, 6*time.Second+2, export.Accounts[0].Allocated)
}

// An account that is described in another way later is another: none hides what
// the other says.
func TestExportOfLabelsThatChange(t *testing.T) {
	renamed := chat(5, 10)
	renamed.Holder.Namespace = "evil"
	export, err := receive(t, encoded(chat(5, 10)), encoded(renamed))
	require.NoError(t, err)
	require.Len(t, export.Accounts, 2)
	assert.Equal(t, []string{"evil", "ml"}, []string{export.Accounts[0].Namespace, export.Accounts[1].Namespace})
}

// A later 0 doesn't hide what the self-check found.
func TestExportKeepsTheWorstError(t *testing.T) {
	export, err := receive(t, health(1, 0), health(2, -3), health(3, 2), health(4, 0))
	require.NoError(t, err)
	assert.Equal(t, map[string]time.Duration{"n1": -3}, export.Errors)
}

func TestExportOfWhatCannotBe(t *testing.T) {
	falls := chat(5, 10)
	falls.Productive--
	_, err := receive(t, encoded(chat(5, 10)), encoded(falls), encoded(chat(5, 11)))
	require.ErrorContains(t, err, `device GPU-1, pod "chat": gpu.productive.time fell from 5.000000001s to 5s under one start`)

	strange := encoded(chat(5, 10))
	point := strange.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().At(0).Sum().DataPoints().At(0)
	point.Attributes().PutStr(gpupdata.AttrState, "asleep")
	_, err = receive(t, strange)
	assert.ErrorContains(t, err, "1 derived points arrived that gpusim can't read: unknown_state")
}

func TestListenError(t *testing.T) {
	s, err := Listen("127.0.0.1:0")
	require.NoError(t, err)
	defer s.Close()
	_, err = Listen(s.Address())
	require.ErrorContains(t, err, s.Address())
	assert.ErrorContains(t, err, "--sink names another address")
}
