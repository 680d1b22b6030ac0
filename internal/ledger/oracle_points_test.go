// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger_test

import (
	"cmp"
	"slices"
	"strings"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

func (o *oracle) findDevices() {
	found := map[gpu.DeviceID]gpu.Device{}
	see := func(d gpu.Device) {
		if known := found[idOf(d)]; known.Parent == "" {
			found[idOf(d)] = d
		}
		if _, known := found[d.Parent]; d.Parent != "" && !known {
			found[d.Parent] = gpu.Device{ID: d.Parent, Node: d.Node}
		}
	}
	for _, s := range o.all.Samples {
		see(s.Device)
	}
	for _, c := range o.all.Counters {
		see(c.Device)
	}
	for _, a := range o.all.Allocations {
		see(gpu.Device{ID: a.Device, Ref: a.Ref, Node: a.Node})
	}
	for _, a := range o.all.DeviceAllocations {
		see(a.Device)
	}
	for id, of := range found {
		d := &oracleDevice{
			id: id, node: of.Node, parent: of.Parent, slices: of.Slices, pseudo: of.ID == "", end: forever,
			stretch: map[string]gpu.Time{}, activity: map[string]int64{}, attempts: map[string]map[int]int64{},
			started: map[string]int{}, first: map[string]firstTenure{}, left: map[string]gpu.Time{}, board: board{dropped: map[gpu.Time]bool{}},
		}
		d.gauges = o.gaugesOf(id)
		d.pairs = o.pairsOf(id)
		d.sets = o.setsOf(d)
		o.devices = append(o.devices, d)
		if !slices.Contains(o.nodes, d.node) {
			o.nodes = append(o.nodes, d.node)
		}
	}
	slices.SortFunc(o.devices, func(a, b *oracleDevice) int { return cmp.Compare(a.order(), b.order()) })
}

// idOf names a device; one of which only a reference is known has a name that
// no other has.
func idOf(d gpu.Device) gpu.DeviceID {
	if d.ID == "" {
		return gpu.DeviceID("?" + d.Node + "/" + d.Ref)
	}
	return d.ID
}

// order is the id by which devices settle: of one of which only a reference is
// known, its node and that.
func (d *oracleDevice) order() string { return strings.TrimPrefix(string(d.id), "?") }

// gaugesOf returns the gauge samples of a device: of several values for one
// time, the larger.
func (o *oracle) gaugesOf(id gpu.DeviceID) []gpu.Sample {
	var gauges []gpu.Sample
	for _, s := range o.all.Samples {
		if s.Device.ID != id || s.Engine != gpu.EngineAny {
			continue
		}
		i := slices.IndexFunc(gauges, func(g gpu.Sample) bool { return g.Time == s.Time })
		switch {
		case i < 0:
			gauges = append(gauges, s)
		case s.Value > gauges[i].Value:
			gauges[i] = s
		}
	}
	slices.SortFunc(gauges, func(a, b gpu.Sample) int { return cmp.Compare(a.Time, b.Time) })
	return gauges
}

// pairsOf joins the halves of the sum pairs of a device.
func (o *oracle) pairsOf(id gpu.DeviceID) []oraclePair {
	var pairs []oraclePair
	for _, c := range o.all.Counters {
		if c.Device.ID != id || c.Engine != gpu.EngineAny ||
			slices.ContainsFunc(pairs, func(p oraclePair) bool { return p.time == c.Time }) {
			continue
		}
		active, hasActive := o.half(c, gpu.ActivityPart)
		observed, hasObserved := o.half(c, gpu.ObservedPart)
		if hasActive && hasObserved {
			pairs = append(pairs, oraclePair{c.Source, c.Start, c.Time, observed, active})
		}
	}
	slices.SortFunc(pairs, func(a, b oraclePair) int { return cmp.Compare(a.time, b.time) })
	return pairs
}

// half returns a half of the pair that c is of: of several, the larger one.
func (o *oracle) half(c gpu.Counter, part gpu.CounterPart) (nanos int64, ok bool) {
	for _, b := range o.all.Counters {
		if b.Device.ID == c.Device.ID && b.Engine == c.Engine && b.Source == c.Source &&
			b.Time == c.Time && b.Start == c.Start && b.Part == part {
			nanos, ok = max(nanos, b.Nanos), true
		}
	}
	return nanos, ok
}

// oracleSet is a complete allocation set, as one device sees it.
type oracleSet struct {
	time    gpu.Time
	holders []oracleHold
	bad     bool // an allocation of the device says nothing: nobody knows who held it
}

type oracleHold struct {
	key        string
	begin      gpu.Time
	slots      gpu.Slots // the zero value: it has the whole device
	containers []string
}

func (h oracleHold) shares() bool { return h.slots.Of > 0 }

type oracleClass struct {
	key   string
	time  gpu.Time
	class gpu.Class
}

// setsOf returns the complete sets that bear on a device.
func (o *oracle) setsOf(d *oracleDevice) []oracleSet {
	sets := o.setsOfNode(d)
	if o.cfg.Labels {
		sets = o.setsOfLabels(d)
	}
	slices.SortFunc(sets, func(a, b oracleSet) int { return cmp.Compare(a.time, b.time) })
	return sets
}

func (o *oracle) setsOfLabels(d *oracleDevice) []oracleSet {
	var sets []oracleSet
	for _, a := range o.all.DeviceAllocations {
		if a.Device.ID != d.id || hasSet(sets, a.Time) {
			continue
		}
		sets = append(sets, oracleSet{time: a.Time, holders: o.labelled(d, a.Time)})
	}
	return sets
}

// labelled returns who holds a device by the labels of one time: each slot is
// one part of it.
func (o *oracle) labelled(d *oracleDevice, t gpu.Time) (holders []oracleHold) {
	bySlot := map[string]gpu.Holder{}
	for _, a := range o.all.DeviceAllocations {
		if a.Device.ID == d.id && a.Time == t {
			if other, taken := bySlot[a.Slot]; !taken || a.Holder.Key() > other.Key() {
				bySlot[a.Slot] = a.Holder
			}
		}
	}
	if len(bySlot) > 1 {
		delete(bySlot, "")
	}
	for slot, h := range bySlot {
		if h.Key() == "" {
			continue
		}
		o.describe(d, h, t)
		i := slices.IndexFunc(holders, func(o oracleHold) bool { return o.key == h.Key() })
		if i < 0 {
			holders, i = append(holders, oracleHold{key: h.Key()}), len(holders)
		}
		holders[i].containers = append(holders[i].containers, h.Container)
		if slot != "" {
			holders[i].slots.N++
			holders[i].slots.Of = int64(len(bySlot))
		}
	}
	return holders
}

func (o *oracle) setsOfNode(d *oracleDevice) []oracleSet {
	var sets []oracleSet
	for _, a := range o.all.Allocations { // dated ends describe as well
		if a.Ended && a.Node == d.node && idOf(gpu.Device{ID: a.Device, Ref: a.Ref, Node: a.Node}) == d.id {
			o.describe(d, a.Holder, a.Time)
		}
	}
	for _, c := range o.all.AllocationCounts {
		if c.Node != d.node || hasSet(sets, c.Time) {
			continue
		}
		members := o.membersOf(c)
		if len(members) != c.Count {
			continue
		}
		byPod := map[string][]gpu.Allocation{}
		for _, a := range members {
			if idOf(gpu.Device{ID: a.Device, Ref: a.Ref, Node: a.Node}) == d.id {
				byPod[a.Holder.Key()] = append(byPod[a.Holder.Key()], a)
				o.describe(d, a.Holder, a.Time)
			}
		}
		set := oracleSet{time: c.Time}
		for key, containers := range byPod {
			hold, bad := holdOf(key, containers)
			set.holders = append(set.holders, hold)
			set.bad = set.bad || bad
		}
		sets = append(sets, set)
	}
	return sets
}

// describe takes in what a set says of a pod.
func (o *oracle) describe(d *oracleDevice, h gpu.Holder, t gpu.Time) {
	d.classes = append(d.classes, oracleClass{h.Key(), t, h.Workload.Class})
	if h.Workload.Group != "" {
		o.groups[h.Key()] = h.Workload.Group
	}
}

func hasSet(sets []oracleSet, t gpu.Time) bool {
	return slices.ContainsFunc(sets, func(s oracleSet) bool { return s.time == t })
}

// membersOf returns the different allocations of the set of c.
func (o *oracle) membersOf(c gpu.AllocationCount) []gpu.Allocation {
	var members []gpu.Allocation
	for _, a := range o.all.Allocations {
		if a.Ended || a.Node != c.Node || a.Time != c.Time {
			continue
		}
		if !slices.ContainsFunc(members, func(m gpu.Allocation) bool {
			return m.Device == a.Device && m.Ref == a.Ref &&
				m.Holder.Key() == a.Holder.Key() && m.Holder.Container == a.Holder.Container
		}) {
			members = append(members, a)
		}
	}
	return members
}
