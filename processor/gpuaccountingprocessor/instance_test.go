// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpuaccountingprocessor

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer/consumertest"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpupdata"
)

// numberedTick is one collection of a node whose allocator knows a MIG instance
// by its number only: what the device's source sends, and what the holders'.
func numberedTick(s float64) (device, holders gpu.Batch) {
	all := tick(s, 0.5, 0)
	all.Samples[0].Device = gpu.Device{ID: "MIG-1", Parent: "GPU-1", Slices: gpu.Slices{N: 3, Of: 7}, Node: "n1", Cluster: "c1"}
	a := all.Allocations[0]
	a.Device, a.Ref, a.Sharing = "", "nvidia.com/gpu/nvidia0/gi2", gpu.MIG
	return gpu.Batch{Samples: all.Samples}, gpu.Batch{Allocations: []gpu.Allocation{a}, AllocationCounts: all.AllocationCounts}
}

// TestInstanceByNumber: its time is the pod's from the first set that can be
// read, and none is accounted under a reference, whichever source came first.
func TestInstanceByNumber(t *testing.T) {
	sink := new(consumertest.MetricsSink)
	p := start(t, testConfig(), sink)
	for s := range 20 {
		device, holders := numberedTick(float64(s))
		md := gpupdata.Encode(holders)
		gpupdata.Annotate(md, gpupdata.Notes{Instance: func(_, _, _ string) (gpu.DeviceID, int, bool) { return "GPU-1", 2, true }})
		require.NoError(t, p.ConsumeMetrics(t.Context(), md))
		md = gpupdata.Encode(device)
		md.ResourceMetrics().At(0).Resource().Attributes().PutInt(gpupdata.AttrMIGInstance, 2)
		require.NoError(t, p.ConsumeMetrics(t.Context(), md))
	}
	require.NoError(t, p.Shutdown(t.Context()))
	held := time.Duration(0)
	for _, md := range sink.AllMetrics() {
		derived, _ := gpupdata.DecodeTime(md)
		for i := range derived.Accounts {
			a := &derived.Accounts[i]
			require.Empty(t, a.Device.Ref)
			if a.Kind == gpu.HolderAccount {
				require.Equal(t, gpu.DeviceID("MIG-1"), a.Device.ID)
				sum := time.Duration(0)
				for _, state := range a.States {
					sum += state.Nanos
				}
				held = max(held, sum)
			}
		}
	}
	require.InDelta(t, (18*time.Second).Seconds()*3/7, held.Seconds(), 1)
}
