// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package profile

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// programs begin the names of metrics that are nobody else's.
var programs = []string{
	"vllm:", "sglang:", "tgi_", "nv_inference_", "trtllm_", "dynamo_", "llamacpp:", "ray_serve_", "ray_vllm:", "megatron.", "gen_ai.",
}

func TestKnown(t *testing.T) {
	profiles, err := parse(file)
	require.NoError(t, err)
	require.Equal(t, profiles, Known())
	require.Subset(t, Names(), Defaults())
	require.NotContains(t, Defaults(), "genai_client", "who calls a model isn't who runs it")
	for _, p := range profiles {
		t.Run(p.Name, func(t *testing.T) {
			outputs := 0
			for _, m := range p.Metrics {
				if m.Kind == gpu.OutputCounter {
					outputs++
				}
				named := slices.ContainsFunc(programs, func(program string) bool { return strings.HasPrefix(m.Metric, program) })
				require.True(t, named || m.Only.ByTarget(), "%s: anybody may use a name without the program in it", m.Metric)
			}
			require.Positive(t, outputs, "a profile without an output proves nothing")
		})
	}
}

// TestUnitsOfAProgram: a program that counts one thing in two metrics would
// count it twice in gpu.output.
func TestUnitsOfAProgram(t *testing.T) {
	for _, p := range Known() {
		seen := map[string]string{}
		for _, m := range p.Metrics {
			if m.Kind != gpu.OutputCounter {
				continue
			}
			older, twice := seen[m.Unit]
			sameMetric := strings.TrimSuffix(m.Metric, "_total") == strings.TrimSuffix(older, "_total")
			if !twice || sameMetric || p.ByNameOnly { // old and new spelling
				seen[m.Unit] = m.Metric
				continue
			}
			t.Errorf("%s: %s and %s both count %s", p.Name, older, m.Metric, m.Unit)
		}
	}
}

func TestMetrics(t *testing.T) {
	metrics := Metrics([]string{"vllm", "megatron"}, 30*time.Second)
	windows := map[string]time.Duration{}
	for _, m := range metrics {
		windows[m.Metric] = m.Window
	}
	require.Equal(t, 30*time.Second, windows["vllm:generation_tokens_total"])
	require.Equal(t, 5*time.Minute, windows["megatron.training.step_duration_ms"], "a step takes longer than a request")
	require.NotContains(t, windows, "nv_inference_count", "triton isn't chosen")
	require.Empty(t, Metrics(nil, time.Minute))
	for _, p := range Known() {
		for _, m := range p.Metrics {
			require.NotEqual(t, 30*time.Second, m.Window, "what is known isn't changed by a setting")
		}
	}
}

func TestGate(t *testing.T) {
	open, gated := Gate{}, Gate{Jobs: []string{"nim"}, Ports: []string{"8000"}}
	require.True(t, open.Admits("", ""))
	for job, want := range map[string]bool{
		"nim": true, "ml/nim-llama": true, "nim_8b": true, "minimal": false, "denim": false, "": false,
	} {
		require.Equal(t, want, gated.Admits(job, "9000"), job)
	}
	require.True(t, gated.Admits("pods", "8000"))
	require.False(t, gated.Admits("pods", "80000"))
}

func TestParseRefuses(t *testing.T) {
	const good = `{name: a, docs: "https://a", metrics: [{metric: m, kind: output, unit: "{x}"}]}`
	_, err := parse([]byte("profiles: [" + good + "]"))
	require.NoError(t, err)
	for text, want := range map[string]string{
		`{name: A, docs: "https://a", metrics: [{metric: m, kind: demand}]}`:                               "lower case",
		`{name: b, docs: "a.org", metrics: [{metric: n, kind: demand}]}`:                                   "no https URL",
		`{name: b, docs: "https://a"}`:                                                                     "there are none",
		`{name: b, docs: "https://a", metrics: [{kind: demand}]}`:                                          "has no name",
		`{name: b, docs: "https://a", metrics: [{metric: n, kind: queue}]}`:                                `"queue" is none`,
		`{name: b, docs: "https://a", metrics: [{metric: n, kind: output, unit: x}]}`:                      "braces",
		`{name: b, docs: "https://a", metrics: [{metric: n, kind: demand, unit: "{x}"}]}`:                  "only an output",
		`{name: b, docs: "https://a", metrics: [{metric: n, kind: demand, window: 1m}]}`:                   "window: 1m0s",
		`{name: b, docs: "https://a", metrics: [{metric: n, kind: demand, histogram: sum}]}`:               "count or sum",
		`{name: b, docs: "https://a", metrics: [{metric: n, kind: sleep, histogram: p99}]}`:                `"p99"`,
		`{name: b, docs: "https://a", metrics: [{metric: n, kind: demand, windows: 1m}]}`:                  "windows",
		`{name: b, docs: "https://a", metrics: [{metric: m, kind: demand}]}`:                               `"m" is in profile "a"`,
		`{name: a, docs: "https://a", metrics: [{metric: n, kind: demand}]}`:                               `"a" is in profile "a"`,
		`{name: b, docs: "https://a", only: {attributes: {k: [v]}}, metrics: [{metric: n, kind: demand}]}`: "one metric",
		`{name: b, docs: "https://a", metrics: [{metric: n, kind: sleep, only: {attributes: {k: []}}}]}`:   "no values",
	} {
		_, err := parse([]byte("profiles: [" + good + ", " + text + "]"))
		require.ErrorContains(t, err, want, text)
	}
}
