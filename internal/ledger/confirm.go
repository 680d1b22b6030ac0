// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"cmp"
	"slices"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// Confirm tells that a send of what Due returned was accepted. What ended with
// it is forgotten.
func (l *Ledger) Confirm(sent gpu.Derived) {
	for i := range sent.Accounts {
		a := &sent.Accounts[i]
		if d := l.published(a.Device); d != nil {
			d.confirm(a)
		}
	}
	for _, s := range sent.Spans {
		if d := l.published(s.Device); d != nil {
			d.forgetEnded(s.Time)
		}
	}
	for i := range sent.Outputs {
		l.confirmTotal(&sent.Outputs[i])
	}
	for _, s := range sent.Nodes {
		if n := l.nodes[s.Node]; n != nil {
			n.told = max(n.told, s.Time)
		}
	}
}

// published returns the device that was published as public.
func (l *Ledger) published(public gpu.Device) *device {
	if public.Ref != "" {
		return l.devices[pseudoID(public.Node, public.Ref)]
	}
	return l.devices[public.ID]
}

func (d *device) confirm(sent *gpu.Account) {
	a := d.own
	switch sent.Kind {
	case gpu.HolderAccount:
		owner, _ := ownerOf(sent.Holder, d.ledger.cfg.Workloads)
		a = d.accounts[accountKey{owner, sent.Attribution}]
	case gpu.OverflowAccount:
		a = d.overflow
	}
	d.published = max(d.published, sent.Time)
	if a == nil {
		return
	}
	a.published = true
	for _, s := range sent.Depth {
		a.depth[s.Engine].published = true
	}
	for _, s := range sent.States {
		for i := range a.times {
			if a.times[i].condition == s.Condition {
				a.times[i].published = true
			}
		}
	}
}

// forgetEnded drops the accounts whose final values are in a publication of
// time t that was accepted, and d itself if it ended.
func (d *device) forgetEnded(t gpu.Time) {
	for key, a := range d.accounts {
		if a.holders == 0 && a.closed <= t {
			delete(d.accounts, key)
			d.ledger.counts.Accounts--
		}
	}
	if d.over() {
		d.ledger.remove(d)
	}
}

// over reports whether d ended, all of it is published, and nothing was said of
// another life: not yet, or, but for samples, not for long.
func (d *device) over() bool {
	if !d.finalSent() {
		return false
	}
	return d.touched <= d.ended || d.node.newest.Sub(d.ended) > d.ledger.keep() && !d.livesAgain()
}

// livesAgain reports whether there is a sample, known or not, of another life.
func (d *device) livesAgain() bool {
	return d.samples[gpu.EngineAny].first(d.ended, gpu.Forever-1) != gpu.Forever
}

// finalSent reports whether d ended and all of it is published. Of a device
// that only had lives without time, nothing ever is.
func (d *device) finalSent() bool {
	return d.finalDue() && (d.published >= d.ended || !d.accounted())
}

func (l *Ledger) confirmTotal(sent *gpu.OutputTotal) {
	n := l.nodes[sent.Node]
	if n == nil {
		return
	}
	owner, _ := ownerOf(sent.Holder, l.cfg.Workloads)
	key := totalKey{owner, sent.Unit}
	t := n.totals[key]
	if t == nil {
		return
	}
	t.published = max(t.published, sent.Time)
}

// forgetTotals drops the totals of owners that are gone, once they are
// published: at a step, and of a node that takes none any more beside them.
func (n *node) forgetTotals() {
	forgotten := map[*total]bool{}
	for key, t := range n.totals {
		if t.usedAt < n.stepped && max(t.published, t.opened) >= t.settled && !n.hasAccount(key.owner) {
			delete(n.totals, key)
			forgotten[t] = true
		}
	}
	if len(forgotten) == 0 {
		return
	}
	for _, p := range n.ledger.pods {
		p.totals = slices.DeleteFunc(p.totals, func(t *total) bool { return forgotten[t] })
	}
}

// hasAccount reports whether an owner still has an account: its total lives as
// long, so that a total never begins anew under the same start.
func (n *node) hasAccount(owner string) bool {
	return slices.ContainsFunc(n.devices, func(d *device) bool {
		for key := range d.accounts {
			if key.owner == owner {
				return true
			}
		}
		return false
	})
}

func (n *node) sortedTotals() []totalKey {
	keys := make([]totalKey, 0, len(n.totals))
	for k := range n.totals {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b totalKey) int {
		return cmp.Or(cmp.Compare(a.owner, b.owner), cmp.Compare(a.unit, b.unit))
	})
	return keys
}
