// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"cmp"
	"slices"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// board is a device that is divided into partitions. Each of its nanoseconds
// belongs to one of its slices in turn.
type board struct {
	device *device
	of     int      // slices
	lives  []*life  // of its partitions, that aren't settled on the board, by opening
	ended  gpu.Time // the newest end of the others
	floor  gpu.Time // the largest F of partitions that are forgotten
	// plainFrom is when the device is whole again, NoTime if nothing says so.
	plainFrom gpu.Time
	again     gpu.Time   // when it turns into a board again after that
	later     []laterSet // sets since plainFrom
}

// laterSet is a set that is applied once its device is a plain one again.
type laterSet struct {
	last, time gpu.Time
	claims     *claims
}

// life is a life of a partition: the time in which it has slices of its board.
type life struct {
	span
	device *device // nil once it is forgotten: then it is settled to its end
	slices []int
}

// sliceTime returns how much of s belongs to some of of slices.
func sliceTime(slices []int, of int, s span) (nanos int64) {
	upTo := func(t gpu.Time, slice int) int64 { return (int64(t) + int64(of-1-slice)) / int64(of) }
	for _, c := range slices {
		nanos += upTo(s.to, c) - upTo(s.from, c)
	}
	return nanos
}

// time returns how much time d has in s: all of it, or what its slices have.
func (d *device) time(s span) int64 {
	if d.life == nil {
		return int64(s.to - s.from)
	}
	return sliceTime(d.life.slices, d.board.of, s)
}

// elapsed returns the time of d up to t.
func (d *device) elapsed(t gpu.Time) int64 { return d.time(span{0, t}) }

// freeFrom returns the slices that nobody has from t on.
func (b *board) freeFrom(t gpu.Time) (free []int) {
	for c := range b.of {
		taken := slices.ContainsFunc(b.lives, func(l *life) bool {
			return t < l.to && slices.Contains(l.slices, c)
		})
		if !taken {
			free = append(free, c)
		}
	}
	return free
}

// openPartition opens a partition that has its first sample at t, and returns
// the time from which it lives, NoTime if it can't be one of its board.
func (d *device) openPartition(t gpu.Time) gpu.Time {
	var b *board
	if d.Slices.Valid() && d.Parent != "" {
		if b = d.ledger.boardOf(d); b == nil { // there is no room for the board
			d.ledger.counts.Points[Limit] += uint64(d.samples[gpu.EngineAny].clear())
			return gpu.NoTime
		}
	}
	if b == nil || b.device.node != d.node || b.of != d.Slices.Of {
		d.ledger.counts.Points[BadShare] += uint64(d.samples[gpu.EngineAny].clear())
		return gpu.NoTime
	}
	if b.device.opened != gpu.NoTime {
		t = max(t, b.device.settled)
	}
	t = max(t, b.floor)
	for _, p := range d.node.devices {
		if p.board == b && p != d {
			t = max(t, p.settled)
		}
	}
	for len(b.freeFrom(t)) < d.Slices.N {
		t = max(t, b.endOldest(t))
	}
	d.board = b
	d.life = &life{span: span{t, gpu.Forever}, device: d, slices: b.freeFrom(t)[:d.Slices.N]}
	b.lives = append(b.lives, d.life)
	b.begin(t)
	if d.opened == gpu.NoTime {
		d.open(t)
	} else {
		d.reopen(t)
	}
	return t
}

// release drops what points to the board: it is forgotten, with all its lives.
func (b *board) release() {
	for _, p := range b.device.ledger.devices {
		if p.board == b {
			p.board, p.life = nil, nil
		}
	}
}

// forget drops what points to a partition that is forgotten.
func (b *board) forget(p *device) {
	b.floor = max(b.floor, p.settled)
	for _, l := range b.lives {
		if l.device == p {
			l.device = nil
		}
	}
}

// endOldest ends the partition that opened first of those that live after t,
// and returns when it ends.
func (b *board) endOldest(t gpu.Time) gpu.Time {
	var oldest *life
	for _, l := range b.lives {
		if l.to > t && (oldest == nil || cmp.Or(cmp.Compare(l.from, oldest.from), cmp.Compare(l.device.ID, oldest.device.ID)) < 0) {
			oldest = l
		}
	}
	oldest.device.endAt(max(t, oldest.device.settled))
	return oldest.to
}

// endAt ends d at t, which isn't before its F.
func (d *device) endAt(t gpu.Time) {
	d.ended, d.endedIn = t, d.node.stepped
	if d.life != nil {
		d.life.to = t
	}
	if d.settled == d.ended {
		d.endAll()
	}
}

// boardOf returns the board of a partition, or nil if there is no room for it.
func (l *Ledger) boardOf(d *device) *board {
	parent := l.device(d.Parent)
	if parent == nil {
		return nil
	}
	if parent.asBoard == nil {
		if parent.opened == gpu.NoTime && !l.takeAccount() {
			return nil
		}
		l.place(parent, gpu.Device{ID: d.Parent, Node: d.Node, Cluster: d.Cluster, Model: d.Model})
		parent.asBoard = &board{device: parent, of: d.Slices.Of}
		if g := l.gone[parent.ID]; g != nil { // its time up to there is accounted
			parent.asBoard.floor = g.ended
			delete(l.gone, parent.ID)
		}
	}
	return parent.asBoard
}

// begin makes the device a board from t on: what it was before ends there.
func (b *board) begin(t gpu.Time) {
	d := b.device
	switch {
	case d.boarded && b.plainFrom != gpu.NoTime && b.plainFrom < t:
		if b.again == gpu.NoTime {
			b.again = t
		}
	case d.boarded:
		b.plainFrom, b.later = gpu.NoTime, nil
	case d.turnsAt != gpu.NoTime:
	case d.opened == gpu.NoTime:
		d.opened, d.settled, d.published, d.own.opened = t, t, t, t
		d.boarded, d.fresh = true, true
	case d.live():
		d.turnsAt = t
		if d.ended == gpu.NoTime || t < d.ended {
			d.endAt(max(t, d.settled))
		}
		b.takeOver()
	default:
		d.opened, d.settled, d.ended = t, t, gpu.NoTime
		d.boarded = true
	}
}

// takeOver lets the device go on as a board once it is settled to its end as a
// plain one.
func (b *board) takeOver() {
	d := b.device
	if d.turnsAt == gpu.NoTime || d.live() {
		return
	}
	d.opened, d.settled = d.turnsAt, d.turnsAt
	d.boarded, d.claimed, d.ended, d.turnsAt = true, nil, gpu.NoTime, gpu.NoTime
}
