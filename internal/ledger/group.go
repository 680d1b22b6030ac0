// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"slices"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// group is what a node knows of pods that do one job together.
type group struct {
	members []joinKey // of all that hold or held devices of the node
	touched gpu.Time  // the newest step in which a member began or ended
	// busy tells by device at which interval ends it was active, held by a
	// member.
	busy map[gpu.DeviceID]*levels[bool]
}

// joinGroup lets the outputs of h count for its group.
func (n *node) joinGroup(h *holder) {
	name := h.Workload.Group
	if name == "" {
		return
	}
	g := n.groups[name]
	if g == nil {
		g = &group{busy: map[gpu.DeviceID]*levels[bool]{}}
		n.groups[name] = g
	}
	g.touched = n.stepped
	for _, key := range h.join {
		if !slices.Contains(g.members, key) {
			g.members = append(g.members, key)
		}
	}
}

// streams returns the streams that are evidence for h: its own and its group's.
func (d *device) streams(h *holder) []*outputStream {
	own := d.ledger.outputs.of(h.join)
	name := h.Workload.Group
	if name == "" || len(d.ledger.outputs.byKey) == 0 {
		return own
	}
	all := slices.Clone(own)
	keys := append([]joinKey{groupKey(name)}, d.node.groups[name].members...)
	for _, s := range d.ledger.outputs.of(keys) {
		if !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}

// tellPeers tells the groups of holders whether the interval that ends at t was
// active.
func (d *device) tellPeers(holds []hold, t gpu.Time, active bool) {
	for _, h := range holds {
		g := d.node.groups[h.Workload.Group]
		if g == nil {
			continue
		}
		if g.busy[d.ID] == nil {
			g.busy[d.ID] = &levels[bool]{}
		}
		g.busy[d.ID].set(t, active, func(newer, _ bool) bool { return newer })
	}
}

// peerActive reports whether a peer of h was active at t.
func (d *device) peerActive(h *holder, t gpu.Time, maxGap time.Duration) bool {
	g := d.node.groups[h.Workload.Group]
	if g == nil {
		return false
	}
	for id, busy := range g.busy {
		if active, ok := busy.newest(t, t, maxGap); id != d.ID && ok && active {
			return true
		}
	}
	return false
}

// leaveGroup tells that a member holds nothing any more.
func (n *node) leaveGroup(h *holder) {
	if g := n.groups[h.Workload.Group]; g != nil {
		g.touched = n.stepped
	}
}

// forgetGroups drops what no interval that ends after t can need.
func (n *node) forgetGroups(t gpu.Time) {
	held := map[string]bool{}
	for _, d := range n.devices {
		for _, h := range d.holders {
			held[h.Workload.Group] = true
		}
	}
	for name, g := range n.groups {
		for id, busy := range g.busy {
			busy.forget(t)
			if last := len(busy.timeline) - 1; last < 0 || busy.timeline[last].time < t {
				delete(g.busy, id)
			}
		}
		if !held[name] && g.touched < t {
			delete(n.groups, name)
		}
	}
}
