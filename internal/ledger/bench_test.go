// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/internal/ledger"
)

// BenchmarkObserve settles and publishes collections of 8 to 8,000 devices,
// each held by a pod with an output counter, 10 s apart.
func BenchmarkObserve(b *testing.B) {
	for _, devices := range []int{8, 80, 800, 8000} {
		b.Run(fmt.Sprintf("devices=%d", devices), func(b *testing.B) {
			cfg := ledger.DefaultConfig()
			cfg.MaxAccounts = 4 * devices
			l := ledger.New(cfg)
			batch := benchmarkBatch(devices)
			t := scriptEpoch
			b.ReportAllocs()
			for b.Loop() {
				t = t.Add(10 * time.Second)
				restamp(&batch, t)
				l.Observe(batch)
				derived, _ := l.Due()
				l.Confirm(derived)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*devices), "ns/device")
		})
	}
}

func benchmarkBatch(devices int) (batch gpu.Batch) {
	for i := range devices {
		d := gpu.Device{ID: gpu.DeviceID(fmt.Sprintf("GPU-%04d", i)), Node: "n1"}
		pod := fmt.Sprintf("uid-%04d", i)
		batch.Samples = append(batch.Samples, gpu.Sample{Device: d, Value: 0.25})
		batch.Memory = append(batch.Memory, gpu.Memory{Device: d.ID, Bytes: 20 << 30})
		batch.Allocations = append(batch.Allocations, gpu.Allocation{
			Device: d.ID, Node: "n1", Holder: gpu.Holder{PodUID: pod}, Sharing: gpu.Exclusive, Share: 1, Begin: scriptEpoch,
		})
		batch.Outputs = append(batch.Outputs, gpu.Output{
			Profile: gpu.OutputProfile{Metric: "tokens", Window: time.Minute}, Join: gpu.Join{PodUID: pod}, Value: 5,
		})
	}
	batch.AllocationCounts = []gpu.AllocationCount{{Node: "n1", Count: devices}}
	return batch
}

func restamp(batch *gpu.Batch, t gpu.Time) {
	for i := range batch.Samples {
		batch.Samples[i].Time = t
		batch.Memory[i].Time = t
		batch.Allocations[i].Time = t
		batch.Outputs[i].Time = t
	}
	batch.AllocationCounts[0].Time = t
}
