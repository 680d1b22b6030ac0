// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"slices"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// totalKey identifies what one owner produced in one unit.
type totalKey struct{ owner, unit string }

// total is what a pod, or a workload, produced.
type total struct {
	owner     gpu.Holder
	opened    gpu.Time
	settled   gpu.Time // rises up to here are in value
	value     float64
	published gpu.Time // settled, as of the last publication; NoTime if none
	usedAt    gpu.Time // the newest step at which a pod of it held a device
}

// countOutputs adds the rises of the counters of n's pods to their totals. A
// rise is counted once, also if several pods share a counter.
func (n *node) countOutputs(k gpu.Time) {
	if len(n.ledger.outputs.byKey)+len(n.totals) == 0 {
		return
	}
	for _, key := range sortedKeys(n.holding) {
		n.countPod(n.holding[key], k)
	}
}

// countedByKey returns up to where the rises of counters are counted, by what
// may join them.
func (l *Ledger) countedByKey() map[joinKey]gpu.Time {
	counted := map[joinKey]gpu.Time{}
	for _, n := range l.nodes {
		for _, p := range n.holding {
			settled := n.settledOf(p)
			for h, d := range p.holders {
				for _, key := range h.join {
					if d.node == n {
						counted[key] = max(counted[key], settled)
					}
				}
			}
		}
	}
	return counted
}

// settledOf returns the smallest F of the devices of n that p holds.
func (n *node) settledOf(p *pod) gpu.Time {
	settled := gpu.Forever
	for _, d := range p.holders {
		if d.node == n {
			settled = min(settled, d.settled)
		}
	}
	return settled
}

func (n *node) countPod(p *pod, k gpu.Time) {
	settled, opened := n.settledOf(p), gpu.Forever
	var streams []*outputStream
	var some gpu.Holder
	var of *device // whose holder some is
	for h, d := range p.holders {
		if d.node != n {
			continue
		}
		opened = min(opened, h.opened())
		if of == nil || d.ID < of.ID { // maps have no order
			of, some = d, h.Holder
		}
		for _, s := range n.ledger.outputs.of(h.join) {
			if s.profile.Kind == gpu.OutputCounter && s.known(k) && !slices.Contains(streams, s) {
				streams = append(streams, s)
			}
		}
	}
	key, owner := ownerOf(some, n.ledger.cfg.Workloads)
	owner.Container = "" // one of several, if the pod has several devices
	for _, s := range streams {
		t := n.total(totalKey{key, s.profile.Unit}, owner, max(opened, s.counted))
		if !slices.Contains(p.totals, t) {
			p.totals = append(p.totals, t)
		}
		s.eachMark(max(s.counted, opened), min(k, settled), func(m mark) {
			t.value += m.rise
			if m.gap > s.profile.Window {
				n.ledger.counts.Sparse++
			}
		})
		s.counted = max(s.counted, settled)
	}
	for _, t := range p.totals {
		t.settled, t.usedAt = max(t.settled, settled), k
	}
}

// total returns the total of a key. Of all streams with which it begins, the one
// that is counted the least far says when it opened.
func (n *node) total(key totalKey, owner gpu.Holder, opened gpu.Time) *total {
	t := n.totals[key]
	if t == nil {
		t = &total{owner: owner, opened: opened}
		n.totals[key] = t
	}
	if t.usedAt == gpu.NoTime {
		t.opened = min(t.opened, opened)
	}
	return t
}
