// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpuaccountingprocessor

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

	"github.com/otelcol-gpu/otelcol-gpu/internal/checkpoint"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpupdata"
	"github.com/otelcol-gpu/otelcol-gpu/internal/ledger"
	"github.com/otelcol-gpu/otelcol-gpu/internal/price"
	"github.com/otelcol-gpu/otelcol-gpu/processor/gpuaccountingprocessor/internal/metadata"
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
	require.Equal(t, "processor", file.Status.Class)
	require.Equal(t, map[string][]string{"development": {"metrics"}}, file.Status.Stability)
	require.Equal(t, metadata.ScopeName, gpupdata.ScopeName)
}

// TestMetadataOfStates holds the enumerations to the domain's words.
func TestMetadataOfStates(t *testing.T) {
	var states, reasons []string
	for s := gpu.Unavailable; s <= gpu.Productive; s++ {
		states = append(states, s.String())
		for _, r := range s.Reasons() {
			reasons = append(reasons, r.String())
		}
	}
	file := loadMetadata(t)
	require.Equal(t, file.Attributes["gpu.state"].Enum, states)
	require.Equal(t, file.Attributes["gpu.state.reason"].Enum, reasons)
	var attributions []string
	for a := gpu.ExclusiveAttribution; a <= gpu.HostAttribution; a++ {
		attributions = append(attributions, a.String())
	}
	require.Equal(t, file.Attributes["gpu.attribution"].Enum, attributions)
}

// everything is one of each derived point that there can be.
func everything() gpu.Derived {
	holder := gpu.Holder{
		Namespace: "ns", Pod: "pod", PodUID: "uid", Container: "c",
		Workload: gpu.Workload{Kind: "Deployment", Name: "w", Class: gpu.ClassBatch, Group: "g"},
	}
	producer := holder
	producer.Container = ""
	device := gpu.Device{ID: "GPU-1", Parent: "GPU-0", Node: "n", Cluster: "c"}
	var states []gpu.StateTime
	for s := gpu.Unavailable; s <= gpu.Productive; s++ {
		for _, r := range append(s.Reasons(), gpu.NoReason) {
			c := gpu.Condition{State: s, Reason: r}
			if s == gpu.Idle {
				c.Form, c.Residence = gpu.Episode, gpu.ResidentTrue
			}
			states = append(states, gpu.StateTime{Condition: c, Nanos: time.Second, Start: second(0)})
		}
	}
	held := gpu.Account{
		Device: device, Kind: gpu.HolderAccount, Holder: holder, Attribution: gpu.ProcessAttribution,
		Start: second(0), Time: second(100), States: states,
		Depth: []gpu.DepthTime{
			{Engine: gpu.EngineSM, Nanos: 1}, {Engine: gpu.EngineTensor, Nanos: 1}, {Engine: gpu.EngineDRAM, Nanos: 1},
		},
		Episode: &gpu.IdleEpisode{Reason: gpu.ReasonBatch, Age: time.Minute},
		Price:   &gpu.Price{PerHour: 1, Currency: "EUR", Version: "v", Source: price.FromFile, Kind: "list"},
		Costs:   []gpu.StateCost{{State: gpu.Idle, Currency: "EUR", Nanos: 1, Start: second(0)}},
	}
	overflow, own, unresolved := held, held, held
	unresolved.Device.ID, unresolved.Device.Ref = "", "nvidia3"
	overflow.Kind, own.Kind = gpu.OverflowAccount, gpu.DeviceAccount
	overflow.Holder, own.Holder = gpu.Holder{}, gpu.Holder{}
	return gpu.Derived{
		Accounts: []gpu.Account{held, overflow, own, unresolved},
		Outputs: []gpu.OutputTotal{{
			Holder: producer, Node: "n", Cluster: "c", Unit: "{token}", Start: second(0), Time: second(1), Value: 1,
		}},
	}
}

// TestMetadataOfMetrics holds names, units, kinds and attributes of the derived
// points to metadata.yaml, both ways.
func TestMetadataOfMetrics(t *testing.T) {
	md := pmetric.NewMetrics()
	gpupdata.EncodeDerived(everything(), md)
	gpupdata.EncodeHealth([]gpupdata.NodeHealth{
		{NodeStanding: gpu.NodeStanding{Node: "n", Cluster: "c"}, Error: new(time.Duration), Coverage: new(float64)},
	}, md)
	file := loadMetadata(t)
	seen := map[string]bool{}
	for _, rm := range md.ResourceMetrics().All() {
		for name := range rm.Resource().Attributes().All() {
			require.Contains(t, []string{"k8s.cluster.name", "k8s.node.name"}, name)
		}
		for _, m := range rm.ScopeMetrics().At(0).Metrics().All() {
			want, known := file.Metrics[m.Name()]
			require.True(t, known, "%s isn't in metadata.yaml", m.Name())
			seen[m.Name()] = true
			require.Equal(t, want.Unit, m.Unit(), m.Name())
			require.Equal(t, want.Description, m.Description(), m.Name())
			requireForm(t, want, m)
		}
	}
	require.ElementsMatch(t, slices.Collect(maps.Keys(file.Metrics)), slices.Collect(maps.Keys(seen)))
}

// requireForm checks the kind of a metric, and that its points have no other
// attributes than those of metadata.yaml, and each of these somewhere.
func requireForm(t *testing.T, want metadatayaml.Metric, m pmetric.Metric) {
	t.Helper()
	form, data := want.Form()
	require.Equal(t, "double", data.ValueType, m.Name())
	var points pmetric.NumberDataPointSlice
	if form == "sum" {
		require.Equal(t, pmetric.MetricTypeSum, m.Type(), m.Name())
		require.True(t, data.Monotonic && m.Sum().IsMonotonic(), m.Name())
		require.Equal(t, "cumulative", data.Temporality, m.Name())
		require.Equal(t, pmetric.AggregationTemporalityCumulative, m.Sum().AggregationTemporality())
		points = m.Sum().DataPoints()
	} else {
		require.Equal(t, pmetric.MetricTypeGauge, m.Type(), m.Name())
		points = m.Gauge().DataPoints()
	}
	seen := map[string]bool{}
	for _, p := range points.All() {
		p.Attributes().Range(func(name string, _ pcommon.Value) bool {
			seen[name] = true
			return true
		})
	}
	require.ElementsMatch(t, want.Attributes, slices.Collect(maps.Keys(seen)), m.Name())
}

// TestMetadataOfTelemetry holds the component's own telemetry to metadata.yaml,
// both ways.
func TestMetadataOfTelemetry(t *testing.T) {
	tel := componenttest.NewTelemetry()
	p := newNode(t)
	p.set = tel.NewTelemetrySettings()
	p.cfg.Prices = pricesIn("no such file")
	p.start()
	p.consume(tick(0, 0.25, 0))
	p.consume(tick(0, 0.25, 0))
	p.consume(tick(10, 0.25, 0))
	p.consume(tick(20, 0.25, 0))

	file := loadMetadata(t)
	for name, want := range file.Telemetry.Metrics {
		got, err := tel.GetMetric("otelcol_" + name)
		require.NoError(t, err)
		require.Equal(t, want.Unit, got.Unit, name)
		require.Equal(t, want.Description, got.Description, name)
		form, data := want.Form()
		switch got.Data.(type) {
		case metricdata.Sum[int64]:
			require.Equal(t, "sum int", form+" "+data.ValueType, name)
		case metricdata.Sum[float64]:
			require.Equal(t, "sum double", form+" "+data.ValueType, name)
		case metricdata.Gauge[int64]:
			require.Equal(t, "gauge int", form+" "+data.ValueType, name)
		case metricdata.Gauge[float64]:
			require.Equal(t, "gauge double", form+" "+data.ValueType, name)
		}
	}
	var all metricdata.ResourceMetrics
	require.NoError(t, tel.Reader.Collect(t.Context(), &all))
	require.Len(t, all.ScopeMetrics[0].Metrics, len(file.Telemetry.Metrics))
	require.NoError(t, p.Shutdown(t.Context()))
	require.NoError(t, tel.Shutdown(t.Context()))
}

// TestReadmeNamesEverything holds the README to names in code and metadata.
func TestReadmeNamesEverything(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	file := loadMetadata(t)
	for name, m := range file.Metrics {
		require.Contains(t, string(readme), "`"+name+"`")
		require.Contains(t, string(readme), m.Unit)
	}
	for name := range file.Telemetry.Metrics {
		require.Contains(t, string(readme), "`otelcol_"+name+"`")
	}
	for _, r := range ledger.Reasons() {
		require.Contains(t, string(readme), "`"+r.String()+"`")
	}
	for _, r := range price.Reasons() {
		require.Contains(t, string(readme), "`"+string(r)+"`")
	}
	for _, r := range gpupdata.DropReasons() {
		require.Contains(t, string(readme), "`"+string(r)+"`")
	}
	for _, o := range checkpoint.Outcomes() {
		require.Contains(t, string(readme), "`"+string(o)+"`")
		require.Contains(t, file.Telemetry.Metrics["gpu_accounting_restores"].Description, string(o))
	}
}
