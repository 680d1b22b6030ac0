// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpuaccountingprocessor

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/internal/profile"
)

// load reads the configuration as the collector does.
func load(t *testing.T, yaml string) (*Config, error) {
	t.Helper()
	retrieved, err := confmap.NewRetrievedFromYAML([]byte(yaml))
	require.NoError(t, err)
	conf, err := retrieved.AsConf()
	require.NoError(t, err)
	cfg := createDefaultConfig().(*Config)
	if err := conf.Unmarshal(cfg); err != nil {
		return nil, err
	}
	return cfg, confmap.Validate(cfg)
}

func TestDefaults(t *testing.T) {
	cfg, err := load(t, "{}")
	require.NoError(t, err)
	require.Equal(t, createDefaultConfig(), cfg)
	require.Equal(t, 90*time.Second, cfg.MaxGap)
	require.Equal(t, 15*time.Second, cfg.SettleDelay)
	require.Equal(t, time.Minute, cfg.EvidenceWindow)
	require.Equal(t, 10*time.Second, cfg.EmitInterval)
	require.InDelta(t, 0.01, cfg.IdleThreshold, 0)
	require.Equal(t, 5*time.Minute, cfg.IdleGrace)
	require.Equal(t, Bytes(1<<30), cfg.ResidentThreshold)
	require.Equal(t, 4096, cfg.MaxAccounts)
	require.Nil(t, cfg.price())
	require.Nil(t, cfg.Storage)
	require.Equal(t, profile.Defaults(), cfg.Profiles)
}

// TestNoProfiles: an empty list isn't the default.
func TestNoProfiles(t *testing.T) {
	cfg, err := load(t, "profiles: []")
	require.NoError(t, err)
	require.Empty(t, cfg.Profiles)
}

// TestMeaning: sums can't go on under another price, nor as other accounts.
func TestMeaning(t *testing.T) {
	meanings := map[string]bool{}
	for _, yaml := range []string{
		"{}", "granularity: workload", "allocation: none",
		"price: {amount: 1, currency: EUR, per: hour}", "price: {amount: 2, currency: EUR, per: hour}",
		"price: {amount: 1, currency: USD, per: hour}",
	} {
		cfg, err := load(t, yaml)
		require.NoError(t, err)
		require.False(t, meanings[cfg.meaning()], yaml)
		meanings[cfg.meaning()] = true
	}
	cfg, err := load(t, "max_gap: 3m")
	require.NoError(t, err)
	require.True(t, meanings[cfg.meaning()], "what isn't settled yet may be settled otherwise")
}

// TestPricesInAFile: what it says isn't part of the meaning.
func TestPricesInAFile(t *testing.T) {
	cfg, err := load(t, "prices: {file: /etc/prices.yaml}")
	require.NoError(t, err)
	require.Equal(t, "/etc/prices.yaml", cfg.Prices.Get().File)
	require.Equal(t, 30*time.Second, cfg.Prices.Get().ReloadInterval)
	none, err := load(t, "{}")
	require.NoError(t, err)
	require.Nil(t, none.Prices.Get())
	require.Equal(t, none.meaning(), cfg.meaning())
}

func TestAllKeys(t *testing.T) {
	cfg, err := load(t, `
max_gap: 3m
settle_delay: 0s
evidence_window: 30s
emit_interval: 1m
idle_threshold: 0.05
idle_grace: 0s
resident_threshold: 512MiB
max_accounts: 10
allocation: labels
granularity: workload
forward_inputs: none
outputs:
  - metric: vllm:generation_tokens_total
    unit: "{token}"
  - metric: steps
    kind: output
    window: 10m
  - metric: vllm:num_requests_waiting
    kind: demand
profiles: [triton, genai_client]
price: {amount: 1.74, currency: EUR, per: hour}
storage: file_storage/gpu
`)
	require.NoError(t, err)
	require.Equal(t, component.MustNewIDWithName("file_storage", "gpu"), *cfg.Storage)
	require.Equal(t, Bytes(512<<20), cfg.ResidentThreshold)
	require.Equal(t, &gpu.Price{PerHour: 1_740_000_000, Currency: "EUR"}, cfg.price())
	require.Equal(t, []gpu.OutputProfile{
		{Metric: "vllm:generation_tokens_total", Unit: "{token}", Window: 30 * time.Second},
		{Metric: "steps", Window: 10 * time.Minute},
		{Metric: "vllm:num_requests_waiting", Kind: gpu.DemandGauge, Window: 30 * time.Second},
	}, cfg.outputs())
	require.Equal(t, []string{"triton", "genai_client"}, cfg.Profiles)
	require.True(t, cfg.ledger().Workloads)
	require.True(t, cfg.ledger().Labels)
	require.False(t, cfg.ledger().Host)
}

func TestRefusals(t *testing.T) {
	type refusal struct {
		yaml string
		want []string // key, value, what is accepted
	}
	tests := map[string]refusal{
		"wrong key":            {"max_gaps: 3m", []string{"max_gaps"}},
		"wrong type":           {"max_gap: fast", []string{"max_gap", "invalid duration"}},
		"no gap":               {"max_gap: 0s", []string{"max_gap: 0s", "more than 0"}},
		"negative delay":       {"settle_delay: -1s", []string{"settle_delay: -1s", "0 or more"}},
		"negative grace":       {"idle_grace: -5m", []string{"idle_grace: -5m0s", "0 or more"}},
		"no evidence window":   {"evidence_window: 0s", []string{"evidence_window: 0s", "more than 0"}},
		"no emit interval":     {"emit_interval: 0s", []string{"emit_interval: 0s", "more than 0"}},
		"percent for a ratio":  {"idle_threshold: 5", []string{"idle_threshold: 5", "0 to 1"}},
		"no accounts":          {"max_accounts: 0", []string{"max_accounts: 0", "1 to 1000000"}},
		"too many accounts":    {"max_accounts: 1000001", []string{"max_accounts: 1000001", "1 to 1000000"}},
		"memory in words":      {"resident_threshold: much", []string{"resident_threshold", "much", "1GiB"}},
		"memory overflows":     {"resident_threshold: 99999999TiB", []string{"99999999TiB", "1GiB"}},
		"unknown allocation":   {"allocation: guess", []string{`allocation: "guess"`, "required, labels, none"}},
		"unknown granularity":  {"granularity: job", []string{`granularity: "job"`, "pod, workload"}},
		"unknown forward":      {"forward_inputs: some", []string{`forward_inputs: "some"`, "none, device, all"}},
		"output without name":  {"outputs: [{unit: x}]", []string{"outputs::0", `metric: ""`, "application metric"}},
		"output of our own":    {"outputs: [{metric: gpu.time}]", []string{`metric: "gpu.time"`, "application metric"}},
		"output twice":         {"outputs: [{metric: a}, {metric: a}]", []string{`outputs::metric: "a"`, "once"}},
		"output window of 0":   {"outputs: [{metric: a, window: 0s}]", []string{"outputs::0", "window: 0s", "more than 0"}},
		"output of no kind":    {"outputs: [{metric: a, kind: b}]", []string{`kind: "b"`, "output, demand, sleep"}},
		"demand with a window": {"outputs: [{metric: a, kind: demand, window: 5s}]", []string{"window: 5s", "kind demand"}},
		"unknown profile":      {"profiles: [vllm, vlm]", []string{`profiles: "vlm"`, "vllm, sglang", "genai_client"}},
		"free":                 {"price: {amount: 0, currency: EUR, per: hour}", []string{"price", "amount: 0", "1e-09 to 1e+06"}},
		"dear":                 {"price: {amount: 2000000, currency: EUR, per: hour}", []string{"amount: 2e+06", "1e-09 to 1e+06"}},
		"nearly free":          {"price: {amount: 1e-12, currency: EUR, per: hour}", []string{"amount: 1e-12", "1e-09 to 1e+06"}},
		"a sign":               {"price: {amount: 1, currency: €, per: hour}", []string{"currency", "ISO 4217"}},
		"grace of centuries":   {"idle_grace: 2400000h", []string{"idle_grace: 2400000h", "up to 8760h"}},
		"gap of centuries":     {"max_gap: 1300000h", []string{"max_gap: 1300000h", "up to 8760h"}},
		"storage in words":     {"storage: the disk", []string{"storage", "the disk"}},
		"price without unit":   {"price: {amount: 1, per: hour}", []string{`currency: ""`, "ISO 4217"}},
		"price per year":       {"price: {amount: 1, currency: EUR, per: year}", []string{`per: "year"`, "hour"}},
	}
	tests["prices and a price"] = refusal{
		"{price: {amount: 1, currency: EUR, per: hour}, prices: {file: a}}", []string{"price", "prices", "one of the two"},
	}
	tests["prices without file"] = refusal{"prices: {reload_interval: 1m}", []string{"prices", `file: ""`, "path of a price file"}}
	tests["prices without pause"] = refusal{"prices: {file: a, reload_interval: 0s}", []string{"reload_interval: 0s", "1s or more"}}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := load(t, tt.yaml)
			require.Error(t, err)
			for _, want := range tt.want {
				require.ErrorContains(t, err, want)
			}
		})
	}
}
