// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpupdata

import (
	"testing"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// A reading is on the resource of its device, and the ledger takes nothing of
// it, nor refuses it.
func TestReadings(t *testing.T) {
	board := gpu.Device{ID: "GPU-a", Node: "n", Model: "NVIDIA L4"}
	b := gpu.Batch{Samples: []gpu.Sample{{Device: board, Engine: gpu.EngineAny, Time: at(5), Value: 0.5}}}
	md := EncodeDevices(b, map[gpu.DeviceID]gpu.Device{"GPU-b": {ID: "GPU-b", Model: "Tesla T4"}}, []gpu.Reading{
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
