// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/counters"
)

// truthful serves what a collector would that accounted the scenario two, with
// a change, and returns the flags of its check.
func truthful(t *testing.T, change func(page string) string, flags ...string) []string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "two.yaml")
	require.NoError(t, os.WriteFile(file, []byte(two), 0o600))
	sim, err := runFlags{simulationFlags: simulationFlags{scenario: file}}.began()
	require.NoError(t, err)
	page := change(pageOf(sim.truth()))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, page)
	}))
	t.Cleanup(server.Close)
	return append([]string{"check", "--scenario", file, "--counters", server.URL}, flags...)
}

// pageOf writes accounts as the Prometheus exporter does.
func pageOf(accounts []counters.Account) string {
	var page strings.Builder
	for _, a := range accounts {
		labels := fmt.Sprintf("hw_id=%q,k8s_node_name=%q", a.Device, a.Node)
		if a.Held() {
			labels += descriptionOf(a) + fmt.Sprintf(",k8s_pod_uid=%q,gpu_attribution=%q", a.PodUID, a.Attribution)
			for name, d := range map[string]float64{
				"allocated": a.Allocated.Seconds(), "active": a.Active.Seconds(),
				"productive": a.Productive.Seconds(), "entitled": a.Entitled.Seconds(),
			} {
				fmt.Fprintf(&page, "gpu_%s_time_seconds_total{%s} %v\n", name, labels, d)
			}
		}
		for c, d := range a.States {
			fmt.Fprintf(&page, "gpu_time_seconds_total{%s,gpu_state=%q,gpu_state_reason=%q,gpu_idle_form=%q,gpu_memory_resident=%q} %v\n",
				labels, c.State, c.Reason, c.Form, c.Residence, d.Seconds())
		}
	}
	return page.String() + "gpu_ledger_error_seconds{k8s_node_name=\"n-0\"} 0\ngpu_ledger_error_seconds{k8s_node_name=\"n-1\"} 0\n"
}

// descriptionOf is what describes an account, without the cluster, which is the
// resource's.
func descriptionOf(a counters.Account) string {
	var text strings.Builder
	for _, l := range a.Labels() {
		if l.Name != counters.Cluster {
			fmt.Fprintf(&text, ",%s=%q", strings.ReplaceAll(l.Name, ".", "_"), l.Value)
		}
	}
	return text.String()
}

func same(page string) string { return page }

func TestCheck(t *testing.T) {
	code, stdout, stderr := gpusim(t, truthful(t, same)...)
	require.Zero(t, code, stderr)
	assert.Regexp(t, `(?m)^unallocated +free +122\.000000000 +122\.000000000 +0s$`, stdout)
	assert.Regexp(t, `(?m)^gpu\.active\.time +47\.500000000 +47\.500000000 +0s$`, stdout)
	assert.Regexp(t, `counters, each as it should be to 1 µs; largest difference 0 ns\.\n$`, stdout)
	assert.Empty(t, stderr)
}

// The same flags as those of the run, or the truth is another.
func TestCheckOfAnotherRun(t *testing.T) {
	for _, flags := range [][]string{
		{"--duration", "1m"}, {"--nodes", "1"}, {"--nodes", "3"}, {"--interval", "30s"},
	} {
		code, _, stderr := gpusim(t, truthful(t, same, flags...)...)
		assert.Equal(t, 1, code, flags)
		assert.Contains(t, stderr, "figures aren't what is true", flags)
	}
}

func TestCheckFinds(t *testing.T) {
	for name, c := range map[string]struct {
		change func(string) string
		want   string
	}{
		"a lost series": {
			func(page string) string { return strings.Replace(page, "gpu_active_time", "gpu_active_times", 1) },
			"pod default/p (exclusive), gpu.active.time: truth 47.5s, exported 0s",
		},
		"a state": {
			func(page string) string {
				return strings.Replace(page, `gpu_memory_resident=""} 120`, `gpu_memory_resident=""} 120.000002`, 1)
			},
			"gpu.time (unallocated, free): truth 2m0s, exported 2m0.000002s",
		},
		"a label": {
			func(page string) string {
				return strings.ReplaceAll(page, `k8s_namespace_name="default"`, `k8s_namespace_name="evil"`)
			},
			`pod default/p (exclusive), k8s.namespace.name: truth "default", exported "evil"`,
		},
		"a label of one series": {
			func(page string) string {
				return strings.Replace(page, `k8s_namespace_name="default"`, `k8s_namespace_name="evil"`, 1)
			},
			"the export has 2 accounts of node n-0, device ",
		},
		"its own error": {
			func(page string) string {
				return strings.Replace(page, `error_seconds{k8s_node_name="n-1"} 0`, `error_seconds{k8s_node_name="n-1"} 1e-09`, 1)
			},
			"node n-1 found gpu.ledger.error 1ns",
		},
		"nothing": {func(string) string { return "" }, "no gpu.ledger.error of n-0, n-1"},
	} {
		t.Run(name, func(t *testing.T) {
			code, stdout, stderr := gpusim(t, truthful(t, c.change)...)
			assert.Equal(t, 1, code)
			assert.Contains(t, stdout+stderr, c.want)
		})
	}
}

func TestCheckErrors(t *testing.T) {
	for want, args := range map[string][]string{
		"can't read the collector's counters": {"check", "--duration", "1m", "--counters", "http://" + closed(t)},
		`read scenario "nosuch"`:              {"check", "--scenario", "nosuch"},
	} {
		code, _, stderr := gpusim(t, args...)
		assert.Equal(t, 1, code, args)
		assert.Contains(t, stderr, want)
	}
}

func TestCheckUsage(t *testing.T) {
	for want, args := range map[string][]string{
		`gpusim check: "x" isn't a flag`: {"check", "x"},
		`gpusim check: --start is "now": want a time from 2020 to 2199, as 2026-01-05T00:00:00Z` + "\n": {"check", "--start", "now"},
		`gpusim check: --start is "noon": want a time`:                                                  {"check", "--start", "noon"},
		`gpusim check: --start is "1999-01-01T00:00:00Z": want a time from`:                             {"check", "--start", "1999-01-01T00:00:00Z"},
		`gpusim check: --kind is "foo": want`:                                                           {"check", "--kind", "foo"},
		`gpusim demo: --kind is "foo": want`:                                                            {"demo", "--kind", "foo"},
		`gpusim demo: --interval is 500ms: want`:                                                        {"demo", "--interval", "500ms"},
	} {
		code, stdout, stderr := gpusim(t, args...)
		assert.Equal(t, 2, code, args)
		assert.Contains(t, stderr, want)
		assert.Empty(t, stdout)
	}
}

// The demo begins with a fresh collector, and with a place to receive.
func TestDemoErrors(t *testing.T) {
	used := truthful(t, same)
	code, _, stderr := gpusim(t, "demo", "--duration", "1m", "--counters", used[len(used)-1])
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr, "has already accounted something: start a new one for each replay")

	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	fresh := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer fresh.Close()
	code, _, stderr = gpusim(t, "demo", "--duration", "1m", "--counters", fresh.URL, "--sink", listener.Addr().String())
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr, "--sink names another address")

	code, _, stderr = gpusim(t, "demo", "--duration", "1m", "--counters", fresh.URL, "--sink", "127.0.0.1:0", "--endpoint", closed(t))
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr, "no collector at")
}

// A collector that exports nothing of what it takes fails the demo.
func TestDemoOfACollectorThatAccountsNothing(t *testing.T) {
	c := &intake{}
	args := c.start(t)
	fresh := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer fresh.Close()
	code, stdout, stderr := gpusim(t, append([]string{"demo", "--counters", fresh.URL, "--sink", "127.0.0.1:0"}, args[1:]...)...)
	assert.Equal(t, 1, code)
	assert.Contains(t, stdout, "0 nodes with 0 GPUs")
	assert.NotContains(t, stdout, "Where to look next")
	for _, side := range []string{"OTLP output: ", "Prometheus endpoint: "} {
		assert.Regexp(t, side+`\d+ of \d+ figures aren't what is true`, stderr)
	}
}
