// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"maps"
	"slices"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// group is what a node knows of pods that do one job together.
type group struct {
	members []*holder         // that hold devices of the node, or held them in unsettled time
	former  map[string]former // by pod, that held some
	// busy tells by device at which interval ends it was active, held by a
	// member.
	busy map[gpu.DeviceID]*levels[bool]
}

// former is a pod that held devices of the node, all of whose time on them is
// settled. Somebody else may have its address and its devices by now.
type former struct {
	join []joinKey // its lasting ones
	left gpu.Time
}

// joinGroup lets the outputs of h count for its group.
func (n *node) joinGroup(h *holder) {
	name := h.Workload.Group
	if name == "" {
		return
	}
	g := n.groups[name]
	if g == nil {
		g = &group{former: map[string]former{}, busy: map[gpu.DeviceID]*levels[bool]{}}
		n.groups[name] = g
	}
	g.members = append(g.members, h)
}

// keysAt returns the keys of what counts for the members on a device whose F
// is t: a member that left does for the time before that, by its lasting keys.
func (g *group) keysAt(t gpu.Time) (keys []joinKey) {
	for _, h := range g.members {
		switch {
		case h.left == gpu.Forever:
			keys = append(keys, h.join...)
		case t < h.left:
			keys = append(keys, lasting(h.join)...)
		}
	}
	for _, f := range g.former {
		if t < f.left {
			keys = append(keys, f.join...)
		}
	}
	return keys
}

// streams returns the streams that are evidence for h: its own and its group's.
func (d *device) streams(h *holder) []*outputStream {
	own := d.ledger.outputs.of(h.join)
	name := h.Workload.Group
	if name == "" || len(d.ledger.outputs.byKey) == 0 {
		return own
	}
	all := slices.Clone(own)
	keys := append(d.node.groups[name].keysAt(d.settled), groupKey(name))
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

// leaveGroup tells that all time of a member on its device is settled.
func (n *node) leaveGroup(h *holder) {
	g := n.groups[h.Workload.Group]
	if g == nil {
		return
	}
	g.members = slices.DeleteFunc(g.members, func(o *holder) bool { return o == h })
	g.former[h.key] = former{lasting(h.join), max(h.left, g.former[h.key].left)}
}

// forgetGroups drops what no interval that ends after t can need.
func (n *node) forgetGroups(t gpu.Time) {
	for name, g := range n.groups {
		for id, busy := range g.busy {
			busy.forget(t)
			if last := len(busy.timeline) - 1; last < 0 || busy.timeline[last].time < t {
				delete(g.busy, id)
			}
		}
		maps.DeleteFunc(g.former, func(_ string, f former) bool { return f.left < t })
		if len(g.members)+len(g.former)+len(g.busy) == 0 {
			delete(n.groups, name)
		}
	}
}
