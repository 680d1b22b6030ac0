// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"cmp"
	"slices"
	"strings"
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

	opened  gpu.Time // when the first of its devices did
	told    gpu.Time // the time of the newest standing that was published
	clamped time.Duration

	newest  gpu.Time   // N
	stepped gpu.Time   // the newest step that was taken
	before  gpu.Time   // the step before that
	pending []gpu.Time // steps that are due once N is settle_delay past them
	sets    sets
	claims  map[gpu.DeviceID]*claims // of the newest set that was applied
	devices []*device                // by ID
	holding map[string]*pod          // the pods that hold devices of the node
	leaving []*holder                // whose time is settled in this step
	totals  map[totalKey]*total
	groups  map[string]*group
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
	n.before, n.stepped = n.stepped, k
	for _, d := range n.devices {
		d.noticeEnd(k)
	}
	for _, d := range n.devices {
		d.countPartitions(k)
	}
	n.openSampled(k)
	for set := n.nextSet(k); set != nil; set = n.nextSet(k) {
		n.applySet(set)
	}
	for _, d := range n.devices {
		d.applyLabels(k)
	}
	var boards []*device // none of them may be ahead of its partitions
	for _, d := range n.devices {
		if d.fresh = false; d.boarded || d.turnsAt != gpu.NoTime {
			boards = append(boards, d)
		} else {
			d.advance(k, final)
		}
	}
	for _, d := range boards {
		for was := !d.boarded; was != d.boarded; { // what it becomes settles as well
			was = d.boarded
			d.advance(k, final)
		}
	}
	n.noticeOpening()
	n.countOutputs(k)
	n.dropLeaving()
	for _, d := range slices.Clone(n.devices) {
		if d.over() {
			n.ledger.remove(d)
		}
	}
	n.forgetTotals() // at each step: what a pod that comes back begins with doesn't depend on how points arrive
}

// noticeOpening notes when the first device opened.
func (n *node) noticeOpening() {
	if n.opened != gpu.NoTime {
		return
	}
	first := gpu.Forever
	for _, d := range n.devices {
		if d.opened != gpu.NoTime {
			first = min(first, d.opened)
		}
	}
	if first != gpu.Forever {
		n.opened = first
	}
}

// openSampled opens the devices that have samples, in order of these; of one
// time, partitions first.
func (n *node) openSampled(k gpu.Time) {
	var opening []*device
	for _, d := range n.devices {
		if d.firstSample(k) != gpu.Forever {
			opening = append(opening, d)
		}
	}
	slices.SortStableFunc(opening, func(a, b *device) int {
		return cmp.Or(cmp.Compare(a.firstSample(k), b.firstSample(k)), -cmp.Compare(min(a.Slices.N, 1), min(b.Slices.N, 1)), byID(a, b))
	})
	for _, d := range opening {
		d.openBySample(k)
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
	byDevice := set.byDevice(n.name, &n.ledger.counts)
	last := n.sets.last
	n.sets.last, n.claims = set.time, byDevice
	for _, id := range sortedKeys(byDevice) {
		n.openNamed(id, byDevice[id], last, set.time)
	}
	for _, d := range n.devices {
		d.takeSet(last, set.time, byDevice[d.ID])
	}
}

// takeSet takes in what the set of time s says of d. A board has no holders.
func (d *device) takeSet(last, s gpu.Time, c *claims) {
	if d.boarded && d.asBoard.plainFrom != gpu.NoTime && s >= d.asBoard.plainFrom {
		d.asBoard.later = append(d.asBoard.later, laterSet{last, s, c})
		return
	}
	if c != nil && (d.boarded || d.turnsAt != gpu.NoTime && s >= d.turnsAt) {
		d.ledger.counts.Points[UnsupportedSharing] += uint64(len(c.byPod))
		c = nil
		if s == d.node.sets.last { // nor do they hold what it becomes
			delete(d.node.claims, d.ID)
		}
	}
	if d.ledger.cfg.Labels { // else the node knows what its newest set said
		d.claimed = c
	}
	if d.live() && !d.boarded {
		d.applySet(last, s, c)
	}
}

// openNamed opens a device that an allocation set knows before its samples do:
// it existed when its holder began, as far as the set before covers that.
func (n *node) openNamed(id gpu.DeviceID, c *claims, last, s gpu.Time) {
	if isPartition(id) { // its slices aren't known before its samples
		if d := n.ledger.devices[id]; d == nil || d.opened == gpu.NoTime {
			n.ledger.counts.Points[UnresolvedDevice] += uint64(len(c.byPod))
		}
		return
	}
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
	n.ledger.place(d, gpu.Device{ID: id, Ref: n.refOf(id), Node: n.name, Cluster: n.cluster})
	if d.Ref != "" {
		d.touched = max(d.touched, s)
	}
	at := s
	if last != gpu.NoTime && s.Sub(last) <= n.ledger.cfg.MaxGap {
		at = min(max(c.begin, last), s)
	}
	switch turnsAt := d.opened; {
	case d.opened == gpu.NoTime, d.fresh && at < d.opened && !d.boarded:
		d.open(at)
	case d.fresh && at < d.opened:
		d.boarded = false
		d.open(at)
		d.asBoard.begin(turnsAt)
	}
}

// refOf returns what an allocation called a pseudo-device, "" for a real one.
func (n *node) refOf(id gpu.DeviceID) string {
	ref, pseudo := strings.CutPrefix(string(id), string(pseudoID(n.name, "")))
	if !pseudo {
		return ""
	}
	return ref
}

func (n *node) dropDevice(d *device) {
	n.devices = slices.DeleteFunc(n.devices, func(o *device) bool { return o == d })
}
