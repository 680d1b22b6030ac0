// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"cmp"
	"slices"
	"time"

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
	for _, t := range slices.Clone(d.tenures) {
		if t.open {
			d.carry(t, last, s, c, gap)
		}
	}
	for _, pod := range sortedKeys(c.byPod) {
		if !c.unknown && !d.holdsAt(pod, s) {
			d.admit(c.byPod[pod], last, s, gap)
		}
	}
	if !gap && !c.unknown {
		d.admitShort(last, s, c)
	}
	d.datedEnds = slices.DeleteFunc(d.datedEnds, func(e datedEnd) bool { return e.time <= s })
	d.lastSet = s
}

// admitShort takes in the holders that came and went between the sets of last
// and s: only their dated end tells of them.
func (d *device) admitShort(last, s gpu.Time, c *claims) {
	held := map[string]bool{} // at last
	for _, t := range d.tenures {
		held[t.holder.key] = held[t.holder.key] || !t.open && t.latest == s
	}
	slices.SortFunc(d.datedEnds, func(a, b datedEnd) int {
		return cmp.Or(cmp.Compare(a.time, b.time), cmp.Compare(a.pod, b.pod))
	})
	for _, e := range d.datedEnds {
		_, named := c.byPod[e.pod]
		if !e.told || named || held[e.pod] || e.claim.begin == gpu.NoTime || e.time <= last || e.time > s {
			continue
		}
		from := max(e.claim.begin, last, d.settled)
		if from >= e.time || d.ended != gpu.NoTime && from >= d.ended {
			continue
		}
		t := d.begin(d.holderOf(e.claim), e.claim.share, from, e.time)
		t.open, t.latest, t.holder.left = false, s, s
	}
}

// carry keeps t open up to s if the set has its holder, else it ends t.
func (d *device) carry(t *tenure, last, s gpu.Time, c *claims, gap bool) {
	if held, ok := c.byPod[t.holder.key]; ok && !gap && !c.unknown {
		t.holder.learn(held, d.ID)
		if held.share != t.share { // from the set before on
			t.open = false
			t = d.begin(t.holder, held.share, t.to, s)
		}
		t.to = s
		return
	}
	t.open, t.holder.left = false, s
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
func (d *device) admit(c claim, last, s gpu.Time, gap bool) {
	begin := min(c.begin, s)
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
	if d.ended != gpu.NoTime && from >= d.ended {
		return // d lives no more
	}
	h := d.holderOf(c)
	if cut := from.Sub(max(begin, d.opened)); h.began == gpu.NoTime && begin != gpu.NoTime && !gap && cut > 0 {
		d.clamp(cut)
	}
	d.begin(h, c.share, from, s)
}

// clamp counts held time that came too late to be booked.
func (d *device) clamp(late time.Duration) {
	d.ledger.counts.Clamped += late
	d.node.clamped += late
}

// begin opens a tenure of h.
func (d *device) begin(h *holder, has share, from, to gpu.Time) *tenure {
	from = max(from, d.settled) // a set may be older than the device
	to = max(from, to)
	t := &tenure{holder: h, share: has, span: span{from, to}, open: true}
	d.tenures = append(d.tenures, t)
	h.tenures++
	h.left = gpu.Forever
	if h.began == gpu.NoTime {
		h.began = from
	}
	d.accountOf(h, d.attribution(h, has), from)
	return t
}

// holderOf returns the holder on d that is the pod of c.
func (d *device) holderOf(c claim) *holder {
	key := c.Key()
	h := d.holders[key]
	if h == nil {
		h = &holder{Holder: c.Holder, key: key, device: d, join: keysOf(c.Holder, d.ID), pod: d.ledger.pod(key)}
		h.pod.holders[h] = d
		d.node.holding[key] = h.pod
		d.holders[key] = h
		d.node.joinGroup(h)
	}
	h.learn(c, d.ID)
	return h
}

// drop forgets a holder, unless it came back.
func (d *device) drop(h *holder) {
	if h.tenures > 0 {
		return
	}
	delete(d.holders, h.key)
	d.node.leaveGroup(h)
	for _, a := range h.accounts {
		if a != nil {
			a.leave(h.closed)
		}
	}
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
	default:
		i := slices.IndexFunc(d.datedEnds, func(o datedEnd) bool { return o.pod == e.pod && o.time == e.time })
		if i < 0 {
			d.datedEnds = append(d.datedEnds, e)
		} else if e.before(d.datedEnds[i]) {
			d.datedEnds[i] = e
		}
	}
}

// endLate takes in a dated end that came after the set that lacks its holder:
// what of it isn't settled still counts.
func (d *device) endLate(pod string, t gpu.Time) {
	for _, ten := range d.tenures {
		if ten.holder.key == pod && !ten.open && ten.to < t && t <= ten.latest {
			d.clamp(max(min(d.settled, t).Sub(ten.to), 0))
			ten.to = t
		}
	}
}

// endAll ends every tenure at the end of the device. Who held it then holds it
// again if it lives again.
func (d *device) endAll() {
	for _, t := range d.tenures {
		if t.open {
			t.holder.left = d.ended
		}
		t.open, t.to = false, min(t.to, d.ended)
	}
	d.forgetTenures()
}

// applyLabels takes in the holders that the labels of samples name, each
// sample being a set of this device alone.
func (d *device) applyLabels(k gpu.Time) {
	if d.boarded {
		d.asBoard.passLabels(k)
	}
	if d.boarded || !d.live() {
		return
	}
	for _, set := range d.labelSets.timeline {
		if set.time > k {
			break
		}
		if set.time <= d.lastSet {
			continue
		}
		d.takeSet(d.lastSet, set.time, set.value.claims())
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
