// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpuaccountingprocessor

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpupdata"
)

// TestBadInput spoils the second of four ticks: the pipeline goes on, the point
// is counted by its reason, and the account still adds up to the time.
func TestBadInput(t *testing.T) {
	const int64Blank, doubleBlank = 9223372036854775792, 140737488355328.0
	unset, future := gpu.Time(5*time.Second), gpu.Time(4_070_908_800*time.Second) // 1970, 2099
	tests := map[string]struct {
		spoil  func(*gpu.Batch)
		reason string
		lost   bool // nobody knows the holder of the interval
	}{
		"NaN":               {func(b *gpu.Batch) { b.Samples[0].Value = math.NaN() }, "not_a_number", false},
		"blank of DCGM":     {func(b *gpu.Batch) { b.Samples[0].Value = doubleBlank }, "blank", false},
		"blank as integer":  {func(b *gpu.Batch) { b.Samples[0].Value = int64Blank }, "blank", false},
		"percent":           {func(b *gpu.Batch) { b.Samples[0].Value = 25 }, "out_of_range", false},
		"time of 1970":      {func(b *gpu.Batch) { b.Samples[0].Time = unset }, "unset_clock", false},
		"time of 2099":      {func(b *gpu.Batch) { b.Samples[0].Time = future }, "future", false},
		"set of 2099":       {func(b *gpu.Batch) { b.AllocationCounts[0].Time = future }, "future", false},
		"share over 1":      {func(b *gpu.Batch) { b.Allocations[0].Share = 1.5 }, "bad_share", true},
		"device without id": {func(b *gpu.Batch) { b.Samples[0].Device.ID = "" }, "no_device", false},
		"two values":        {twoValues, "conflict", false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			tel := componenttest.NewTelemetry()
			t.Cleanup(func() { require.NoError(t, tel.Shutdown(context.WithoutCancel(t.Context()))) })
			sink := new(consumertest.MetricsSink)
			p := newAccounting(tel.NewTelemetrySettings(), testConfig(), sink, wallClock)
			require.NoError(t, p.Start(t.Context(), componenttest.NewNopHost()))
			for i := range 5 {
				b := tick(float64(10*i), 0.25, 0)
				if i == 1 {
					tt.spoil(&b)
				}
				consume(t, p, b)
			}
			require.Positive(t, dropped(t, tel, tt.reason))
			require.NoError(t, p.Shutdown(t.Context()))

			total := time.Duration(0)
			for _, a := range accounts(t, sink) {
				for _, s := range a.States {
					total += s.Nanos
				}
			}
			require.Equal(t, 40*time.Second, total)
			if tt.lost {
				require.Equal(t, 10*time.Second, accounts(t, sink)[""].States[0].Nanos)
			}
		})
	}
}

func twoValues(b *gpu.Batch) {
	other := b.Samples[0]
	other.Value = 0.1
	b.Samples = append(b.Samples, other)
}

// dropped returns how many points were dropped for a reason.
func dropped(t *testing.T, tel *componenttest.Telemetry, reason string) int64 {
	t.Helper()
	m, err := tel.GetMetric("otelcol_gpu_accounting_points_dropped")
	require.NoError(t, err)
	for _, p := range m.Data.(metricdata.Sum[int64]).DataPoints {
		if r, _ := p.Attributes.Value("reason"); r.AsString() == reason {
			return p.Value
		}
	}
	return 0
}

// TestOwnDerivedPointsAreNoInput sends what one processor published through
// another: it passes as it is, counts for nothing, and says so.
func TestOwnDerivedPointsAreNoInput(t *testing.T) {
	md := pmetric.NewMetrics()
	gpupdata.EncodeDerived(gpu.Derived{Accounts: []gpu.Account{{
		Device: gpu.Device{ID: "GPU-1", Node: "n1"}, Start: second(0), Time: second(10),
		States: []gpu.StateTime{{
			Condition: gpu.Condition{State: gpu.Unallocated, Reason: gpu.ReasonFree},
			Nanos:     10 * time.Second, Start: second(0),
		}},
	}}}, md)
	want := pmetric.NewMetrics()
	md.CopyTo(want)

	tel := componenttest.NewTelemetry()
	sink := new(consumertest.MetricsSink)
	p := newAccounting(tel.NewTelemetrySettings(), testConfig(), sink, wallClock)
	require.NoError(t, p.Start(t.Context(), componenttest.NewNopHost()))
	require.NoError(t, p.ConsumeMetrics(t.Context(), md))
	require.Equal(t, []pmetric.Metrics{want}, sink.AllMetrics())
	require.Equal(t, int64(want.DataPointCount()), dropped(t, tel, "derived"))
	require.NoError(t, p.Shutdown(t.Context()))
	require.Len(t, sink.AllMetrics(), 1, "there is nothing to publish")
	require.NoError(t, tel.Shutdown(t.Context()))
}

// TestEmptyBatches passes batches without a point.
func TestEmptyBatches(t *testing.T) {
	p := start(t, testConfig(), new(consumertest.MetricsSink))
	require.NoError(t, p.ConsumeMetrics(t.Context(), pmetric.NewMetrics()))
	md := pmetric.NewMetrics()
	m := md.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty().Metrics().AppendEmpty()
	m.SetName("gpu.activity")
	require.NoError(t, p.ConsumeMetrics(t.Context(), md))
	m = md.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty().Metrics().AppendEmpty()
	m.SetName("gpu.activity")
	m.SetEmptyGauge().DataPoints().AppendEmpty().SetTimestamp(pcommon.Timestamp(second(0)))
	require.NoError(t, p.ConsumeMetrics(t.Context(), md))
}
