// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpuaccountingprocessor

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpupdata"
)

// scraped is a scrape of dcgm-exporter, second s: one metric of one GPU.
func scraped(s float64, metric string, value float64, labels map[string]string) pmetric.Metrics {
	md := pmetric.NewMetrics()
	rm := md.ResourceMetrics().AppendEmpty()
	rm.Resource().Attributes().PutStr("k8s.node.name", "n1")
	rm.Resource().Attributes().PutStr("k8s.cluster.name", "c1")
	m := rm.ScopeMetrics().AppendEmpty().Metrics().AppendEmpty()
	m.SetName(metric)
	p := m.SetEmptyGauge().DataPoints().AppendEmpty()
	p.SetTimestamp(pcommon.Timestamp(second(s)))
	p.SetDoubleValue(value)
	p.Attributes().PutStr("UUID", "GPU-1")
	for k, v := range labels {
		p.Attributes().PutStr(k, v)
	}
	return md
}

const profiled = "DCGM_FI_PROF_GR_ENGINE_ACTIVE"

// TestExporterWithLabels: held and active, by labels alone, and flagged so.
func TestExporterWithLabels(t *testing.T) {
	sink := new(consumertest.MetricsSink)
	cfg := testConfig()
	cfg.Allocation = allocationLabels
	p := start(t, cfg, sink)
	for s := range 5 {
		labels := map[string]string{"pod": "chat-0", "namespace": "ml", "pod_uid": "uid-0"}
		require.NoError(t, p.ConsumeMetrics(t.Context(), scraped(float64(10*s), profiled, 0.25, labels)))
	}
	require.NoError(t, p.Shutdown(t.Context()))
	got := accounts(t, sink)["uid-0"]
	require.Equal(t, 40*time.Second, got.Allocated)
	require.Equal(t, 10*time.Second, got.Active)
	for _, md := range sink.AllMetrics() {
		for _, rm := range md.ResourceMetrics().All() {
			for _, sm := range rm.ScopeMetrics().All() {
				source, flagged := rm.Resource().Attributes().Get("gpu.allocation.source")
				switch sm.Metrics().At(0).Name() {
				case "gpu.time", "gpu.allocated.time":
					require.True(t, flagged)
					require.Equal(t, "labels", source.Str())
				case profiled:
					require.False(t, flagged)
				}
			}
		}
	}
}

// TestExporterIsShadowedByDCGM: one evidence, the other counted.
func TestExporterIsShadowedByDCGM(t *testing.T) {
	sink := new(consumertest.MetricsSink)
	p := start(t, testConfig(), sink)
	device := gpu.Device{ID: "GPU-1", Node: "n1", Cluster: "c1"}
	for s := range 5 {
		at := float64(10 * s)
		b := tick(at, 0, 0)
		b.Samples = nil
		for part, nanos := range map[gpu.CounterPart]float64{gpu.ObservedPart: at, gpu.ActivityPart: at / 4} {
			b.Counters = append(b.Counters, gpu.Counter{
				Device: device, Source: "prof", Part: part, Start: second(0), Time: second(at), Nanos: int64(nanos * 1e9),
			})
		}
		consume(t, p, b)
		require.NoError(t, p.ConsumeMetrics(t.Context(), scraped(at+0.3, profiled, 1, nil)))
	}
	require.NoError(t, p.Shutdown(t.Context()))
	got := accounts(t, sink)["uid-0"]
	require.Equal(t, 40*time.Second, got.Allocated)
	require.Equal(t, 10*time.Second, got.Active, "that of dcgm")
	require.EqualValues(t, 3, p.observeSelf().PointsDropped["shadowed"], "but the newest, and the one before it, which the next would need")
}

// TestExporterWarnsOnce: of each metric that isn't read, with what to do.
func TestExporterWarnsOnce(t *testing.T) {
	core, logs := observer.New(zap.WarnLevel)
	set := componenttest.NewNopTelemetrySettings()
	set.Logger = zap.New(core)
	p := newAccounting(set, testConfig(), consumertest.NewNop(), wallClock)
	for range 3 {
		require.NoError(t, p.ConsumeMetrics(t.Context(), scraped(0, "DCGM_FI_PROF_NEW_ACTIVE", 1, nil)))
		require.NoError(t, p.ConsumeMetrics(t.Context(), scraped(0, "DCGM_FI_DEV_GPU_UTIL_RATIO", 73, nil)))
	}
	require.Equal(t, 2, logs.Len())
	for _, entry := range logs.All() {
		require.NotEmpty(t, entry.ContextMap()["remedy"])
	}
	require.Equal(t, "DCGM_FI_PROF_NEW_ACTIVE", logs.All()[0].ContextMap()["metric"])
	require.EqualValues(t, 3, p.observeSelf().PointsDropped[string(gpupdata.DropUnknownUnit)])
}
