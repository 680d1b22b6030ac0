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

// Ledger accounts for the time of the devices of any number of nodes.
type Ledger struct {
	cfg      Config
	nodes    map[string]*node
	devices  map[gpu.DeviceID]*device
	pods     map[string]*pod
	gone     map[gpu.DeviceID]*gone
	outputs  outputs
	counts   Counts
	finished bool
	flushed  bool // what is settled is due, however little it is

	stepped   gpu.Time // the newest step that a node took
	heard     gpu.Time // the newest point of any kind
	forgotten gpu.Time // up to when it was last looked for what can go
	scratch   scratch
}

// New returns an empty ledger.
func New(cfg Config) *Ledger {
	return &Ledger{
		cfg:     cfg,
		nodes:   map[string]*node{},
		devices: map[gpu.DeviceID]*device{},
		pods:    map[string]*pod{},
		gone:    map[gpu.DeviceID]*gone{},
		outputs: outputs{byKey: map[joinKey][]*outputStream{}},
	}
}

// Observe takes in a batch and settles what it allows.
func (l *Ledger) Observe(b gpu.Batch) {
	l.observeSamples(b)
	l.observeDevices(b)
	l.observeAllocations(b)
	for _, m := range b.Milestones {
		l.observeMilestone(m)
	}
	l.observeOutputs(b.Outputs)
	for _, n := range l.nodes {
		n.advance()
		l.stepped = max(l.stepped, n.stepped)
	}
	l.heard = max(l.heard, newestOf(&b))
	l.forget()
}

// Finish settles everything with the evidence at hand. The ledger takes no
// batch after it.
func (l *Ledger) Finish() {
	if l.finished {
		return
	}
	for _, n := range l.nodes {
		n.finish()
	}
	l.finished = true
}

// Flush makes everything that is settled due. It settles nothing: what isn't
// settled yet is for the ledger that is restored from what this one saves.
func (l *Ledger) Flush() { l.flushed = true }

// Counts returns what was dropped, clamped and rejected so far.
func (l *Ledger) Counts() Counts { return l.counts }

// Lag returns the longest time by which a device's F is behind N.
func (l *Ledger) Lag() time.Duration {
	lag := time.Duration(0)
	for _, n := range l.nodes {
		lag = max(lag, n.lag())
	}
	return lag
}

func (l *Ledger) node(name, cluster string) *node {
	n := l.nodes[name]
	if n == nil {
		n = &node{
			name: name, cluster: cluster, ledger: l,
			holding: map[string]*pod{}, totals: map[totalKey]*total{}, groups: map[string]*group{},
		}
		l.nodes[name] = n
	}
	if n.cluster == "" {
		n.cluster = cluster
	}
	return n
}

// device returns the device of an id, making it known if it is new. At the cap
// it returns nil, and counts the point that asked.
func (l *Ledger) device(id gpu.DeviceID) *device {
	if d := l.devices[id]; d != nil {
		return d
	}
	if len(l.devices) >= 2*l.cfg.MaxAccounts {
		l.counts.Points[Limit]++
		return nil
	}
	d := &device{
		Device: gpu.Device{ID: id}, ledger: l,
		sources: map[string]gpu.Time{}, holders: map[string]*holder{}, accounts: map[accountKey]*account{},
		own: &account{kind: gpu.DeviceAccount},
	}
	l.devices[id] = d
	return d
}

// takeAccount takes one of the MaxAccounts accounts, if one is left.
func (l *Ledger) takeAccount() bool {
	if l.counts.Accounts >= l.cfg.MaxAccounts {
		return false
	}
	l.counts.Accounts++
	return true
}

// returnAccount gives back what takeAccount took, if it did.
func (l *Ledger) returnAccount(taken bool) {
	if taken {
		l.counts.Accounts--
	}
}

// gone is what is remembered of a device that was removed: points of its life
// may come again, and sets may still name it.
type gone struct {
	ended   gpu.Time
	claimed *claims // with holders from labels
}

// revive lets d go on where it was removed, if it was.
func (l *Ledger) revive(d *device) bool {
	g := l.gone[d.ID]
	if g == nil {
		return false
	}
	d.claimed = g.claimed
	delete(l.gone, d.ID)
	return true
}

// place puts a device on its node, once, and learns what describes it.
func (l *Ledger) place(d *device, of gpu.Device) {
	if d.node != nil {
		d.Parent, d.Model = cmp.Or(d.Parent, of.Parent), cmp.Or(d.Model, of.Model)
		return
	}
	n := l.node(of.Node, of.Cluster)
	d.Device, d.node = of, n
	i, _ := slices.BinarySearchFunc(n.devices, d, byID)
	n.devices = slices.Insert(n.devices, i, d)
}

// pod returns the pod of a key.
func (l *Ledger) pod(key string) *pod {
	p := l.pods[key]
	if p == nil {
		p = &pod{key: key, holders: map[*holder]*device{}}
		l.pods[key] = p
	}
	return p
}

func byID(a, b *device) int { return strings.Compare(string(a.ID), string(b.ID)) }

// remove makes a device that ended unknown again.
func (l *Ledger) remove(d *device) {
	l.counts.Accounts -= 1 + len(d.accounts)
	delete(l.devices, d.ID)
	d.node.dropDevice(d)
	if d.board != nil {
		d.board.forget(d)
	}
	if d.asBoard != nil {
		d.asBoard.release()
	}
	if d.Ref == "" {
		l.gone[d.ID] = &gone{d.ended, d.claimed}
	}
}
