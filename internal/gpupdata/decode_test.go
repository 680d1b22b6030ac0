// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpupdata

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// decodeCase is one metric and what it says.
type decodeCase struct {
	name   string
	metric string
	shape  shape
	res    attrs
	points []pt
	set    Settings
	future gpu.Time
	want   gpu.Batch
	drops  Drops
}

func (tc decodeCase) run(t *testing.T) {
	t.Parallel()
	md := metrics(t, tc.res, tc.metric, tc.shape, tc.points...)
	before := wire(t, md)
	md.MarkReadOnly()
	got, drops := NewDecoder(tc.set).Decode(md, tc.future)
	require.Empty(t, cmp.Diff(tc.want, got, cmpopts.EquateEmpty()))
	require.Equal(t, tc.drops, drops)
	require.Equal(t, before, wire(t, md), "Decode must not modify its input")
}

func runAll(t *testing.T, cases []decodeCase) {
	t.Parallel()
	for _, tc := range cases {
		t.Run(tc.name, tc.run)
	}
}

func TestDecodeReadsNothingFromNothing(t *testing.T) {
	got, drops := NewDecoder(Settings{}).Decode(pmetric.NewMetrics(), 0)
	require.Equal(t, gpu.Batch{}, got)
	require.Nil(t, drops)
	require.Zero(t, drops.Total())
}

func TestDecodePassesUnknownMetrics(t *testing.T) {
	md := metrics(t, attrs{}, "system.cpu.time", counter, pt{time: at(0), value: 1.0})
	add(t, md, res0, "DCGM_FI_DEV_GPU_UTIL", gauge, pt{time: at(0), value: 1.0})
	add(t, md, res0, "gpu.node.capacity", upDown, pt{time: at(0), value: 8})
	got, drops := NewDecoder(Settings{}).Decode(md, 0)
	require.Equal(t, gpu.Batch{}, got)
	require.Nil(t, drops)
}

func TestDecodeCountsDerivedPoints(t *testing.T) {
	md := metrics(t, res0, "gpu.time", counter, pt{time: at(0), value: 1.0}, pt{time: at(1), value: 1.0})
	add(t, md, res0, "gpu.price", gauge, pt{time: at(0), value: 1.0})
	add(t, md, res0, "gpu.entitled.time", counter, pt{time: at(0), value: 1.0})
	add(t, md, res0, "gpu.ledger.lag", gauge, pt{time: at(0), value: 1.0})
	set := Settings{Outputs: []gpu.OutputProfile{{Metric: "gpu.time"}}}
	got, drops := NewDecoder(set).Decode(md, 0)
	require.Equal(t, gpu.Batch{}, got)
	require.Equal(t, Drops{DropDerived: 5}, drops)
	require.Equal(t, 5, drops.Total())
}

func TestDecodeRefusesOtherTypes(t *testing.T) {
	t.Parallel()
	allowed := map[string][]shape{
		MetricActivity:        {gauge},
		MetricActivityTime:    {counter},
		MetricObservedTime:    {counter},
		MetricMemoryUsage:     {gauge, counter, upDown},
		MetricDeviceAvailable: {gauge, counter, upDown},
		MetricStatus:          {gauge, counter, upDown},
		MetricAllocation:      {gauge, counter, upDown},
		MetricNodeAllocations: {gauge, counter, upDown},
		MetricMilestoneTime:   {gauge, counter, upDown},
		MetricMIGInstances:    {gauge, counter, upDown},
		MetricProcessActivity: {gauge},
		"tokens":              {counter},
		"queue":               {gauge, counter, upDown},
	}
	require.Len(t, allowed, len(readers)+2)
	d := NewDecoder(Settings{Outputs: []gpu.OutputProfile{
		{Metric: "tokens"}, {Metric: "queue", Kind: gpu.DemandGauge},
	}})
	all := []shape{gauge, counter, upDown, delta, unspecified, histogram, exponential, summary, empty}
	for name, shapes := range allowed {
		for _, s := range all {
			md := metrics(t, res0, name, s, pt{time: at(0)}, pt{time: at(0)})
			_, drops := d.Decode(md, 0)
			want := 2
			for _, ok := range shapes {
				if s == ok || s == empty {
					want = 0
				}
			}
			require.Equal(t, want, drops[DropUnsupportedType], "%s as %d", name, s)
		}
	}
}

func TestResourceIsReadOnce(t *testing.T) {
	md := metrics(t, res0, MetricActivity, gauge,
		pt{attrs: engineOnly, time: at(0), value: 0.5},
		pt{attrs: with(engineOnly, "hw.id", "GPU-1"), time: at(0), value: 0.5},
		pt{attrs: engineOnly, time: at(1), value: 0.5})
	got, drops := NewDecoder(Settings{}).Decode(md, 0)
	require.Nil(t, drops)
	other := device0
	other.ID = "GPU-1"
	require.Equal(t, []gpu.Sample{
		{Device: device0, Time: at(0), Value: 0.5},
		{Device: other, Time: at(0), Value: 0.5},
		{Device: device0, Time: at(1), Value: 0.5},
	}, got.Samples)
}
