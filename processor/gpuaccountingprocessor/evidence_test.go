// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpuaccountingprocessor

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// engine returns what vLLM exposes.
func engine(tokens, prompt, running, waiting float64, asleep bool) []exposed {
	states := []exposed{
		{"vllm:engine_sleep_state", 1, map[string]string{"sleep_state": "awake"}},
		{"vllm:engine_sleep_state", 0, map[string]string{"sleep_state": "weights_offloaded"}},
	}
	if asleep {
		states[0].value, states[1].value = 0, 1
	}
	return append(states,
		exposed{"vllm:generation_tokens_total", tokens, map[string]string{"engine": "0"}},
		exposed{"vllm:prompt_tokens_total", prompt, map[string]string{"engine": "0"}},
		exposed{"vllm:num_requests_running", running, nil},
		exposed{"vllm:num_requests_waiting", waiting, nil})
}

const half = 300 * time.Second // of 600 s, at an activity of 0.5

func TestEvidence(t *testing.T) {
	for name, tc := range map[string]struct {
		at   func(s float64) []exposed
		want string // of the active part
		idle string
	}{
		"vLLM":         {func(s float64) []exposed { return engine(s, s, 0, 0, false) }, "productive", "idle inference"},
		"prefill only": {func(s float64) []exposed { return engine(0, s, 0, 0, false) }, "productive", "idle inference"},
		"Triton":       {func(s float64) []exposed { return []exposed{{"nv_inference_count", s, nil}} }, "productive", "idle inference"},
		"flat":         {func(float64) []exposed { return engine(7, 7, 0, 0, false) }, "unproven output_flat", "idle inference"},
		"no metric":    {func(s float64) []exposed { return []exposed{{"process_cpu_seconds_total", s, nil}} }, "unproven no_app_metric", "idle inference"},
		"no scrape":    {nil, "unproven no_app_metric", "idle inference"},
		"never worked": {func(float64) []exposed { return nil }, "unproven not_scraped", "idle inference"},
		"waiting":      {func(s float64) []exposed { return engine(s, s, 0, 4, false) }, "productive", "idle starved"},
		"running":      {func(s float64) []exposed { return engine(s, s, 1, 0, false) }, "productive", "idle starved"},
		"asleep":       {func(s float64) []exposed { return engine(s, s, 0, 0, true) }, "productive", "idle sleeping"},
	} {
		t.Run(name, func(t *testing.T) {
			a, _ := served{activity: 0.5, at: tc.at}.run(t, 600)
			got := times(a)
			require.Equal(t, half, got[tc.want], "%v", got)
			// The first interval begins before the pod worked for 1 s.
			require.GreaterOrEqual(t, got[tc.idle], half-5*time.Second, "%v", got)
		})
	}
}

// TestFailingScrape: as long as a scrape fails nothing is known of the output,
// and this is neither a flat one nor none.
func TestFailingScrape(t *testing.T) {
	for _, outage := range []float64{600, 2400} {
		at := func(s float64) []exposed {
			if s > 300 && s < 300+outage {
				return nil
			}
			return engine(s, 0, 0, 0, false)
		}
		a, produced := served{activity: 0.5, at: at}.run(t, int(outage)+600)
		got := times(a)
		require.Len(t, got, 4, "%v", got) // with the idle half, and before it provisioning
		require.Equal(t, a.Active, got["productive"]+got["unproven not_scraped"])
		// The first rise after the outage proves what isn't settled by then.
		unknown := time.Duration(outage/2) * time.Second
		require.InDelta(t, unknown, got["unproven not_scraped"], float64(15*time.Second))
		// What was produced meanwhile is in the counter, unless it is forgotten.
		want := 600 + outage
		if outage > 600 {
			want = 600
		}
		require.InDelta(t, want, produced["{token}"], 15)
	}
}

// TestTrickle: a server that works 0.3 s of every 10 s.
func TestTrickle(t *testing.T) {
	at := func(s float64) []exposed { return engine(2*s, s, 0, 0, false) }
	a, _ := served{activity: 0.03, at: at}.run(t, 3600)
	require.InDelta(t, 108*time.Second, a.Active, 1000)
	want := map[string]time.Duration{
		"productive":        108 * time.Second,
		"idle provisioning": 4 * 9700 * time.Millisecond, // until it had worked for 1 s
		"idle inference":    (360 - 4) * 9700 * time.Millisecond,
	}
	got := times(a)
	require.Len(t, got, len(want), "%v: all of it is between_work, scaling it down would have reclaimed nothing", got)
	for name := range want {
		require.InDelta(t, want[name], got[name], 1000, name)
	}
}

// TestResetOfOneSeries: an engine that begins anew leaves the other alone.
func TestResetOfOneSeries(t *testing.T) {
	at := func(s float64) []exposed {
		first := s
		if s > 300 {
			first = s - 300
		}
		return []exposed{
			{"vllm:generation_tokens_total", first, map[string]string{"engine": "0"}},
			{"vllm:generation_tokens_total", 1000 + s, map[string]string{"engine": "1"}},
		}
	}
	a, produced := served{activity: 0.5, at: at}.run(t, 600)
	require.Equal(t, half, a.Productive)
	require.InDelta(t, 600+600, produced["{token}"], 0.001)
}

// TestFrontend: a frontend holds no GPU. What it counts is its group's, or
// nobody's.
func TestFrontend(t *testing.T) {
	at := func(s float64) []exposed {
		return []exposed{{"dynamo_frontend_output_tokens_total", s, map[string]string{"model": "m"}}}
	}
	for name, tc := range map[string]struct {
		group, own string
		want       gpu.Reason
	}{
		"of the group":      {"graph", "graph", gpu.NoReason},
		"of another group":  {"other", "graph", gpu.ReasonGroupUnknown},
		"that names none":   {"", "graph", gpu.ReasonGroupUnknown},
		"and a pod without": {"graph", "", gpu.ReasonNoAppMetric},
	} {
		t.Run(name, func(t *testing.T) {
			frontend := &target{labels: map[string]string{"k8s_pod_uid": "frontend"}}
			if tc.group != "" {
				frontend.labels["gpu_workload_group"] = tc.group
			}
			a, _ := served{activity: 0.5, group: tc.own, target: frontend, at: at}.run(t, 600)
			want := "productive"
			if tc.want != gpu.NoReason {
				want = "unproven " + tc.want.String()
			}
			require.Equal(t, half, times(a)[want], "%v", times(a))
		})
	}
}
