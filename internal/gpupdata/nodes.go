// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpupdata

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

var (
	specNodeCapacity = &metricSpec{
		MetricNodeCapacity, "{gpu}", "Physical GPUs of the node.", upDowns,
	}
	specNodeAllocatable = &metricSpec{
		MetricNodeAllocatable, "{gpu}", "Physical GPUs of the node that can be given to pods.", upDowns,
	}
	specDemand = &metricSpec{
		MetricDemandPending, "{gpu}", "GPUs that pods without a node ask for.", upDowns,
	}
)

// EncodeNodes appends the account of each node to dest, a resource for each.
func EncodeNodes(nodes []gpu.Node, dest pmetric.Metrics) {
	for i := range nodes {
		n := &nodes[i]
		rm, w := newResource(dest, "")
		attrs := rm.Resource().Attributes()
		putPlace(attrs, place{n.Cluster, n.Name})
		putHost(attrs, n)
		for name, value := range n.Labels {
			put(attrs, NodeLabelPrefix+name, value)
		}
		capacity, allocatable := w.point(specNodeCapacity, n.Begin, n.Time), w.point(specNodeAllocatable, n.Begin, n.Time)
		if n.Ended {
			noRecordedValue(capacity)
			noRecordedValue(allocatable)
			continue
		}
		capacity.SetIntValue(int64(n.Capacity))
		allocatable.SetIntValue(int64(n.Allocatable))
	}
}

// EncodeDemand appends what is asked for to dest, a resource for each namespace.
func EncodeDemand(demand []gpu.Demand, dest pmetric.Metrics) {
	type owner struct{ cluster, namespace string }
	writers := map[owner]*writer{}
	for i := range demand {
		d := &demand[i]
		key := owner{d.Cluster, d.Namespace}
		w, ok := writers[key]
		if !ok {
			var rm pmetric.ResourceMetrics
			rm, w = newResource(dest, "")
			put(rm.Resource().Attributes(), AttrClusterName, d.Cluster)
			put(rm.Resource().Attributes(), AttrNamespaceName, d.Namespace)
			writers[key] = w
		}
		p := w.point(specDemand, gpu.NoTime, d.Time)
		p.SetIntValue(int64(d.Count))
		put(p.Attributes(), AttrDemandResource, d.Resource)
		put(p.Attributes(), AttrDemandReason, string(d.Reason))
		put(p.Attributes(), AttrDemandAge, string(d.Age))
	}
}

// DecodeCluster returns the accounts of nodes and the demand that md has, in
// its order, and how many points were refused. A point later than future is
// refused (0: no limit). It is the inverse of EncodeNodes and EncodeDemand.
func DecodeCluster(md pmetric.Metrics, future gpu.Time) ([]gpu.Node, []gpu.Demand, Drops) {
	c := clusterDecoding{future: future}
	for _, rm := range md.ResourceMetrics().All() {
		r := resource{attributes: rm.Resource().Attributes()}
		c.at = map[gpu.Time]int{}
		for _, sm := range rm.ScopeMetrics().All() {
			for _, m := range sm.Metrics().All() {
				c.metric(m, &r)
			}
		}
	}
	return c.nodes, c.demand, c.drops
}

type clusterDecoding struct {
	future gpu.Time
	nodes  []gpu.Node
	demand []gpu.Demand
	drops  Drops
	at     map[gpu.Time]int // the account of each time of the resource, in nodes
}

func (c *clusterDecoding) metric(m pmetric.Metric, r *resource) {
	read, known := map[string]func(point) DropReason{
		MetricNodeCapacity:    func(p point) DropReason { return c.node(p, func(n *gpu.Node) *int { return &n.Capacity }) },
		MetricNodeAllocatable: func(p point) DropReason { return c.node(p, func(n *gpu.Node) *int { return &n.Allocatable }) },
		MetricDemandPending:   c.pending,
	}[m.Name()]
	switch {
	case !known:
	case kindOf(m)&levels == 0:
		c.drops.add(DropUnsupportedType, pointCount(m))
	default:
		points, _ := numberPoints(m)
		for _, dp := range points.All() {
			c.drops.add(read(r.point(dp)), 1)
		}
	}
}

func (c *clusterDecoding) node(p point, of func(*gpu.Node) *int) DropReason {
	t, why := stamp(p.NumberDataPoint, c.future)
	if why != accepted {
		return why
	}
	n := 0
	if !p.ended() {
		if n, why = count(p.NumberDataPoint); why != accepted {
			return why
		}
	}
	name := p.node()
	if name == "" {
		return DropNoNode
	}
	i, known := c.at[t]
	if !known {
		i = len(c.nodes)
		c.at[t] = i
		c.nodes = append(c.nodes, gpu.Node{
			Name: name, Cluster: p.str(AttrClusterName), Time: t, Begin: start(p.NumberDataPoint), Ended: p.ended(),
			HostType: p.str(AttrHostType), Region: p.str(AttrRegion), Zone: p.str(AttrZone), CapacityType: p.str(AttrCapacityType),
			Labels: nodeLabels(p.outer),
		})
	}
	*of(&c.nodes[i]) = n
	return accepted
}

func nodeLabels(m pcommon.Map) map[string]string {
	var labels map[string]string
	for key, value := range m.All() {
		if name, is := strings.CutPrefix(key, NodeLabelPrefix); is {
			if labels == nil {
				labels = map[string]string{}
			}
			labels[name] = value.AsString()
		}
	}
	return labels
}

func (c *clusterDecoding) pending(p point) DropReason {
	if p.ended() {
		return ignored
	}
	t, why := stamp(p.NumberDataPoint, c.future)
	if why != accepted {
		return why
	}
	n, why := count(p.NumberDataPoint)
	if why != accepted {
		return why
	}
	c.demand = append(c.demand, gpu.Demand{
		Cluster: p.str(AttrClusterName), Namespace: p.str(AttrNamespaceName), Time: t, Resource: p.str(AttrDemandResource),
		Reason: gpu.DemandReason(p.str(AttrDemandReason)), Age: gpu.DemandAge(p.str(AttrDemandAge)), Count: n,
	})
	return accepted
}
