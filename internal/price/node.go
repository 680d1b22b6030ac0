// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package price

import (
	"cmp"
	"maps"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

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

// Confirm tells that a send with the costs of d was accepted.
func (c *Costs) Confirm(d gpu.Derived) {
	for i := range d.Accounts {
		a := &d.Accounts[i]
		t, known := c.tallies[keyOf(a)]
		if !known {
			continue
		}
		for _, sent := range a.Costs {
			for j := range t.sums {
				if s := &t.sums[j]; s.state == sent.State && s.currency == sent.Currency {
					s.published = true
				}
			}
		}
	}
}

// Len returns of how many accounts costs are kept.
func (c *Costs) Len() int { return len(c.tallies) }

// Keep forgets all accounts but those of d.
func (c *Costs) Keep(d gpu.Derived) {
	kept := make(map[tallyKey]*tally, len(d.Accounts))
	for i := range d.Accounts {
		key := keyOf(&d.Accounts[i])
		if t, known := c.tallies[key]; known {
			kept[key] = t
		}
	}
	c.tallies = kept
}
