// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpupdata

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"pgregory.net/rapid"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

func TestBatchRoundTrip(t *testing.T) {
	t.Parallel()
	for _, labels := range []bool{false, true} {
		d := NewDecoder(Settings{Outputs: profiles.Outputs, LabelAllocation: labels})
		rapid.Check(t, func(t *rapid.T) {
			want := genBatch(t, labels)
			got, drops := d.Decode(overWire(t, Encode(want)), at(10))
			require.Nil(t, drops)
			require.Empty(t, cmp.Diff(want, got, unordered))
		})
	}
}

// Of a MIG instance that a batch only names, the board and the slices have to be
// known.
func TestEncodeKnowing(t *testing.T) {
	t.Parallel()
	instance := gpu.Device{ID: "MIG-1", Parent: "GPU-0", Slices: gpu.Slices{N: 3, Of: 7}, Node: "n0"}
	want := gpu.Batch{Statuses: []gpu.Status{{Device: "MIG-1", Time: at(1), Failed: true}, {Device: "GPU-0", Time: at(1)}}}
	known := map[gpu.DeviceID]gpu.Device{instance.ID: instance}
	got, drops := NewDecoder(Settings{}).Decode(EncodeKnowing(want, known), 0)
	require.Nil(t, drops)
	require.Equal(t, want, got)
	_, drops = NewDecoder(Settings{}).Decode(Encode(want), 0)
	require.Equal(t, Drops{DropPartition: 1}, drops)
}

// overWire returns what a receiver gets.
func overWire(t require.TestingT, md pmetric.Metrics) pmetric.Metrics {
	data, err := (&pmetric.ProtoMarshaler{}).MarshalMetrics(md)
	require.NoError(t, err)
	md, err = (&pmetric.ProtoUnmarshaler{}).UnmarshalMetrics(data)
	require.NoError(t, err)
	return md
}

func TestEncodeGroupsByResource(t *testing.T) {
	sample := gpu.Sample{Device: device0, Time: at(1), Value: 1}
	allocation := gpu.Allocation{Device: "GPU-0", Node: "n0", Cluster: "c0", Holder: holder0, Time: at(1), Share: 1}
	md := Encode(gpu.Batch{
		Samples:          []gpu.Sample{sample, sample},
		Memory:           []gpu.Memory{{Device: "GPU-0", Time: at(1)}, {Device: "GPU-1", Time: at(1)}},
		Statuses:         []gpu.Status{{Device: "GPU-0", Time: at(1)}},
		Allocations:      []gpu.Allocation{allocation, allocation},
		AllocationCounts: []gpu.AllocationCount{{Node: "n0", Cluster: "c0", Time: at(1), Count: 2}},
		Milestones:       []gpu.Milestone{{Pod: "uid", Name: gpu.DeletionRequested, At: at(0), Time: at(1)}},
	})
	var resources []attrs
	for _, rm := range md.ResourceMetrics().All() {
		resources = append(resources, rm.Resource().Attributes().AsRaw())
	}
	require.Equal(t, []attrs{
		with(res0, "host.name", nil),
		{"hw.id": "GPU-1", "hw.type": "gpu"},
		resHolder0,
		{"k8s.node.name": "n0", "k8s.cluster.name": "c0"},
	}, resources)
	require.Equal(t, []string{
		"gpu.activity", "hw.gpu.memory.usage", "hw.status", "hw.gpu.memory.usage",
		"gpu.allocation", "gpu.milestone.time", "gpu.node.allocations",
	}, names(md))
	require.Equal(t, 9, md.DataPointCount())
}

// What can't be read is written, so that a test of what is refused can be.
func TestEncodeWritesWhatIsRefused(t *testing.T) {
	md := Encode(gpu.Batch{
		Samples:     []gpu.Sample{{Time: at(1)}, {Device: device0, Value: 1}, {Device: device0, Time: at(1), Value: 2}},
		Allocations: []gpu.Allocation{{Time: at(1), Holder: holder0}, {Time: at(1), Device: "GPU-0"}},
	})
	got, drops := NewDecoder(Settings{}).Decode(md, 0)
	require.Empty(t, cmp.Diff(gpu.Batch{}, got, unordered))
	require.Equal(t, Drops{DropNoDevice: 2, DropUnsetClock: 1, DropOutOfRange: 1, DropNoPod: 1}, drops)
}
