// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"slices"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// stepSize is the grid of decisions: all points of one second are decided on
// together, however many devices have a timestamp of their own in it.
const stepSize = time.Second

// node is a node's clock, allocation sets, devices and pods.
type node struct {
	name, cluster string
	ledger        *Ledger

	newest  gpu.Time   // N
	stepped gpu.Time   // the newest step that was taken
	pending []gpu.Time // steps that are due once N is settle_delay past them
	sets    sets
	devices []*device       // by ID
	holding map[string]*pod // the pods that hold devices of the node
	leaving []*holder       // whose time is settled in this step
	totals  map[totalKey]*total
}

// tick tells that evidence of time t arrived.
func (n *node) tick(t gpu.Time) {
	n.newest = max(n.newest, t)
	step := (t + gpu.Time(stepSize) - 1) / gpu.Time(stepSize) * gpu.Time(stepSize)
	if i, found := slices.BinarySearch(n.pending, step); !found && step > n.stepped {
		n.pending = slices.Insert(n.pending, i, step)
	}
}

// advance takes every step that is due.
func (n *node) advance() {
	due := n.newest.Add(-n.ledger.cfg.SettleDelay)
	taken := 0
	for ; taken < len(n.pending) && n.pending[taken] <= due; taken++ {
		n.step(n.pending[taken], false)
	}
	n.pending = slices.Delete(n.pending, 0, taken)
}

// finish takes the steps that are left, with the evidence at hand.
func (n *node) finish() {
	for _, k := range n.pending {
		if k < n.newest {
			n.step(k, false)
		}
	}
	n.pending = nil
	n.step(n.newest, true)
}

// step decides what the points known at k allow.
func (n *node) step(k gpu.Time, final bool) {
	n.stepped = k
	for _, d := range n.devices {
		d.openBySample(k)
	}
	for set := n.nextSet(k); set != nil; set = n.nextSet(k) {
		n.applySet(set)
	}
	for _, d := range n.devices {
		d.fresh = false
		d.advance(k, final)
	}
	n.countOutputs(k)
	n.dropLeaving()
	for _, d := range slices.Clone(n.devices) {
		if d.over() {
			n.ledger.remove(d)
		}
	}
}

// dropLeaving forgets the holders all of whose time is settled. One that comes
// back is a new one.
func (n *node) dropLeaving() {
	for _, h := range n.leaving {
		h.device.drop(h)
	}
	n.leaving = n.leaving[:0]
}

func (n *node) nextSet(k gpu.Time) *allocationSet {
	return n.sets.next(k, n.ledger.cfg.MaxGap, &n.ledger.counts)
}

// applySet tells every device of the node what the set says of it.
func (n *node) applySet(set *allocationSet) {
	byDevice := set.byDevice(&n.ledger.counts)
	last := n.sets.last
	n.sets.last = set.time
	for _, id := range sortedKeys(byDevice) {
		n.openNamed(id, byDevice[id], last, set.time)
	}
	for _, d := range n.devices {
		if d.live() {
			d.applySet(last, set.time, byDevice[d.ID])
		} else {
			d.claimed = byDevice[d.ID]
		}
	}
	for id, g := range n.ledger.gone {
		if g.node == n {
			g.claimed = byDevice[id]
		}
	}
}

// openNamed opens a device that an allocation set knows before its samples do:
// it existed when its holder began, as far as the set before covers that.
func (n *node) openNamed(id gpu.DeviceID, c *claims, last, s gpu.Time) {
	if n.ledger.gone[id] != nil {
		return
	}
	d := n.ledger.device(id)
	if d == nil {
		return
	}
	if d.opened == gpu.NoTime && !n.ledger.takeAccount() {
		n.ledger.counts.Points[Limit]++
		return
	}
	n.ledger.place(d, gpu.Device{ID: id, Node: n.name, Cluster: n.cluster})
	at := s
	if last != gpu.NoTime && s.Sub(last) <= n.ledger.cfg.MaxGap {
		at = min(max(c.begin, last), s)
	}
	if d.opened == gpu.NoTime || d.fresh && at < d.opened {
		d.open(at)
	}
}

func (n *node) dropDevice(d *device) {
	n.devices = slices.DeleteFunc(n.devices, func(o *device) bool { return o == d })
}
