// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpupdata

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// DecodeHosts takes the accounts of nodes, and what a resource processor puts on
// any other points.
func TestDecodeHosts(t *testing.T) {
	md := pmetric.NewMetrics()
	node := gpu.Node{
		Name: "n0", Cluster: "c0", Time: at(10), Capacity: 8,
		HostType: "h", Region: "r", Zone: "z", CapacityType: gpu.CapacitySpot,
	}
	later := node
	later.Time, later.Capacity = at(20), 4
	ended := gpu.Node{Name: "n1", Time: at(10), Ended: true}
	EncodeNodes([]gpu.Node{node, later, ended}, md)
	add(t, md, attrs{"hw.id": "GPU-0", "host.name": "n2", "host.type": "t"}, "gpu.activity", gauge, pt{time: at(0), value: 1.0})
	add(t, md, attrs{"hw.id": "GPU-0", "k8s.node.name": "n3"}, "gpu.activity", gauge, pt{time: at(0), value: 1.0})
	add(t, md, attrs{"cloud.region": "r"}, "up", gauge, pt{time: at(0), value: 1.0})
	add(t, md, attrs{"k8s.node.name": "n4"}, MetricNodeCapacity, histogram, pt{})
	add(t, md, attrs{"k8s.node.name": "n5"}, MetricNodeCapacity, gauge,
		pt{time: at(2), value: 8}, pt{time: at(1), value: 7}, pt{time: at(3), value: -1})

	node.Time, later.Time, ended.Time = 0, 0, 0
	require.Equal(t, []gpu.Node{node, later, ended, {Name: "n2", HostType: "t"}, {Name: "n5", Capacity: 8}}, DecodeHosts(md))
}
