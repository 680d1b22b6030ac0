// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpupdata

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"pgregory.net/rapid"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

func encodeCluster(nodes []gpu.Node, demand []gpu.Demand) pmetric.Metrics {
	md := pmetric.NewMetrics()
	EncodeNodes(nodes, md)
	EncodeDemand(demand, md)
	return md
}

var theNode = gpu.Node{
	Name: "n0", Cluster: "c0", Time: at(60), Begin: at(1), Capacity: 8, Allocatable: 7, HostType: "p5.48xlarge", Region: "eu-west-1",
	Zone: "eu-west-1a", CapacityType: gpu.CapacitySpot, Labels: map[string]string{"team": "ml"},
}

func TestEncodeNodes(t *testing.T) {
	md := encodeCluster([]gpu.Node{theNode}, nil)
	require.Equal(t, attrs{
		"k8s.cluster.name": "c0", "k8s.node.name": "n0", "host.type": "p5.48xlarge", "cloud.region": "eu-west-1",
		"cloud.availability_zone": "eu-west-1a", "gpu.capacity_type": "spot", "k8s.node.label.team": "ml",
	}, md.ResourceMetrics().At(0).Resource().Attributes().AsRaw())
	require.Equal(t, []plainPoint{{attrs{}, at(1), at(60), 8}}, plainPoints(t, md, "gpu.node.capacity"))
	require.Equal(t, []plainPoint{{attrs{}, at(1), at(60), 7}}, plainPoints(t, md, "gpu.node.allocatable"))
}

func TestEncodeDemand(t *testing.T) {
	d := gpu.Demand{Cluster: "c0", Namespace: "ml", Time: at(60), Resource: "nvidia.com/gpu", Reason: gpu.DemandNoGPU, Age: gpu.DemandUnderHour, Count: 8}
	other := d
	other.Age, other.Count = gpu.DemandOverHour, 0
	md := encodeCluster(nil, []gpu.Demand{d, other})
	require.Equal(t, 1, md.ResourceMetrics().Len())
	require.Equal(t, attrs{"k8s.cluster.name": "c0", "k8s.namespace.name": "ml"}, md.ResourceMetrics().At(0).Resource().Attributes().AsRaw())
	require.Equal(t, []plainPoint{
		{attrs{"gpu.demand.resource": "nvidia.com/gpu", "gpu.demand.reason": "no_gpu", "gpu.demand.age": "under_1h"}, 0, at(60), 8},
		{attrs{"gpu.demand.resource": "nvidia.com/gpu", "gpu.demand.reason": "no_gpu", "gpu.demand.age": "over_1h"}, 0, at(60), 0},
	}, plainPoints(t, md, "gpu.demand.pending"))
}

func TestClusterRoundTrip(t *testing.T) {
	t.Parallel()
	word := rapid.SampledFrom([]string{"", "a", "b-1"})
	rapid.Check(t, func(t *rapid.T) {
		var nodes []gpu.Node
		for i := range rapid.IntRange(0, 4).Draw(t, "nodes") {
			n := gpu.Node{
				Name: fmt.Sprintf("n%d", i), Cluster: word.Draw(t, "cluster"), Time: at(60), HostType: word.Draw(t, "type"),
				Region: word.Draw(t, "region"), Zone: word.Draw(t, "zone"), CapacityType: word.Draw(t, "capacity type"),
				Ended: rapid.IntRange(0, 4).Draw(t, "ended") == 0,
			}
			if rapid.Bool().Draw(t, "begin") {
				n.Begin = at(2)
			}
			if rapid.Bool().Draw(t, "labels") {
				n.Labels = map[string]string{"k8s.io/x": "y", "z": "1"}
			}
			if !n.Ended {
				n.Capacity = rapid.IntRange(0, 16).Draw(t, "capacity")
				n.Allocatable = rapid.IntRange(0, n.Capacity).Draw(t, "allocatable")
			}
			nodes = append(nodes, n)
		}
		var demand []gpu.Demand
		for i := range rapid.IntRange(0, 4).Draw(t, "demand") {
			demand = append(demand, gpu.Demand{
				Cluster: "c", Namespace: "ns", Time: at(60), Resource: fmt.Sprintf("r%d", i), Count: rapid.IntRange(0, 99).Draw(t, "count"),
				Reason: rapid.SampledFrom(gpu.DemandReasons()).Draw(t, "reason"), Age: rapid.SampledFrom(gpu.DemandAges()).Draw(t, "age"),
			})
		}
		gotNodes, gotDemand, drops := DecodeCluster(overWire(t, encodeCluster(nodes, demand)), at(70))
		require.Nil(t, drops)
		require.Empty(t, cmp.Diff(nodes, gotNodes))
		require.Empty(t, cmp.Diff(demand, gotDemand))
	})
}

func TestDecodeClusterRefuses(t *testing.T) {
	nameless := theNode
	nameless.Name = ""
	late := theNode
	late.Time = at(99)
	md := encodeCluster([]gpu.Node{nameless, late}, []gpu.Demand{{Time: at(60), Count: -1}, {Time: gpu.NoTime}})
	add(t, md, res0, "gpu.node.capacity", histogram, pt{})
	add(t, md, res0, "gpu.unheard_of", gauge, pt{time: at(1), value: 1.0})
	nodes, demand, drops := DecodeCluster(md, at(70))
	require.Empty(t, nodes)
	require.Empty(t, demand)
	require.Equal(t, Drops{DropNoNode: 2, DropFuture: 2, DropOutOfRange: 1, DropUnsetClock: 1, DropUnsupportedType: 1}, drops)
}

// TestClusterPassesTheLedger: it reads none of it, and takes none of it away.
func TestClusterPassesTheLedger(t *testing.T) {
	md := encodeCluster([]gpu.Node{theNode}, []gpu.Demand{{Cluster: "c0", Namespace: "ml", Time: at(60), Count: 8, Reason: gpu.DemandGated}})
	d := NewDecoder(Settings{})
	b, drops := d.Decode(md, at(70))
	require.Equal(t, gpu.Batch{}, b)
	require.Nil(t, drops)
	before := md.DataPointCount()
	d.Filter(md, ForwardNone)
	require.Equal(t, before, md.DataPointCount())
	require.Equal(t, 3, before)
	for _, name := range []string{MetricNodeCapacity, MetricNodeAllocatable, MetricDemandPending} {
		require.True(t, Owns(name), "no application's")
	}
}
