// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package dcgmreceiver

import (
	"os"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpupdata"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/dcgm"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/sample"
)

func validConfig() *Config {
	cfg := createDefaultConfig().(*Config)
	cfg.Node, cfg.ClusterName = "gpu-node-0", "prod"
	return cfg
}

func TestDefaultsNeedOnlyTheNode(t *testing.T) {
	require.NoError(t, validConfig().Validate())
	require.ErrorContains(t, createDefaultConfig().(*Config).Validate(), `node: "" is not accepted: set the name of this node, as ${env:K8S_NODE_NAME}`)
	require.NoError(t, componenttest.CheckConfigStruct(createDefaultConfig()))
	want := map[string]bool{gpupdata.MetricMemoryFree: true, gpupdata.MetricMemoryReserved: true, gpupdata.MetricVGPULicensed: true}
	require.Equal(t, want, validConfig().disabled())
}

func TestEndpointHasADefault(t *testing.T) {
	for mode, want := range map[string]string{"auto": dcgm.DefaultEndpoint, "standalone": dcgm.DefaultEndpoint, "embedded": ""} {
		cfg := validConfig()
		cfg.Mode = mode
		require.NoError(t, cfg.Validate())
		require.Equal(t, want, cfg.engine().Endpoint)
	}
}

func TestConfigIsRefused(t *testing.T) {
	for want, change := range map[string]func(*Config){
		`collection_interval: 1ms is not accepted: set 1s to 1h0m0s`: func(c *Config) { c.CollectionInterval = time.Millisecond },
		`sample_interval: 50ms is not accepted: set 100ms to 10s`:    func(c *Config) { c.SampleInterval = 50 * time.Millisecond },
		`sample_interval: 11s is not accepted: set 100ms to 10s`:     func(c *Config) { c.SampleInterval = 11 * time.Second },
		`mode: "remote": want auto, standalone or embedded`:          func(c *Config) { c.Mode = "remote" },
		`endpoint: "localhost": want host:port`:                      func(c *Config) { c.Endpoint = "localhost" },
		`endpoint: "localhost:1" is set, but mode embedded`:          func(c *Config) { c.Mode, c.Endpoint = "embedded", "localhost:1" },
		`library_path: "libdcgm.so.4" isn't absolute`:                func(c *Config) { c.LibraryPath = "libdcgm.so.4" },
		`metrics: "gpu.activty" is not accepted: set gpu.activity, `: func(c *Config) { c.Metrics = map[string]MetricConfig{"gpu.activty": {}} },
	} {
		cfg := validConfig()
		change(cfg)
		require.ErrorContains(t, cfg.Validate(), want)
	}
}

// TestIntervals: a collection has samples, whatever is configured.
func TestIntervals(t *testing.T) {
	for intervals, want := range map[[2]time.Duration][2]time.Duration{
		{10 * time.Second, time.Second}:            {5 * time.Second, 10 * time.Second},
		{time.Second, 100 * time.Millisecond}:      {500 * time.Millisecond, time.Second},
		{10 * time.Second, 10 * time.Second}:       {5 * time.Second, 10 * time.Second},
		{time.Hour, time.Minute}:                   {5 * time.Second, 10 * time.Second},
		{2 * time.Second, 1500 * time.Millisecond}: {1500 * time.Millisecond, 2 * time.Second},
	} {
		cfg := validConfig()
		cfg.CollectionInterval, cfg.SampleInterval = intervals[0], intervals[1]
		got := cfg.session()
		require.Equal(t, want, [2]time.Duration{got.Slowest, got.Look}, intervals)
	}
}

func TestMetricsAreChosen(t *testing.T) {
	cfg := createDefaultConfig().(*Config)
	require.NoError(t, confmap.NewFromStringMap(map[string]any{"metrics": map[string]any{
		gpupdata.MetricActivity: map[string]any{"enabled": false}, gpupdata.MetricActivityTime: map[string]any{},
		gpupdata.MetricMemoryFree: map[string]any{"enabled": true}, gpupdata.MetricThrottleTime: map[string]any{"enabled": false},
	}}).Unmarshal(cfg))
	require.Equal(t, map[string]bool{
		gpupdata.MetricActivity: true, gpupdata.MetricThrottleTime: true, gpupdata.MetricMemoryReserved: true, gpupdata.MetricVGPULicensed: true,
	}, cfg.disabled())
	// What isn't sent isn't read, but for what the ledger needs.
	fields := cfg.session().Fields
	require.Subset(t, fields, []sample.Field{sample.EngineActive, sample.SMCycles, sample.MemoryFree, sample.MemoryUsed})
	require.NotContains(t, fields, sample.PowerViolation)
	require.NotContains(t, fields, sample.MemoryReserved)
}

func TestUnknownKeyIsRefused(t *testing.T) {
	cfg := createDefaultConfig()
	err := confmap.NewFromStringMap(map[string]any{"nodes": "x"}).Unmarshal(cfg)
	require.ErrorContains(t, err, "nodes")
}

// TestReadmeHasEveryKey of the configuration.
func TestReadmeHasEveryKey(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	for field := range reflect.TypeFor[Config]().Fields() {
		if key := field.Tag.Get("mapstructure"); key != "" {
			require.Contains(t, string(readme), "| `"+key)
		}
	}
}
