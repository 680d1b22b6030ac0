// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpuaccountingprocessor

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpupdata"
)

// BenchmarkConsume sends collections of 8 to 8,000 devices, each held by a pod
// with an output counter, 10 s apart: through the processor, and beside it
// through a pass-through, which costs what making the batch costs. points/s
// counts the points that come in.
func BenchmarkConsume(b *testing.B) {
	for _, devices := range []int{8, 80, 800, 8000} {
		for _, name := range []string{"gpu_accounting", "pass-through"} {
			b.Run(fmt.Sprintf("devices=%d/%s", devices, name), func(b *testing.B) {
				cfg := testConfig()
				cfg.SettleDelay = 15 * time.Second
				cfg.MaxAccounts = 4 * devices
				var p consumer.Metrics = consumertest.NewNop()
				if name == "gpu_accounting" {
					p = newAccounting(componenttest.NewNopTelemetrySettings(), cfg, p,
						func() time.Time { return time.Unix(1<<33, 0) })
				}
				benchmarkConsume(b, p, devices)
			})
		}
	}
}

func benchmarkConsume(b *testing.B, p consumer.Metrics, devices int) {
	template := gpupdata.Encode(collection(devices))
	points := template.DataPointCount()
	b.ReportAllocs()
	s := 0
	for b.Loop() {
		md := pmetric.NewMetrics()
		template.CopyTo(md)
		s += 10
		stamp(md, second(float64(s)))
		if err := p.ConsumeMetrics(context.Background(), md); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(points*b.N)/b.Elapsed().Seconds(), "points/s")
}

// collection is one collection of devices.
func collection(devices int) (all gpu.Batch) {
	for i := range devices {
		one := tick(0, 0.25, 5)
		id := gpu.DeviceID(fmt.Sprintf("GPU-%04d", i))
		one.Samples[0].Device.ID, one.Memory[0].Device, one.Allocations[0].Device = id, id, id
		uid := fmt.Sprintf("uid-%04d", i)
		one.Allocations[0].Holder.PodUID, one.Outputs[0].Join.PodUID = uid, uid
		all.Samples = append(all.Samples, one.Samples...)
		all.Memory = append(all.Memory, one.Memory...)
		all.Allocations = append(all.Allocations, one.Allocations...)
		all.Outputs = append(all.Outputs, one.Outputs...)
		all.AllocationCounts = one.AllocationCounts
		all.AllocationCounts[0].Count = devices
	}
	return all
}

// stamp sets the time of every point.
func stamp(md pmetric.Metrics, t gpu.Time) {
	for _, rm := range md.ResourceMetrics().All() {
		for _, sm := range rm.ScopeMetrics().All() {
			for _, m := range sm.Metrics().All() {
				points := m.Gauge().DataPoints
				if m.Type() == pmetric.MetricTypeSum {
					points = m.Sum().DataPoints
				}
				for _, p := range points().All() {
					p.SetTimestamp(pcommon.Timestamp(t))
				}
			}
		}
	}
}

// TestBenchmarkedBatchIsAccounted makes sure that the benchmark measures what
// it says: every device has a holder whose time is published.
func TestBenchmarkedBatchIsAccounted(t *testing.T) {
	sink := new(consumertest.MetricsSink)
	p := start(t, testConfig(), sink)
	template := gpupdata.Encode(collection(8))
	for i := range 4 {
		md := pmetric.NewMetrics()
		template.CopyTo(md)
		stamp(md, second(float64(10*i)))
		require.NoError(t, p.ConsumeMetrics(t.Context(), md))
	}
	require.Len(t, accounts(t, sink), 8)
}
