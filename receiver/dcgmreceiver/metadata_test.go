// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package dcgmreceiver

import (
	"maps"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/activity"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/catalog"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/engine"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/hardware"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/metadata"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/sample"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/session"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/topology"
	"github.com/otelcol-gpu/otelcol-gpu/test/metadatayaml"
)

func loadMetadata(t *testing.T) metadatayaml.File {
	t.Helper()
	file, err := metadatayaml.Load("metadata.yaml")
	require.NoError(t, err)
	return file
}

func TestMetadataOfTheComponent(t *testing.T) {
	file := loadMetadata(t)
	require.Equal(t, file.Type, metadata.Type.String())
	require.Equal(t, "receiver", file.Status.Class)
	require.Equal(t, map[string][]string{"development": {"metrics"}}, file.Status.Stability)
	enabled := map[string]bool{}
	for name, m := range file.Metrics {
		enabled[name] = m.Enabled
	}
	require.Equal(t, enabled, metadata.Metrics)
}

const micros = int64(gpu.Earliest) / 1000

// everything is a board and a part of another one, with one of each point.
func everything() []session.Account {
	points := []activity.Point{{
		Source: activity.Prof, Start: int64(gpu.Earliest), Time: int64(gpu.Earliest) + 10e9, Active: 4 * time.Second, Observed: 9 * time.Second, Last: 0.5,
	}}
	memory, counted := map[sample.Field]session.Gauge{}, hardware.NewDevice(time.Second, micros)
	for _, f := range catalog.All() {
		memory[f] = session.Gauge{Value: sample.Value{Float: 1 << 30}, Micros: micros}
		for i := range int64(2) {
			counted.Observe(sample.Raw{Field: f, Micros: micros + i}, sample.Value{Float: 1, Int: i}, sample.Kept)
		}
	}
	counted.XID(79)
	drops := map[sample.Drop]int64{sample.Blank: 3}
	return []session.Account{
		{Device: topology.Device{UUID: "GPU-a", Status: engine.OK, Model: "NVIDIA L4", PCI: "00000000:01:00.0", Driver: "570.1"}, Points: points, Gauges: memory, Sums: counted.Sums(), Newest: micros, Drops: drops},
		{Device: topology.Device{UUID: "GPU-b", Status: engine.OK, MIG: true, Count: 1, Of: 7}, Counts: activity.Counts{Stuck: 1}},
		{Device: topology.Device{UUID: "MIG-c", Status: engine.OK, Parent: "GPU-b", Profile: "3g.40gb", Slices: 3, Of: 7}, Points: points, Newest: micros},
	}
}

// TestMetadataOfMetrics holds names, units, kinds and attributes of the points
// to metadata.yaml, both ways.
func TestMetadataOfMetrics(t *testing.T) {
	r := newRig(t, ok(1), nil)
	r.disabled = nil // by default some aren't sent
	md := r.encode(everything(), session.State{Reason: session.Gone}, gpu.Earliest)
	r.encode(everything(), session.State{}, gpu.Earliest).ResourceMetrics().MoveAndAppendTo(md.ResourceMetrics())
	file := loadMetadata(t)
	seen := map[string][]string{}
	for _, rm := range md.ResourceMetrics().All() {
		for _, m := range rm.ScopeMetrics().At(0).Metrics().All() {
			want, known := file.Metrics[m.Name()]
			require.True(t, known, "%s isn't in metadata.yaml", m.Name())
			require.Equal(t, want.Unit, m.Unit(), m.Name())
			require.Equal(t, want.Description, m.Description(), m.Name())
			seen[m.Name()] = append(seen[m.Name()], requireForm(t, want, m)...)
		}
	}
	for name, want := range file.Metrics {
		got := slices.Compact(slices.Sorted(slices.Values(seen[name])))
		require.Contains(t, seen, name)
		require.Equal(t, slices.Sorted(slices.Values(want.Attributes)), got, name)
	}
}

// TestMetadataOfResources holds the attributes of resources to metadata.yaml and
// README, both ways.
func TestMetadataOfResources(t *testing.T) {
	r := newRig(t, ok(1), func(c *Config) { c.ClusterName = "c" })
	md := r.encode(everything(), session.State{}, gpu.Earliest)
	file, seen := loadMetadata(t), map[string]bool{}
	for _, rm := range md.ResourceMetrics().All() {
		for name, v := range rm.Resource().Attributes().All() {
			seen[name] = true
			require.Equal(t, file.ResourceAttributes[name].Type, map[pcommon.ValueType]string{pcommon.ValueTypeStr: "string", pcommon.ValueTypeInt: "int"}[v.Type()], name)
		}
	}
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	for name := range file.ResourceAttributes {
		require.True(t, seen[name], "%s isn't sent", name)
		require.Contains(t, string(readme), "`"+name+"`")
	}
}

// requireForm holds the points of a metric to its form, and returns the names
// of their attributes.
func requireForm(t *testing.T, want metadatayaml.Metric, m pmetric.Metric) (attributes []string) {
	t.Helper()
	form, data := want.Form()
	if form == "sum" {
		require.Equal(t, data.Monotonic, m.Sum().IsMonotonic(), m.Name())
	} else {
		require.Equal(t, pmetric.MetricTypeGauge, m.Type(), m.Name())
	}
	for _, p := range pointsOf(m).All() {
		require.Equal(t, data.ValueType == "int", p.ValueType() == pmetric.NumberDataPointValueTypeInt, m.Name())
		for name := range p.Attributes().All() {
			attributes = append(attributes, name)
		}
	}
	return attributes
}

// TestMetadataOfTelemetry holds the component's own telemetry to metadata.yaml,
// both ways.
func TestMetadataOfTelemetry(t *testing.T) {
	tel := componenttest.NewTelemetry()
	own := newTelemetry(tel.NewTelemetrySettings())
	state := session.State{Reason: session.Gone, Reconnects: 1, Lacks: []topology.Lack{{Reason: "no_uuid"}}}
	require.NoError(t, own.start(componenttest.NewNopHost(), func() session.State { return state }))
	own.called("since", time.Millisecond)
	own.look()
	own.collected(everything(), state, gpu.Earliest)
	own.collected(everything(), state, gpu.Earliest.Add(10*time.Second))
	file := loadMetadata(t)
	for name, want := range file.Telemetry.Metrics {
		got, err := tel.GetMetric("otelcol_" + name)
		require.NoError(t, err)
		require.Equal(t, want.Unit, got.Unit, name)
		require.Equal(t, want.Description, got.Description, name)
		form, data := want.Form()
		require.Equal(t, formOf(got.Data), form+" "+data.ValueType, name)
	}
	var all metricdata.ResourceMetrics
	require.NoError(t, tel.Reader.Collect(t.Context(), &all))
	require.Len(t, all.ScopeMetrics[0].Metrics, len(file.Telemetry.Metrics))
	require.NoError(t, own.stop())
	require.NoError(t, tel.Shutdown(t.Context()))
}

func formOf(data metricdata.Aggregation) string {
	switch data.(type) {
	case metricdata.Sum[int64]:
		return "sum int"
	case metricdata.Gauge[int64]:
		return "gauge int"
	case metricdata.Gauge[float64]:
		return "gauge double"
	case metricdata.Histogram[float64]:
		return "histogram double"
	default:
		return "something else"
	}
}

// TestNamesAreWrittenDown holds README and metadata.yaml to the words in code.
func TestNamesAreWrittenDown(t *testing.T) {
	text, err := os.ReadFile("README.md")
	require.NoError(t, err)
	readme, file := string(text), loadMetadata(t)
	for name, m := range file.Telemetry.Metrics {
		require.Contains(t, readme, "| `otelcol_"+name+"` | "+m.Unit)
	}
	var words, reasons []string
	for _, r := range session.Reasons() {
		reasons = append(reasons, string(r))
		if r != session.Starting {
			require.NotEmpty(t, remedies[r], r)
		}
	}
	require.Equal(t, reasons, file.Attributes["gpu.source.reason"].Enum)
	for _, d := range sample.Drops() {
		words = append(words, d.String())
	}
	for _, word := range slices.Concat(words, reasons, file.Attributes["event"].Enum, file.Attributes["call"].Enum) {
		require.Contains(t, readme, "`"+word+"`")
	}
	var states []string
	for s := engine.Unknown; s <= engine.Detached; s++ {
		states = append(states, s.String())
	}
	require.Equal(t, states, file.Attributes["state"].Enum)
	require.ElementsMatch(t, slices.Collect(maps.Keys(events(activity.Counts{Clamped: 1, Switches: 1, Stuck: 1, Resets: 1}))), file.Attributes["event"].Enum)
}
