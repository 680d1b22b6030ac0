// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpupdata

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// A reading is on the resource of its device, and the ledger takes nothing of
// it, nor refuses it.
func TestReadings(t *testing.T) {
	board := gpu.Device{ID: "GPU-a", Node: "n", Model: "NVIDIA L4"}
	b := gpu.Batch{Samples: []gpu.Sample{{Device: board, Engine: gpu.EngineAny, Time: at(5), Value: 0.5}}}
	md := EncodeDevices(b, map[gpu.DeviceID]gpu.Description{"GPU-b": {Device: gpu.Device{ID: "GPU-b", Model: "Tesla T4"}}}, []gpu.Reading{
		{Device: "GPU-a", Metric: MetricPower, Time: at(5), Value: 70.5},
		{Device: "GPU-a", Metric: MetricActivity, Time: at(5), Value: 0.25, Attributes: []gpu.Attribute{{Key: AttrEngine, Value: "sm_occupancy"}}},
		{Device: "GPU-b", Metric: MetricIO, Start: at(1), Time: at(5), Whole: 1<<62 + 1, Value: 1 << 62},
		{Device: "GPU-b", Metric: "gpu.unheard_of", Time: at(5)},
	})
	if n := md.ResourceMetrics().Len(); n != 2 {
		t.Fatalf("%d resources", n)
	}
	first, second := md.ResourceMetrics().At(0), md.ResourceMetrics().At(1)
	if model, _ := second.Resource().Attributes().Get(AttrHWModel); model.Str() != "Tesla T4" {
		t.Errorf("the second resource: %v", second.Resource().Attributes().AsRaw())
	}
	if n := first.ScopeMetrics().At(0).Metrics().Len(); n != 2 {
		t.Errorf("%d metrics of the first device", n)
	}
	io := second.ScopeMetrics().At(0).Metrics()
	if io.Len() != 1 || io.At(0).Unit() != "By" || !io.At(0).Sum().IsMonotonic() || io.At(0).Sum().DataPoints().At(0).IntValue() != 1<<62+1 {
		t.Errorf("the bytes: %v", io)
	}
	got, drops := NewDecoder(Settings{}).Decode(md, gpu.NoTime)
	if len(got.Samples) != 1 || got.Samples[0] != b.Samples[0] || drops != nil {
		t.Errorf("decoded: %+v, %v", got, drops)
	}
}

// What isn't the ledger's is passed on or not as a device's metric.
func TestReadingsAreInputs(t *testing.T) {
	for name := range hardware {
		if !Readable(name) || !Owns(name) {
			t.Errorf("%s isn't an input", name)
		}
	}
}

// described is an instance with all that is told of one.
func described() gpu.Description {
	return gpu.Description{
		Device: gpu.Device{ID: "MIG-a", Parent: "GPU-1", Slices: gpu.Slices{N: 7, Of: 7}, Node: "n", Cluster: "c", Model: "NVIDIA H100"},
		Vendor: "NVIDIA", Driver: "570.1", Host: "n", PCI: "00000000:01:00.0", Index: new(0), Minor: new(4), Profile: "7g.80gb", Instance: new(0),
	}
}

// A description is on the resource of its device, is passed on, and changes
// nothing of what the ledger reads.
func TestDescription(t *testing.T) {
	d := described()
	b := gpu.Batch{Samples: []gpu.Sample{{Device: d.Device, Engine: gpu.EngineAny, Time: at(5), Value: 0.5}}}
	md := EncodeDevices(b, map[gpu.DeviceID]gpu.Description{d.Device.ID: d}, nil)
	decoder := NewDecoder(Settings{})
	got, drops := decoder.Decode(md, gpu.NoTime)
	require.Equal(t, b, got)
	require.Empty(t, drops)
	decoder.Filter(md, ForwardDevice)
	require.Equal(t, map[string]any{
		"hw.id": "MIG-a", "hw.type": "gpu", "hw.parent": "GPU-1", "hw.model": "NVIDIA H100", "hw.vendor": "NVIDIA", "hw.driver_version": "570.1",
		"gpu.index": int64(0), "gpu.minor": int64(4), "gpu.pci.address": "00000000:01:00.0", "gpu.mig.profile": "7g.80gb", "gpu.mig.gi": int64(0),
		"gpu.mig.slices": int64(7), "gpu.mig.slices_total": int64(7), "k8s.node.name": "n", "k8s.cluster.name": "c", "host.name": "n",
	}, md.ResourceMetrics().At(0).Resource().Attributes().AsRaw())

	d = gpu.Description{Device: gpu.Device{ID: "GPU-1"}}
	bare := EncodeDevices(gpu.Batch{}, map[gpu.DeviceID]gpu.Description{"GPU-1": d}, []gpu.Reading{{Device: "GPU-1", Metric: MetricPower, Time: at(5)}})
	require.Equal(t, map[string]any{"hw.id": "GPU-1", "hw.type": "gpu"}, bare.ResourceMetrics().At(0).Resource().Attributes().AsRaw(), "what isn't known isn't told")
}

// An allocation by number finds the device whose description has the number.
func TestDescriptionTellsTheNumberOfAnInstance(t *testing.T) {
	d := described()
	decoder := NewDecoder(Settings{Instances: NewInstances(90 * time.Second)})
	_, drops := decoder.Decode(EncodeDevices(gpu.Batch{}, map[gpu.DeviceID]gpu.Description{"MIG-a": d}, []gpu.Reading{
		{Device: "MIG-a", Metric: MetricMemoryLimit, Time: at(5), Whole: 1},
	}), gpu.NoTime)
	require.Empty(t, drops)
	device, drops := decodeOne(t, decoder, allocatedByNumber(10, "GPU-1", 0))
	require.Equal(t, "MIG-a", device)
	require.Empty(t, drops)
}
