// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package truth

import (
	"sort"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// busy says how active the intervals were that ended from first to last, none
// more than a gap after the one before, with a pod of a group holding the
// device at their end.
type busy struct {
	first, last gpu.Time
	by          gpu.Time // the step that settled them
	active      bool
}

// findPeers finds out when the devices of a group were active, for those whose
// groups have several.
func (n *node) findPeers() {
	devices := map[string]int{}
	for _, d := range n.devices {
		for group := range d.groups() {
			devices[group]++
		}
	}
	for _, d := range n.devices {
		for group := range d.groups() {
			if devices[group] > 1 && d.busy == nil {
				d.findBusy()
			}
		}
	}
}

func (d *device) groups() map[string]bool {
	groups := map[string]bool{}
	for _, t := range d.tenures {
		if group := t.pod.Workload.Group; group != "" {
			groups[group] = true
		}
	}
	return groups
}

func (d *device) findBusy() {
	d.busy = map[string][]busy{}
	segments, pieces := d.segments(), []piece{}
	d.intervals(func(iv interval) {
		if iv.seen == nil {
			return
		}
		pieces = segments.pieces(pieces[:0], iv.span)
		inside, _ := iv.seen.of(d.own(iv.span)).held(d.heldTime(pieces))
		if inside.observed == 0 {
			return
		}
		for _, h := range pieces[len(pieces)-1].holds {
			if group := h.pod.Workload.Group; group != "" {
				d.addBusy(group, iv, !inside.below(d.node.rules.IdleThreshold))
			}
		}
	})
}

func (d *device) addBusy(group string, iv interval, active bool) {
	all, by := d.busy[group], gpu.NoTime
	if !d.node.Settings.Ideal {
		_, with := d.settledWith(iv.from)
		by = with.by
	}
	if n := len(all); n > 0 && all[n-1].active == active && all[n-1].by == by && !d.node.gap(all[n-1].last, iv.to) {
		all[n-1].last = iv.to
		return
	}
	d.busy[group] = append(all, busy{iv.to, iv.to, by, active})
}

// peerActive reports whether another device of the group of a pod was active
// at t, as far as it is settled when step k settles this device: in a step,
// devices settle in their order. An ideal observer knows all at once.
func (d *device) peerActive(p *pod, t, k gpu.Time) bool {
	before := true
	for _, o := range d.node.devices {
		if o == d {
			before = false
			continue
		}
		all := o.busy[p.Workload.Group]
		i := sort.Search(len(all), func(i int) bool {
			late := all[i].by > k || all[i].by == k && !before && !d.node.Settings.Ideal
			return late || all[i].first > t
		}) - 1
		if i >= 0 && all[i].active && !d.node.gap(all[i].last, t) {
			return true
		}
	}
	return false
}
