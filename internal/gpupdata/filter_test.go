// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpupdata

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

func TestForwardNames(t *testing.T) {
	for _, f := range []Forward{ForwardNone, ForwardDevice, ForwardAll} {
		parsed, ok := ParseForward(f.String())
		require.True(t, ok)
		require.Equal(t, f, parsed)
	}
	_, ok := ParseForward("some")
	require.False(t, ok)
	require.Equal(t, "invalid", Forward(9).String())
	require.Equal(t, "invalid", Forward(-1).String())
}

// inputs has every known input, each in its own resource, and unknown metrics
// of every type around and among them.
func inputs(t *testing.T) (md, unknown pmetric.Metrics) {
	md, unknown = pmetric.NewMetrics(), pmetric.NewMetrics()
	for _, dest := range []pmetric.Metrics{md, unknown} {
		add(t, dest, attrs{"os": "linux"}, "system.cpu.time", counter, pt{time: at(1), value: 1.0})
		add(t, dest, res0, "gpu.unheard_of", gauge, pt{time: at(1), value: 1.0})
		add(t, dest, res0, "gpu.node.capacity", upDown, pt{time: at(1), value: 8})
		add(t, dest, res0, "http.duration", histogram, pt{})
		add(t, dest, res0, "sizes", exponential, pt{})
		add(t, dest, res0, "go_gc", summary, pt{})
		add(t, dest, res0, "gpu.time", counter, pt{time: at(1), value: 1.0})
		add(t, dest, attrs{"hw.id": "fan-0", "hw.type": "fan"}, "hw.status", upDown, pt{time: at(1), value: 1})
		add(t, dest, attrs{}, "hw.temperature", gauge, pt{time: at(1), value: 1.0})
	}
	names := []string{tokens.Metric, queue.Metric, sleeping.Metric}
	for name := range families {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		add(t, md, res0, name, gauge, pt{time: at(1), value: 1.0})
	}
	return md, unknown
}

func names(md pmetric.Metrics) (out []string) {
	for _, rm := range md.ResourceMetrics().All() {
		for _, sm := range rm.ScopeMetrics().All() {
			for _, m := range sm.Metrics().All() {
				out = append(out, m.Name())
			}
		}
	}
	return out
}

func TestFilterNoneLeavesTheUnknown(t *testing.T) {
	md, unknown := inputs(t)
	NewDecoder(profiles).Filter(md, ForwardNone)
	require.Equal(t, wire(t, unknown), wire(t, md))
}

func TestFilterAllRemovesNothing(t *testing.T) {
	md, _ := inputs(t)
	before := wire(t, md)
	md.MarkReadOnly()
	NewDecoder(profiles).Filter(md, ForwardAll)
	require.Equal(t, before, wire(t, md))
}

func TestFilterDeviceRemovesAllocations(t *testing.T) {
	md, _ := inputs(t)
	want := slices.DeleteFunc(names(md), func(name string) bool {
		return name == "gpu.allocation" || name == "gpu.node.allocations"
	})
	NewDecoder(profiles).Filter(md, ForwardDevice)
	require.Equal(t, want, names(md))
}

func TestFilterKeepsUnreadOutputs(t *testing.T) {
	md := metrics(t, nil, tokens.Metric, counter, pt{time: at(1), value: 1.0})
	NewDecoder(Settings{}).Filter(md, ForwardNone)
	require.Equal(t, 1, md.MetricCount())
}

func TestFilterTakesApartSharedMetrics(t *testing.T) {
	md := metrics(t, nil, "hw.power", gauge,
		pt{attrs: attrs{"hw.id": "GPU-0", "hw.type": "gpu"}, time: at(1), value: 1.0},
		pt{attrs: attrs{"hw.id": "psu", "hw.type": "power_supply"}, time: at(1), value: 2.0},
		pt{attrs: attrs{"hw.id": "GPU-1"}, time: at(1), value: 3.0},
		pt{time: at(1), value: 4.0})
	NewDecoder(Settings{}).Filter(md, ForwardNone)
	want := metrics(t, nil, "hw.power", gauge,
		pt{attrs: attrs{"hw.id": "psu", "hw.type": "power_supply"}, time: at(1), value: 2.0},
		pt{time: at(1), value: 4.0})
	require.Equal(t, wire(t, want), wire(t, md))
}

func TestFilterRemovesEmptyScopesAndResources(t *testing.T) {
	md := metrics(t, res0, "gpu.activity", gauge, pt{time: at(1), value: 1.0})
	add(t, md, res0, "gpu.activity", gauge, pt{time: at(1), value: 1.0})
	kept := md.ResourceMetrics().At(1).ScopeMetrics().AppendEmpty().Metrics().AppendEmpty()
	kept.SetName("kept")
	NewDecoder(Settings{}).Filter(md, ForwardNone)
	require.Equal(t, 1, md.ResourceMetrics().Len())
	require.Equal(t, 1, md.ResourceMetrics().At(0).ScopeMetrics().Len())
	require.Equal(t, []string{"kept"}, names(md))
}
