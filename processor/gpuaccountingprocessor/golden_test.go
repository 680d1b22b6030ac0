// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpuaccountingprocessor

import (
	"flag"
	"path/filepath"
	"testing"
	"time"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/golden"
	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/pdatatest/pmetrictest"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/config/configoptional"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

var update = flag.Bool("update", false, "write the goldens in testdata")

// TestGoldens compares every batch that leaves the processor, values and
// timestamps included, with testdata/<name>/<batch>.yaml.
func TestGoldens(t *testing.T) {
	tests := map[string]struct {
		change  func(*Config)
		batches []gpu.Batch
	}{
		// A first publication with its points at 0, then a second without.
		"holder": {
			change:  func(cfg *Config) { cfg.ForwardInputs = "none" },
			batches: []gpu.Batch{tick(0, 0.5, 1), tick(10, 0.5, 2), tick(20, 0.5, 2), tick(30, 0.5, 2), tick(40, 0, 2)},
		},
		// Nothing is held: the device's own account, beside the forwarded input.
		"free": {batches: []gpu.Batch{free(0), free(10), free(20)}},
		// An episode runs, and the price makes a cost.
		"idle_with_price": {
			change: func(cfg *Config) {
				cfg.ForwardInputs, cfg.IdleGrace = "none", 15*time.Second
				cfg.Price = configoptional.Some(PriceConfig{Amount: 1.74, Currency: "EUR", Per: "hour"})
			},
			batches: []gpu.Batch{tick(0, 0, 1), tick(10, 0, 1), tick(20, 0, 1), tick(30, 0, 1)},
		},
		// Pods disappear from what is published, their workload stays.
		"workload": {
			change:  func(cfg *Config) { cfg.ForwardInputs, cfg.Granularity = "none", "workload" },
			batches: []gpu.Batch{tick(0, 1, 1), tick(10, 1, 2), tick(20, 1, 3)},
		},
		// The host holds the device.
		"host": {
			change:  func(cfg *Config) { cfg.ForwardInputs, cfg.Allocation = "none", "none" },
			batches: []gpu.Batch{free(0), free(10)},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			cfg := testConfig()
			if tt.change != nil {
				tt.change(cfg)
			}
			sink := new(consumertest.MetricsSink)
			p := start(t, cfg, sink)
			for _, b := range tt.batches {
				consume(t, p, b)
			}
			require.NoError(t, p.Shutdown(t.Context()))
			requireGoldens(t, filepath.Join("testdata", name), sink.AllMetrics())
		})
	}
}

// free is a collection of a device that nobody holds.
func free(s float64) gpu.Batch {
	b := tick(s, 0.1, 0)
	b.Allocations, b.Outputs = nil, nil
	b.AllocationCounts[0].Count = 0
	return b
}

func requireGoldens(t *testing.T, folder string, got []pmetric.Metrics) {
	t.Helper()
	require.NotEmpty(t, got)
	for i, md := range got {
		file := filepath.Join(folder, string(rune('0'+i))+".yaml")
		if *update {
			require.NoError(t, golden.WriteMetrics(t, file, md, golden.SkipMetricTimestampNormalization()))
		}
		want, err := golden.ReadMetrics(file)
		require.NoError(t, err)
		require.NoError(t, pmetrictest.CompareMetrics(want, md, pmetrictest.IgnoreResourceMetricsOrder(),
			pmetrictest.IgnoreMetricsOrder(), pmetrictest.IgnoreMetricDataPointsOrder()), file)
	}
	extra, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
	require.NoError(t, err)
	require.Len(t, extra, len(got), "a golden without a batch")
}
