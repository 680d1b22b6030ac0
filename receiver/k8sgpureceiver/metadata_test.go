// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package k8sgpureceiver

import (
	"maps"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpupdata"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/allocation"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/deviceid"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/kubelet"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/metadata"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/pod"
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
}

// everything is a set with one of each point that there can be.
func everything() *allocation.Set {
	holder := gpu.Holder{Namespace: "ns", Pod: "p", PodUID: "u", PodIP: "ip", Container: "c", Workload: gpu.Workload{Kind: "k", Name: "n", Group: "g"}}
	a := gpu.Allocation{
		Device: "GPU-1", Node: "n", Cluster: "c", Holder: holder, Sharing: gpu.TimeSlicing, Share: 0.5, Slots: gpu.Slots{N: 1, Of: 2}, Time: gpu.Earliest,
	}
	unresolved := a
	unresolved.Device, unresolved.Ref = "", "ref"
	return &allocation.Set{
		Time: gpu.Earliest, Allocations: []gpu.Allocation{a, unresolved},
		Availability: []gpu.Availability{{Device: "GPU-2", Time: gpu.Earliest, Reason: gpu.ReasonHealth}},
		Milestones: []allocation.Passed{{PodUID: "u", Milestone: pod.Milestone{
			Name: gpu.ContainerStarted, Attempt: 1, Container: "c", Mark: pod.Mark{At: gpu.Earliest, Source: "watch", Uncertainty: time.Second},
		}, Image: gpu.Image{Reference: "r/i:1@sha256:0f", Bytes: 1, Told: true}}},
		Sources:    map[allocation.Point]string{{PodUID: "u", Container: "c", Device: "GPU-1"}: "spec"},
		Instances:  map[allocation.Point]deviceid.Device{{PodUID: "u", Container: "c", Device: "ref"}: {Board: "GPU-3", Number: 7}},
		Partitions: map[allocation.Point]allocation.Partition{{PodUID: "u", Container: "c", Device: "ref"}: {Board: "GPU-3", Profile: "1g.10gb"}},
	}
}

// TestMetadataOfMetrics holds names, units, kinds and attributes of the points
// to metadata.yaml, both ways.
func TestMetadataOfMetrics(t *testing.T) {
	cfg := validConfig()
	r := newReceiver(t, cfg, consumertest.NewNop())
	r.own.choose(sourcePodsAPI)
	r.own.failed(sourceDevices, status.Error(codes.Unavailable, ""))
	md := r.encode(everything())
	gpupdata.EncodeNodes([]gpu.Node{{
		Name: "n", Cluster: "c", Time: gpu.Earliest, Capacity: 1, HostType: "h", Region: "r", Zone: "z", CapacityType: gpu.CapacitySpot, Labels: map[string]string{"a": "b"},
	}}, md)
	gpupdata.EncodeDemand([]gpu.Demand{{
		Cluster: "c", Namespace: "ns", Time: gpu.Earliest, Resource: "nvidia.com/gpu", Reason: gpu.DemandGated, Age: gpu.DemandOverHour,
	}}, md)
	file := loadMetadata(t)
	seen, outer := map[string]bool{}, map[string]bool{}
	for _, rm := range md.ResourceMetrics().All() {
		for name := range rm.Resource().Attributes().All() {
			outer[name] = true
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
	for _, name := range []string{"k8s.cluster.name", "k8s.node.name", "k8s.pod.uid", "k8s.pod.ip", "k8s.container.name", "gpu.workload.class", "host.type", "cloud.region", "cloud.availability_zone", "gpu.capacity_type"} {
		require.Contains(t, outer, name)
	}
}

func requireForm(t *testing.T, want metadatayaml.Metric, m pmetric.Metric) {
	t.Helper()
	form, data := want.Form()
	var points pmetric.NumberDataPointSlice
	if form == "sum" {
		require.False(t, data.Monotonic || m.Sum().IsMonotonic(), m.Name())
		points = m.Sum().DataPoints()
	} else {
		points = m.Gauge().DataPoints()
	}
	seen := map[string]bool{}
	for _, p := range points.All() {
		require.Equal(t, data.ValueType == "int", p.ValueType() == pmetric.NumberDataPointValueTypeInt, m.Name())
		p.Attributes().Range(func(name string, _ pcommon.Value) bool {
			seen[name] = true
			return true
		})
	}
	delete(seen, "hw.type") // of a device's resource, where it is on the point
	require.ElementsMatch(t, want.Attributes, slices.Collect(maps.Keys(seen)), m.Name())
}

// TestMetadataOfTelemetry holds the component's own telemetry to metadata.yaml,
// both ways.
func TestMetadataOfTelemetry(t *testing.T) {
	tel := componenttest.NewTelemetry()
	own := newTelemetry(tel.NewTelemetrySettings())
	require.NoError(t, own.start(componenttest.NewNopHost(), func() int { return 3 }))
	own.answered(sourcePodsAPI)
	own.failed(sourceDevices, status.Error(codes.Unavailable, ""))
	own.refuse()
	own.collected(&allocation.Set{Unresolved: []allocation.Unresolved{{Name: "x", Why: deviceid.UnknownForm}}})
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
		case metricdata.Gauge[int64]:
			require.Equal(t, "gauge int", form+" "+data.ValueType, name)
		}
	}
	var all metricdata.ResourceMetrics
	require.NoError(t, tel.Reader.Collect(t.Context(), &all))
	require.Len(t, all.ScopeMetrics[0].Metrics, len(file.Telemetry.Metrics))
	require.NoError(t, own.stop())
	require.NoError(t, tel.Shutdown(t.Context()))
}

// TestNamesAreWrittenDown holds README and metadata.yaml to the words in code.
func TestNamesAreWrittenDown(t *testing.T) {
	text, err := os.ReadFile("README.md")
	require.NoError(t, err)
	readme, file := string(text), loadMetadata(t)
	for name, m := range file.Metrics {
		require.Contains(t, readme, "| `"+name+"` | "+m.Unit)
	}
	for name := range file.Telemetry.Metrics {
		require.Contains(t, readme, "`otelcol_"+name+"`")
	}
	outcomes := []string{complete}
	for _, d := range allocation.Doubts() {
		outcomes = append(outcomes, string(d))
	}
	require.Equal(t, outcomes, file.Attributes["outcome"].Enum)
	var reasons []string
	for _, r := range kubelet.Reasons() {
		reasons = append(reasons, string(r))
	}
	require.Equal(t, reasons, file.Attributes["gpu.source.reason"].Enum)
	sources := []string{
		sourceDevices, sourcePodsAPI, sourceAPIServer, sourceKubelet, sourceOwners, sourceEvents,
		sourceClaims, sourceSlices, sourceRules, sourceNodes, sourcePending, sourceNamespaces,
	}
	require.Equal(t, sources, file.Attributes["gpu.source"].Enum)
	require.Equal(t, sources, file.Attributes["source"].Enum)
	var why, ages []string
	for _, r := range gpu.DemandReasons() {
		why = append(why, string(r))
		require.Contains(t, readme, "`"+string(r)+"`")
	}
	for _, a := range gpu.DemandAges() {
		ages = append(ages, string(a))
		require.Contains(t, readme, "`"+string(a)+"`")
	}
	require.Equal(t, why, file.Attributes["gpu.demand.reason"].Enum)
	require.Equal(t, ages, file.Attributes["gpu.demand.age"].Enum)
	for _, r := range deviceid.Reasons() {
		outcomes = append(outcomes, string(r))
	}
	for _, s := range gpu.ModelStorages() {
		require.Contains(t, file.ResourceAttributes[gpupdata.AttrModelStorage].Description, string(s))
		reasons = append(reasons, string(s))
	}
	for _, word := range append(outcomes, reasons...) {
		require.Contains(t, readme, "`"+word+"`")
	}
}

// TestSourcesThatAreAsked: what is asked for single pods is told once it was
// asked, and stands as its newest answer says.
func TestSourcesThatAreAsked(t *testing.T) {
	own := newTelemetry(componenttest.NewNopTelemetrySettings())
	own.choose(sourcePodsAPI)
	stands := func() map[string]string {
		found := map[string]string{}
		for _, s := range own.sources("n", "c", 1) {
			found[s.Name] = s.Reason
			require.Equal(t, s.Reason == "", s.Up, s.Name)
		}
		return found
	}
	want := map[string]string{sourceDevices: "not_ready", sourcePodsAPI: "not_ready"}
	require.Equal(t, want, stands())
	own.outcome(sourceEvents, status.Error(codes.PermissionDenied, ""))
	want[sourceEvents] = "denied"
	require.Equal(t, want, stands())
	own.outcome(sourceEvents, nil)
	own.outcome(sourceOwners, nil)
	want[sourceEvents], want[sourceOwners] = "", ""
	require.Equal(t, want, stands())
}
