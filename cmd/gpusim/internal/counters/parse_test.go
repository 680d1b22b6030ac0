// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package counters

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

func tiny(t *testing.T) []Account {
	t.Helper()
	page, err := os.Open("testdata/tiny.prom")
	require.NoError(t, err)
	defer page.Close()
	export, err := Parse(page)
	require.NoError(t, err)
	accounts, err := export.Of("gentd26")
	require.NoError(t, err)
	return accounts
}

func TestParse(t *testing.T) {
	accounts := tiny(t)
	require.Len(t, accounts, 3, "two holders and a device that was free")
	assert.Equal(t, Account{
		Node:      "gentd26",
		Device:    "GPU-00112233-4455-6677-8899-aabbccddeeff",
		Namespace: "gentd26",
		Pod:       "container-001122334455",
		PodUID:    "00112233-4455-6677-8899-aabbccddeeff",
		States: map[gpu.Condition]time.Duration{
			{State: gpu.Idle, Reason: gpu.ReasonProvisioning, Form: gpu.BetweenWork, Residence: gpu.ResidentTrue}: seconds(28.5),
			{State: gpu.Idle, Reason: gpu.ReasonInference, Form: gpu.BetweenWork, Residence: gpu.ResidentTrue}:    seconds(85.5),
			{State: gpu.Unproven, Reason: gpu.ReasonOutputFlat}:                                                   seconds(71.25),
			{State: gpu.Productive}: seconds(42.75),
		},
		Allocated:  seconds(228),
		Active:     seconds(114),
		Productive: seconds(42.75),
	}, accounts[0])
	free := accounts[1]
	assert.False(t, free.Held())
	assert.Equal(t, "GPU-ffeeddcc-bbaa-9988-7766-554433221100", free.Device)
	assert.Equal(t, seconds(57), free.Sum(Because(gpu.Unallocated, gpu.ReasonFree)))
	assert.True(t, accounts[2].Held())
	assert.Equal(t, seconds(102.6), accounts[2].Sum(State(gpu.Idle)))
}

func TestTotal(t *testing.T) {
	accounts := tiny(t)
	total := Total(accounts)
	assert.Equal(t, seconds(342), total.Allocated)
	assert.Equal(t, seconds(125.4), total.Active)
	assert.Equal(t, seconds(42.75), total.Productive)
	assert.Equal(t, seconds(216.6), total.Sum(State(gpu.Idle)))
	assert.Equal(t, seconds(342), Sum(accounts, func(a Account) time.Duration { return a.Allocated }))
}

func TestParseKeepsNanoseconds(t *testing.T) {
	export, err := Parse(strings.NewReader(
		"gpu_allocated_time_seconds_total{hw_id=\"GPU-1\",k8s_node_name=\"n\",k8s_pod_name=\"p\"} 4.824366123456789e+06\n"))
	require.NoError(t, err)
	assert.EqualValues(t, 4_824_366_123_456_789, export.Accounts[0].Allocated)
	assert.True(t, export.Accounts[0].Held(), "a pod without UID")
}

func TestParseErrors(t *testing.T) {
	line := func(labels, value string) string {
		return "gpu_time_seconds_total{hw_id=\"GPU-1\",k8s_node_name=\"n\"," + labels + "} " + value + "\n"
	}
	for name, c := range map[string]struct{ page, want string }{
		"html":     {"<html>\n", "not in the Prometheus text format"},
		"state":    {line(`gpu_state="asleep"`, "1"), `gpu_time_seconds_total of device GPU-1: gpusim doesn't know the condition "asleep"`},
		"reason":   {line(`gpu_state="idle",gpu_state_reason="lunch"`, "1"), `"idle", "lunch"`},
		"NaN":      {line(`gpu_state="productive"`, "NaN"), "NaN s isn't a time"},
		"negative": {line(`gpu_state="productive"`, "-1"), "-1 s isn't a time"},
		"class":    {line(`gpu_workload_class="game"`, "1"), `the class "game"`},
		"found by": {line(`gpu_attribution="guess"`, "1"), `the attribution "guess"`},
		"error":    {`gpu_ledger_error_seconds{k8s_node_name="n"} +Inf` + "\n", "gpu_ledger_error_seconds of node n: +Inf s isn't a time"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse(strings.NewReader(c.page))
			assert.ErrorContains(t, err, c.want)
		})
	}
}

func TestOf(t *testing.T) {
	for _, page := range []string{"", `gpu_time_seconds_total{hw_id="GPU-1",k8s_node_name="m",gpu_state="productive"} 1` + "\n"} {
		export, err := Parse(strings.NewReader(page))
		require.NoError(t, err)
		_, err = export.Of("n")
		require.ErrorIs(t, err, ErrNone)
		assert.ErrorContains(t, err, `no gpu_time_seconds_total of node "n"`)
	}
}

// An account is of one node, one device, one pod and one way to find its time.
func TestParseAccounts(t *testing.T) {
	page, err := os.Open("testdata/nodes.prom")
	require.NoError(t, err)
	defer page.Close()
	export, err := Parse(page)
	require.NoError(t, err)
	productive := func(s float64) map[gpu.Condition]time.Duration {
		return map[gpu.Condition]time.Duration{{State: gpu.Productive}: seconds(s)}
	}
	chat := Account{
		Cluster: "c1", Node: "n1", Device: "MIG-1", Parent: "GPU-1",
		Namespace: "ml", Pod: "chat", PodUID: "7", Container: "vllm",
		WorkloadKind: "LeaderWorkerSet", Workload: "chats", Class: gpu.ClassInference, Group: "pair",
		Attribution: gpu.EqualAttribution, States: productive(2), Entitled: seconds(0.5),
	}
	process := chat
	process.Attribution, process.States, process.Entitled = gpu.ProcessAttribution, productive(3), 0
	assert.Equal(t, []Account{
		{Node: "n0", Device: "MIG-1", States: productive(1)},
		chat,
		process,
		{Node: "n1", Device: "nvidia3", Overflow: true, States: productive(4)},
	}, export.Accounts)
	assert.Equal(t, map[string]time.Duration{"n0": 0, "n1": -1500 * time.Nanosecond}, export.Errors)
}

// An account that isn't described in one way is several: none of them hides
// what another says.
func TestParseLabels(t *testing.T) {
	const page = `gpu_time_seconds_total{hw_id="GPU-1",k8s_node_name="n",k8s_pod_name="p",k8s_pod_uid="7",gpu_state="productive"} 1
# TYPE gpu_active_time_seconds_total untyped
gpu_active_time_seconds_total{hw_id="GPU-1",k8s_node_name="n",k8s_pod_name="nobody",k8s_pod_uid="7"} 1
`
	export, err := Parse(strings.NewReader(page))
	require.NoError(t, err)
	require.Len(t, export.Accounts, 2)
	assert.Equal(t, export.Accounts[0].Key(), export.Accounts[1].Key())
	assert.Equal(t, "nobody", export.Accounts[0].Pod)
	assert.Equal(t, "p", export.Accounts[1].Pod)
	assert.True(t, export.NoCluster)

	export, err = Parse(strings.NewReader(strings.Replace(page, `{`, `{k8s_cluster_name="c1",`, 1)))
	require.NoError(t, err)
	assert.False(t, export.NoCluster)
}
