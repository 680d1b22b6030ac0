// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"cmp"
	"slices"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// applySet takes in what the set of time s says of d: c, or nothing. last is
// the node's set before it, NoTime if there is none.
func (d *device) applySet(last, s gpu.Time, c *claims) {
	if c == nil {
		c = &claims{}
	}
	gap := last == gpu.NoTime || s.Sub(last) > d.ledger.cfg.MaxGap
	if gap || c.unknown {
		d.unknown = append(d.unknown, span{max(last, d.settled), s})
	}
	for _, t := range d.tenures {
		if t.open {
			d.carry(t, last, s, c, gap)
		}
	}
	for _, pod := range sortedKeys(c.byPod) {
		if !c.unknown && !d.holdsAt(pod, s) {
			d.admit(c.byPod[pod], last, s, gap)
		}
	}
	d.datedEnds = slices.DeleteFunc(d.datedEnds, func(e datedEnd) bool { return e.time <= s })
	d.lastSet = s
}

// carry keeps t open up to s if the set has its holder, else it ends t.
func (d *device) carry(t *tenure, last, s gpu.Time, c *claims, gap bool) {
	if a, held := c.byPod[t.holder.key]; held && !gap && !c.unknown {
		t.to = s
		t.holder.learn(a.Holder, d.ID)
		return
	}
	t.open = false
	if !gap {
		t.latest = s
		for _, e := range d.datedEnds {
			if e.pod == t.holder.key && e.time > last && e.time <= s {
				t.to = max(t.to, e.time)
			}
		}
	}
	t.to = max(t.to, d.settled)
}

func (d *device) holdsAt(pod string, s gpu.Time) bool {
	for _, t := range d.tenures {
		if t.open && t.holder.key == pod && t.to == s {
			return true
		}
	}
	return false
}

// admit begins the tenure of a holder that the set of time s adds.
func (d *device) admit(a gpu.Allocation, last, s gpu.Time, gap bool) {
	begin := min(a.Begin, s)
	from := max(begin, d.settled)
	switch {
	case last != gpu.NoTime && gap, last == gpu.NoTime && s.Sub(d.settled) > d.ledger.cfg.MaxGap:
		from = s
	case begin == gpu.NoTime && last == gpu.NoTime:
		from = s
	case begin == gpu.NoTime:
		begin = last
		from = max(last, d.settled)
	}
	h := d.holderOf(a.Holder)
	if cut := from.Sub(max(begin, d.opened)); h.account == nil && begin != gpu.NoTime && !gap && cut > 0 {
		d.ledger.counts.Clamped += cut
	}
	d.begin(h, from, s)
}

// begin opens a tenure of h.
func (d *device) begin(h *holder, from, to gpu.Time) {
	from = max(from, d.settled) // a set may be older than the device
	to = max(from, to)
	d.tenures = append(d.tenures, &tenure{holder: h, span: span{from, to}, open: true})
	h.tenures++
	d.join(h, from)
}

// holderOf returns the holder on d that is the pod of w.
func (d *device) holderOf(w gpu.Holder) *holder {
	key := w.Key()
	h := d.holders[key]
	if h == nil {
		h = &holder{Holder: w, key: key, device: d, join: keysOf(w, d.ID), pod: d.ledger.pod(key)}
		h.pod.holders[h] = d
		d.node.holding[key] = h.pod
		d.holders[key] = h
	}
	return h
}

// drop forgets a holder, unless it came back.
func (d *device) drop(h *holder) {
	if h.tenures > 0 {
		return
	}
	delete(d.holders, h.key)
	if h.pod == nil {
		return
	}
	delete(h.pod.holders, h)
	for _, other := range h.pod.holders {
		if other.node == d.node {
			return
		}
	}
	delete(d.node.holding, h.key)
}

// addDatedEnd takes in an end that its source saw.
func (d *device) addDatedEnd(e datedEnd) {
	switch {
	case d.lastSet != gpu.NoTime && e.time <= d.lastSet:
		d.endLate(e.pod, e.time)
	case !slices.Contains(d.datedEnds, e):
		d.datedEnds = append(d.datedEnds, e)
	}
}

// endLate takes in a dated end that came after the set that lacks its holder:
// what of it isn't settled still counts.
func (d *device) endLate(pod string, t gpu.Time) {
	for _, ten := range d.tenures {
		if ten.holder.key == pod && !ten.open && ten.to < t && t <= ten.latest {
			d.ledger.counts.Clamped += max(min(d.settled, t).Sub(ten.to), 0)
			ten.to = t
		}
	}
}

// endAll ends every tenure at the end of the device. Who held it then holds it
// again if it lives again.
func (d *device) endAll() {
	d.claimed = &claims{byPod: map[string]gpu.Allocation{}}
	for _, t := range d.tenures {
		if t.open && !t.holder.host {
			d.claimed.byPod[t.holder.key] = gpu.Allocation{Holder: t.holder.Holder}
		}
		t.open, t.to = false, min(t.to, d.ended)
	}
}

// applyLabels takes in the holders that the labels of samples name, each
// sample being a set of this device alone.
func (d *device) applyLabels(k gpu.Time) {
	for _, set := range d.labelSets.timeline {
		if set.time > k {
			break
		}
		if set.time <= d.lastSet {
			continue
		}
		c := &claims{byPod: map[string]gpu.Allocation{}}
		if key := set.value.Key(); key != "" {
			c.byPod[key] = gpu.Allocation{Holder: set.value, Share: 1}
		}
		d.applySet(d.lastSet, set.time, c)
	}
	d.labelSets.forget(d.lastSet)
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K {
	keys := make([]K, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
