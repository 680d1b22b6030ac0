// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger_test

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// --- Holders ---------------------------------------------------------------

// tenancy is the truth about who holds a device.
type tenancy struct {
	device     gpu.Device
	holder     gpu.Holder
	begin, end gpu.Time
	seen       gpu.Time // sets name it from here on
	noBegin    bool
	containers []container
	changes    gpu.Time // what a container has, if it has something else then
}

// container is a container of a pod, and what it has of the device: at first,
// and later.
type container struct {
	name string
	has  []share
}

type share struct {
	sharing gpu.Sharing
	of      float64
	slots   gpu.Slots
}

func (g *generator) node(node string) {
	for _, d := range g.devices {
		if d.Node == node {
			g.tenants(d)
		}
	}
	if g.Labels {
		g.labels(node)
	} else {
		g.sets(node)
	}
}

// tenants draws who holds a device: one after another, or several at once.
func (g *generator) tenants(d gpu.Device) {
	shared := gpu.Exclusive
	lanes := 1
	if g.Slots && g.chance(10) {
		shared = pick(g, gpu.TimeSlicing, gpu.MPS, gpu.DRA, gpu.VGPU)
		lanes = 1 + g.intn(4)
	} else if g.LabelSlots && g.chance(10) {
		lanes = 1 + g.intn(4)
	}
	for range lanes {
		g.tenantsIn(d, shared)
	}
}

func (g *generator) tenantsIn(d gpu.Device, sharing gpu.Sharing) {
	for at := g.intn(32) - 8; at < g.length; {
		end := at + 5 + g.intn(90)
		h := tenancy{device: d, begin: g.instant(at), end: g.instant(end)}
		h.seen = h.begin
		if g.EarlyBegins {
			h.seen = h.begin.Add(time.Duration(g.intn(12)) * time.Second)
		}
		h.noBegin = g.NoBegins && g.chance(5)
		h.holder = g.holder(d, h.begin)
		h.containers = []container{{name: "main", has: []share{g.share(d, sharing)}}}
		if g.Containers && g.chance(5) {
			h.containers = append(h.containers, container{"side", []share{g.share(d, sharing)}})
		}
		if g.Changes && g.chance(6) {
			c := &h.containers[g.intn(len(h.containers))]
			c.has = append(c.has, g.share(d, pick(g, sharing, gpu.Exclusive)))
			h.changes = h.begin.Add(time.Duration(g.intn(60)) * time.Second)
		}
		g.tenancy = append(g.tenancy, h)
		at = end
		if g.Overlaps && g.chance(8) {
			at -= g.intn(16)
		} else {
			at += g.intn(20)
		}
	}
}

// share draws what a container has of a device.
func (g *generator) share(d gpu.Device, sharing gpu.Sharing) share {
	if g.Bad && g.chance(4) {
		return g.badShare()
	}
	if sharing == gpu.Exclusive || g.chance(1) {
		if d.Parent != "" {
			return share{sharing: gpu.MIG, of: 1}
		}
		return share{sharing: gpu.Exclusive, of: 1}
	}
	s := share{sharing: sharing, of: pick(g, 0.25, 0.5, 1./3, 1)}
	if g.chance(12) {
		r := pick[int64](g, 4, 4, 4, 10, 3, 7, 1000, 1_000_000_000_000)
		s.slots = gpu.Slots{N: 1, Of: r}
		if g.chance(8) {
			s.slots.N = 1 + int64(g.intn(int(min(r, 8))))
		}
	}
	return s
}

// badShare draws a share that says nothing.
func (g *generator) badShare() share {
	switch g.intn(8) {
	case 0:
		return share{sharing: "fraction", of: 0.5}
	case 1:
		return share{sharing: gpu.Exclusive, of: 0.5}
	case 2:
		return share{sharing: gpu.MPS, of: 1.5}
	case 3:
		return share{sharing: gpu.MPS, of: math.NaN()}
	case 4:
		return share{sharing: gpu.TimeSlicing, of: 0.5, slots: gpu.Slots{N: 0, Of: 4}}
	case 5:
		return share{sharing: gpu.TimeSlicing, of: 0.5, slots: gpu.Slots{N: 5, Of: 4}}
	case 6:
		return share{sharing: gpu.VGPU, of: 0.5, slots: gpu.Slots{N: 1, Of: 1_000_000_000_001}}
	}
	return share{sharing: gpu.DRA, of: 1e-9}
}

// holder draws the next pod: a new one, or one that holds another device of
// the node.
func (g *generator) holder(d gpu.Device, begin gpu.Time) gpu.Holder {
	if g.chance(3) {
		for _, other := range g.tenancy {
			if other.device.Node == d.Node && idOf(other.device) != idOf(d) && !g.holds(d, other.holder) {
				return other.holder
			}
		}
	}
	n := len(g.tenancy)
	h := gpu.Holder{
		Namespace: "ns", Pod: fmt.Sprintf("pod-%d", n), PodIP: fmt.Sprintf("10.0.0.%d", n), Container: "main",
		Workload: gpu.Workload{Kind: "job", Name: fmt.Sprintf("job-%d", n/2), Class: gpu.Class(g.intn(4))},
	}
	if g.Groups && g.chance(10) {
		h.Workload.Group = pick(g, "group-a", "group-b")
	}
	if g.Groups && g.chance(5) {
		h.PodIP = g.freeAddress(d.Node, begin, h.PodIP)
	}
	if !g.chance(2) {
		h.PodUID = fmt.Sprintf("uid-%02d", (n*7)%50+n/50*50) // not in order of time
	}
	return h
}

// freeAddress returns the address of a pod of the node that ended before t, if
// there is one.
func (g *generator) freeAddress(node string, t gpu.Time, otherwise string) string {
	for _, other := range slices.Backward(g.tenancy) {
		if other.device.Node == node && other.end <= t {
			return other.holder.PodIP
		}
	}
	return otherwise
}

func (g *generator) holds(d gpu.Device, h gpu.Holder) bool {
	return slices.ContainsFunc(g.tenancy, func(t tenancy) bool {
		return idOf(t.device) == idOf(d) && t.holder.Key() == h.Key()
	})
}

// sets draws the allocation sets of a node.
func (g *generator) sets(node string) {
	var times []gpu.Time
	for at := g.intn(16); at < g.length; at += g.wait(3, 10) {
		times = append(times, g.instant(at))
	}
	for _, t := range times {
		g.set(node, t)
	}
	if !g.DatedEnds {
		return
	}
	for _, h := range g.tenancy {
		if h.device.Node == node && !slices.Contains(times, h.end) && g.chance(8) {
			a := g.allocation(h, h.containers[0], h.end)
			a.Ended = true
			g.add(h.end, gpu.Batch{Allocations: []gpu.Allocation{a}})
		}
	}
}

func (g *generator) set(node string, t gpu.Time) {
	count := 0
	missing := -1
	if g.MissingSets && g.chance(3) {
		missing = 0
	}
	for _, h := range g.tenancy {
		if h.device.Node != node || t < h.seen || h.end <= t {
			continue
		}
		for _, c := range h.containers {
			if count++; count-1 != missing {
				g.add(t, gpu.Batch{Allocations: []gpu.Allocation{g.allocation(h, c, t)}})
			}
		}
	}
	if missing == 0 && count == 0 {
		return
	}
	g.add(t, gpu.Batch{AllocationCounts: []gpu.AllocationCount{{Node: node, Cluster: "c", Time: t, Count: count}}})
}

func (g *generator) allocation(h tenancy, c container, t gpu.Time) gpu.Allocation {
	has := c.has[0]
	if len(c.has) > 1 && h.changes <= t {
		has = c.has[1]
	}
	a := gpu.Allocation{
		Device: h.device.ID, Ref: h.device.Ref, Node: h.device.Node, Cluster: "c", Holder: h.holder,
		Sharing: has.sharing, Share: has.of, Slots: has.slots, Time: t, Begin: h.begin,
	}
	a.Holder.Container = c.name
	if h.noBegin {
		a.Begin = gpu.NoTime
	}
	return a
}

// unresolved draws devices of which the nodes know nothing but a reference.
func (g *generator) unresolved(nodes int) {
	for i := range 1 + g.intn(2) {
		g.devices = append(g.devices, gpu.Device{
			Ref: fmt.Sprintf("nvidia%d", i), Node: fmt.Sprintf("node-%d", g.intn(nodes)), Cluster: "c",
		})
	}
}

// labels writes the holder on the samples of a device.
func (g *generator) labels(node string) {
	for _, e := range slices.Clone(g.events) {
		var d gpu.Device
		switch {
		case len(e.Samples) > 0:
			d = e.Samples[0].Device
		case len(e.Counters) > 0 && e.Counters[0].Part == gpu.ObservedPart:
			d = e.Counters[0].Device
		}
		if d.Node != node || slices.ContainsFunc(g.events, func(f point) bool {
			return f.at == e.at && len(f.DeviceAllocations) > 0 && f.DeviceAllocations[0].Device.ID == d.ID
		}) {
			continue
		}
		g.labelsAt(d, e.at)
	}
}

// labelsAt writes the holders of a device at a time. One that can be shared has
// a slot for each, and now and then another for the first, or one that is free.
func (g *generator) labelsAt(d gpu.Device, at gpu.Time) {
	a := gpu.DeviceAllocation{Device: d, Time: at}
	var slots []gpu.DeviceAllocation
	for _, h := range g.tenancy {
		if h.device.ID == d.ID && h.seen <= at && at < h.end {
			a.Holder = h.holder
			a.Slot = strconv.Itoa(len(slots))
			slots = append(slots, a)
		}
	}
	if !g.LabelSlots || len(slots) == 0 {
		a.Slot = ""
		g.add(at, gpu.Batch{DeviceAllocations: []gpu.DeviceAllocation{a}})
		return
	}
	for extra, holder := range []gpu.Holder{slots[0].Holder, {}} {
		if g.chance(3) {
			slots = append(slots, gpu.DeviceAllocation{Device: d, Time: at, Slot: "more" + strconv.Itoa(extra), Holder: holder})
		}
	}
	if g.chance(2) {
		slots = append(slots, gpu.DeviceAllocation{Device: d, Time: at, Holder: slots[0].Holder})
	}
	g.add(at, gpu.Batch{DeviceAllocations: slots})
}
