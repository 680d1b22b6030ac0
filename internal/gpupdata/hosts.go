// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpupdata

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// DecodeHosts returns what the resources of md say of the nodes that they are
// about: the attributes that a price may depend on, and of gpu.node.capacity how
// many GPUs there are. Any metric will do: a resource processor may have put the
// attributes on the points of a device.
func DecodeHosts(md pmetric.Metrics) (nodes []gpu.Node) {
	for _, rm := range md.ResourceMetrics().All() {
		r := resource{attributes: rm.Resource().Attributes()}
		n := host(&r)
		for _, sm := range rm.ScopeMetrics().All() {
			for _, m := range sm.Metrics().All() {
				if m.Name() == MetricNodeCapacity {
					capacity(m, &r, &n)
				}
			}
		}
		known := n.HostType != "" || n.Region != "" || n.Zone != "" || n.CapacityType != "" || n.Capacity > 0
		if n.Name != "" && (known || n.Ended) {
			nodes = append(nodes, n)
		}
	}
	return nodes
}

func host(r *resource) gpu.Node {
	p := r.point(pmetric.NewNumberDataPoint())
	return gpu.Node{
		Name: p.node(), Cluster: p.str(AttrClusterName),
		HostType: p.str(AttrHostType), Region: p.str(AttrRegion), Zone: p.str(AttrZone), CapacityType: p.str(AttrCapacityType),
	}
}

// capacity reads the newest point: how many GPUs the node has, or that it ended.
func capacity(m pmetric.Metric, r *resource, n *gpu.Node) {
	points, ok := numberPoints(m)
	if !ok {
		return
	}
	newest := pcommon.Timestamp(0)
	for _, dp := range points.All() {
		if dp.Timestamp() < newest {
			continue
		}
		newest = dp.Timestamp()
		if n.Ended = r.point(dp).ended(); n.Ended {
			continue
		}
		if gpus, why := count(dp); why == accepted {
			n.Capacity = gpus
		}
	}
}
