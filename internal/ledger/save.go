// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"errors"
	"fmt"
	"slices"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// ErrOtherSettings says that a ledger was saved under settings with which its
// accounts can't go on.
var ErrOtherSettings = errors.New("saved under other settings")

// Save returns everything that the ledger knows as bytes. A ledger that is
// restored from them goes on exactly as this one would.
func (l *Ledger) Save() []byte {
	a := newWriter()
	l.archive(a)
	return a.data
}

// Restore returns the ledger that was saved. It returns ErrCorrupt,
// ErrNewerFormat or ErrOtherSettings: then only a new ledger can go on. Of the
// settings, what decides whose time is summed (granularity, source of
// allocation) must be what it was; all others may have changed.
func Restore(cfg Config, saved []byte) (*Ledger, error) {
	l := New(cfg)
	a := newReader(saved)
	l.archive(a)
	if err := a.finish(); err != nil {
		return nil, err
	}
	return l, nil
}

func (l *Ledger) archive(a *archive) {
	l.archiveSettings(a)
	p := l.parts()
	p.archive(a)
	if a.err == nil && a.reading {
		l.adopt(p)
	}
	archiveMap(a, &l.outputs.byKey, archiveJoinKey, func(a *archive, streams *[]*outputStream) {
		archiveSlice(a, streams, refer[outputStream])
	})
	archiveInt(a, &l.outputs.series)
	archiveInt(a, &l.outputs.longestWindow)
	archiveMap(a, &l.gone, archiveString[gpu.DeviceID], func(a *archive, g **gone) {
		archiveOwned(a, g, archiveGone)
	})
	archiveCounts(a, &l.counts)
	a.bool(&l.finished)
	archiveInt(a, &l.stepped)
	archiveInt(a, &l.heard)
	archiveInt(a, &l.forgotten)
}

func (l *Ledger) archiveSettings(a *archive) {
	now := [...]bool{l.cfg.Workloads, l.cfg.Labels, l.cfg.Host}
	saved := now
	for i := range saved {
		a.bool(&saved[i])
	}
	if a.err == nil && saved != now {
		a.err = fmt.Errorf("%w: granularity or allocation changed", ErrOtherSettings)
	}
}

// parts are all values of a ledger that others point to. They are written
// before what is in them, so that nothing is written inside of something else.
type parts struct {
	nodes    []*node
	devices  []*device
	boards   []*board
	lives    []*life
	pods     []*pod
	holders  []*holder
	accounts []*account
	streams  []*outputStream
	totals   []*total
}

func (p *parts) archive(a *archive) {
	declare(a, &p.nodes)
	declare(a, &p.devices)
	declare(a, &p.boards)
	declare(a, &p.lives)
	declare(a, &p.pods)
	declare(a, &p.holders)
	declare(a, &p.accounts)
	declare(a, &p.streams)
	declare(a, &p.totals)

	each(a, p.nodes, archiveNode)
	each(a, p.devices, archiveDeviceState)
	each(a, p.boards, archiveBoard)
	each(a, p.lives, archiveLife)
	each(a, p.pods, archivePod)
	each(a, p.holders, archiveHolderState)
	each(a, p.accounts, archiveAccount)
	each(a, p.streams, archiveStream)
	each(a, p.totals, archiveTotal)
}

// declare visits pointers to values that are visited later.
func declare[E any](a *archive, all *[]*E) {
	archiveSlice(a, all, func(a *archive, p **E) {
		archiveShared(a, p, func(*archive, *E) {})
		if *p == nil {
			a.fail("nothing where something was")
		}
	})
}

func each[E any](a *archive, all []*E, visit func(*archive, *E)) {
	for _, p := range all {
		if a.err == nil {
			visit(a, p)
		}
	}
}

// refer visits a pointer, not nil, to a value that was declared.
func refer[E any](a *archive, p **E) {
	referIfAny(a, p)
	if *p == nil {
		a.fail("a pointer to nothing")
		*p = new(E)
	}
}

// referIfAny visits a pointer to a value that was declared, or nil.
func referIfAny[E any](a *archive, p **E) {
	archiveShared(a, p, func(a *archive, p *E) { a.fail("a %T that wasn't declared", p) })
}

// parts returns the parts of l, in an order that depends on l alone.
func (l *Ledger) parts() *parts {
	p := &parts{}
	for _, name := range sortedKeys(l.nodes) {
		n := l.nodes[name]
		p.nodes = append(p.nodes, n)
		for _, key := range n.sortedTotals() {
			p.totals = append(p.totals, n.totals[key])
		}
	}
	for _, key := range sortedKeys(l.pods) {
		p.pods = append(p.pods, l.pods[key])
	}
	for _, id := range sortedKeys(l.devices) {
		p.addDevice(l.devices[id])
	}
	seen := map[*outputStream]bool{}
	for _, key := range l.outputs.sortedKeys() {
		for _, s := range l.outputs.byKey[key] {
			if !seen[s] {
				seen[s] = true
				p.streams = append(p.streams, s)
			}
		}
	}
	return p
}

func (p *parts) addDevice(d *device) {
	p.devices = append(p.devices, d)
	if d.asBoard != nil {
		p.boards = append(p.boards, d.asBoard)
		p.lives = append(p.lives, d.asBoard.lives...)
	}
	if d.life != nil && !slices.Contains(d.board.lives, d.life) {
		p.lives = append(p.lives, d.life)
	}
	p.accounts = append(p.accounts, d.own)
	if d.overflow != nil {
		p.accounts = append(p.accounts, d.overflow)
	}
	for _, key := range d.sortedAccounts() {
		p.accounts = append(p.accounts, d.accounts[key])
	}
	for _, key := range sortedKeys(d.holders) {
		p.holders = append(p.holders, d.holders[key])
	}
	for _, t := range d.tenures {
		if t.holder.host && !slices.Contains(p.holders, t.holder) {
			p.holders = append(p.holders, t.holder)
		}
	}
}

// adopt makes p, which was read, the parts of l.
func (l *Ledger) adopt(p *parts) {
	for _, n := range p.nodes {
		n.ledger = l
		l.nodes[n.name] = n
	}
	for _, q := range p.pods {
		q.holders = map[*holder]*device{}
		l.pods[q.key] = q
	}
	for _, d := range p.devices {
		d.ledger = l
		l.devices[d.ID] = d
		for _, h := range d.holders {
			h.pod.holders[h] = d
			d.node.holding[h.key] = h.pod
			d.node.joinGroup(h)
		}
	}
}
