// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package truth

import (
	"cmp"
	"slices"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/watch"
	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/world"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// node is all that is told of a node.
type node struct {
	*watch.Node
	rules   Rules
	sets    []set // by time
	pods    []*pod
	series  []*series
	members map[string][]member // by group
	devices []*device           // in the order in which they settle
}

// Accounts returns what is expected of every device and holder of a node, in
// order of device, pod and attribution. Beside are other nodes that the same
// collector accounts: it knows those of their metrics that name a group.
func Accounts(n *watch.Node, r Rules, beside ...*watch.Node) []Account {
	o := observe(n, r, beside...)
	var all []Account
	for _, d := range o.devices {
		all = append(all, d.accounts()...)
	}
	slices.SortStableFunc(all, func(a, b Account) int {
		return cmp.Or(cmp.Compare(a.Device.ID, b.Device.ID), cmp.Compare(a.Holder.Key(), b.Holder.Key()),
			cmp.Compare(a.Attribution, b.Attribution))
	})
	return all
}

func observe(n *watch.Node, r Rules, beside ...*watch.Node) *node {
	o := &node{Node: n, rules: r}
	o.sets = o.allSets()
	for _, p := range n.Pods {
		o.pods = append(o.pods, o.pod(p))
	}
	for _, p := range o.pods {
		o.series = append(o.series, o.seriesOf(p)...)
	}
	for _, other := range beside {
		if other != n {
			o.series = append(o.series, o.groupSeriesOf(other)...)
		}
	}
	for _, d := range n.Devices {
		o.devices = append(o.devices, &device{node: o, Device: d})
	}
	o.openDevices()
	o.findMembers()
	slices.SortFunc(o.devices, func(a, b *device) int {
		return cmp.Or(cmp.Compare(a.rank(), b.rank()), cmp.Compare(a.ID, b.ID))
	})
	o.settle()
	for _, d := range o.devices {
		d.findTenures()
	}
	o.findPeers()
	return o
}

// set is a complete allocation set: the collections of one told time.
type set struct {
	time  gpu.Time
	ticks []watch.Tick
}

func (s set) has(h *world.Hold) bool {
	return slices.ContainsFunc(s.ticks, func(t watch.Tick) bool { return watch.Has(h, t) })
}

func (n *node) allSets() (sets []set) {
	ticks := slices.DeleteFunc(slices.Clone(n.Ticks), func(t watch.Tick) bool { return !n.HasSet(t) })
	slices.SortStableFunc(ticks, func(a, b watch.Tick) int { return cmp.Compare(a.Told, b.Told) })
	for _, t := range ticks {
		if last := len(sets) - 1; last >= 0 && sets[last].time == t.Told {
			sets[last].ticks = append(sets[last].ticks, t)
			continue
		}
		sets = append(sets, set{t.Told, []watch.Tick{t}})
	}
	return sets
}

// pod is a pod with what is told of it.
type pod struct {
	*world.Pod
	marks []milestone
}

// milestone is one of a pod, told at a time.
type milestone struct {
	world.Milestone
	told gpu.Time
}

func (n *node) pod(p *world.Pod) *pod {
	o := &pod{Pod: p}
	named := n.named(p)
	for _, m := range p.Milestones {
		told := gpu.Forever
		for _, t := range n.Ticks[named:] {
			if m.At <= t.Real && n.HasSet(t) { // it is told again, perhaps for an earlier time
				told = min(told, t.Told)
			}
			if told < t.Told {
				break
			}
		}
		if told < gpu.Forever {
			m.At = n.Told(m.At)
			o.marks = append(o.marks, milestone{m, told})
		}
	}
	return o
}

// named returns the first collection whose set tells of a pod: that it holds
// something, or that it held it until then. It is len(Ticks) if none does.
func (n *node) named(p *world.Pod) int {
	for i, t := range n.Ticks {
		if n.HasSet(t) && slices.ContainsFunc(p.Holds, func(h world.Hold) bool {
			return watch.Has(&h, t) || n.Dated(&h) && t.Real >= h.To
		}) {
			return i
		}
	}
	return len(n.Ticks)
}

// terminates returns when a pod was asked to go, or its containers were
// through, as far as it is known at k.
func (p *pod) terminates(k gpu.Time) gpu.Time {
	since := gpu.Forever
	for _, m := range p.marks {
		if m.told <= k && (m.Name == gpu.DeletionRequested || m.Name == gpu.ContainersFinished) {
			since = min(since, m.At)
		}
	}
	return since
}
