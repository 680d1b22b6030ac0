// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package price

import (
	"cmp"
	"maps"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

type nodeKey struct{ cluster, name string }

// maxNodes is more than a cluster has: nodes beyond it aren't known.
const maxNodes = 20_000

// Learn takes in what is said of nodes. What a later account of a node leaves
// out stays as it was; a node that is gone stays known while there is room, since
// its last time is still to be charged.
func (c *Costs) Learn(nodes []gpu.Node) {
	for _, n := range nodes {
		key := nodeKey{n.Cluster, n.Name}
		was, known := c.nodes[key]
		if !known && (n.Ended || !c.room()) {
			continue
		}
		c.nodes[key] = gpu.Node{
			Name: n.Name, Cluster: n.Cluster, Ended: n.Ended,
			HostType: cmp.Or(n.HostType, was.HostType), Zone: cmp.Or(n.Zone, was.Zone), Region: cmp.Or(n.Region, was.Region),
			CapacityType: cmp.Or(n.CapacityType, was.CapacityType), Capacity: cmp.Or(n.Capacity, was.Capacity),
		}
	}
}

// room reports whether another node can be known; for it, those that are gone
// are forgotten.
func (c *Costs) room() bool {
	if len(c.nodes) >= maxNodes {
		maps.DeleteFunc(c.nodes, func(_ nodeKey, n gpu.Node) bool { return n.Ended })
	}
	return len(c.nodes) < maxNodes
}

// Facts returns what is known of a device.
func (c *Costs) Facts(d gpu.Device) Facts {
	n, known := c.nodes[nodeKey{d.Cluster, d.Node}]
	if !known {
		n = c.nodes[nodeKey{"", d.Node}] // its source doesn't tell the cluster
	}
	return Facts{
		Node: d.Node, HostType: n.HostType, Model: d.Model, Zone: n.Zone, Region: n.Region,
		CapacityType: n.CapacityType, GPUs: n.Capacity,
	}
}
