// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger_test

import (
	"slices"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// knownSets returns the sets known at k. A board has no holders.
func (d *oracleDevice) knownSets(k gpu.Time) []oracleSet {
	var known []oracleSet
	for _, s := range d.sets {
		if s.time > k {
			continue
		}
		if d.dropped[s.time] {
			s = oracleSet{time: s.time}
		}
		known = append(known, s)
	}
	return known
}

// tenure is a time in which somebody holds the device, as sets tell.
type tenure struct {
	span

	key       string
	set       gpu.Time // the first set that has it
	left      gpu.Time // the first set after it that lacks it, or forever
	continues bool     // after an unknown span, the one before it
	told      []told   // by time; the last one is of all the rest
}

// told is what a set says of a holder, of the time since from.
type told struct {
	from gpu.Time
	oracleHold
}

// in returns what holds of the holder in a piece.
func (t tenure) in(piece span) oracleHold {
	for i := len(t.told) - 1; i > 0; i-- {
		if t.told[i].from <= piece.from {
			return t.told[i].oracleHold
		}
	}
	return t.told[0].oracleHold
}

// tenures returns who held the device when, as far as k knows.
func (o *oracle) tenures(d *oracleDevice, k gpu.Time) []tenure {
	if o.cfg.Host {
		return []tenure{{span: span{0, forever}, key: hostKey, told: []told{{oracleHold: oracleHold{key: hostKey}}}}}
	}
	sets := d.knownSets(k)
	held := o.tenuresOfNewLife(d, sets, k)
	for i, set := range sets {
		if set.time <= d.livesBy || set.bad {
			continue
		}
		for _, h := range set.holders {
			if i > 0 && !o.gap(sets[i-1].time, set.time) && sets[i-1].has(h.key) && !d.boardSince(sets[i-1]) {
				continue // it held before
			}
			t := o.tenure(d, sets, i, h.key, k)
			t.from = o.holdsFrom(d, sets, i, h)
			t.continues = i > 0 && sets[i-1].has(h.key)
			held = append(held, t)
		}
		if i > 0 && !o.gap(sets[i-1].time, set.time) {
			held = append(held, o.shortTenures(d, sets[i-1], set)...)
		}
	}
	return held
}

// boardSince says whether the device was a board after a set: who held it then
// doesn't hold on.
func (d *oracleDevice) boardSince(s oracleSet) bool { return d.wholeAgain && s.time <= d.livesBy }

// shortTenures returns the holders that came and went between two sets: only
// their dated end tells of them.
func (o *oracle) shortTenures(d *oracleDevice, before, after oracleSet) []tenure {
	var held []tenure
	for _, a := range o.all.Allocations {
		key := a.Holder.Key()
		if !a.Ended || a.Node != d.node || idOf(gpu.Device{ID: a.Device, Ref: a.Ref, Node: a.Node}) != d.id ||
			a.Begin == gpu.NoTime || a.Time <= before.time || a.Time > after.time || before.has(key) || after.has(key) {
			continue
		}
		a.Share = 1 // it is void
		hold, bad := holdOf(key, []gpu.Allocation{a})
		if from := max(a.Begin, before.time); !bad && from < a.Time && d.openedAt < a.Time {
			held = append(held, tenure{
				span: span{from, a.Time}, key: key, set: after.time, left: after.time, told: []told{{oracleHold: hold}},
			})
		}
	}
	return held
}

// tenure follows a holder from set i on.
func (o *oracle) tenure(d *oracleDevice, sets []oracleSet, i int, key string, k gpu.Time) tenure {
	t := tenure{span: span{to: o.holdsTo(d, sets, i, key, k)}, key: key, set: sets[i].time, left: forever}
	t.told = []told{{oracleHold: sets[i].of(key)}}
	for ; i+1 < len(sets) && sets[i+1].has(key) && !o.gap(sets[i].time, sets[i+1].time); i++ {
		t.told = append(t.told, told{sets[i].time, sets[i+1].of(key)})
	}
	if i+1 < len(sets) {
		t.left = sets[i+1].time
	}
	return t
}

// tenuresOfNewLife: the holders that the newest set named when the device opened
// anew hold from there on.
func (o *oracle) tenuresOfNewLife(d *oracleDevice, sets []oracleSet, k gpu.Time) []tenure {
	newest := len(d.knownSets(d.livesBy)) - 1
	if newest < 0 || sets[newest].bad || d.wholeAgain {
		return nil
	}
	var held []tenure
	for _, h := range sets[newest].holders {
		t := o.tenure(d, sets, newest, h.key, k)
		t.from = d.openedAt
		held = append(held, t)
	}
	return held
}

func (s oracleSet) has(key string) bool {
	return !s.bad && slices.ContainsFunc(s.holders, func(h oracleHold) bool { return h.key == key })
}

func (s oracleSet) of(key string) oracleHold {
	return s.holders[slices.IndexFunc(s.holders, func(h oracleHold) bool { return h.key == key })]
}

// holdsFrom returns when a holder began to hold that set i is the first to have.
// That no time before F can be booked needs no rule here: it isn't asked for.
func (o *oracle) holdsFrom(d *oracleDevice, sets []oracleSet, i int, h oracleHold) gpu.Time {
	at := sets[i].time
	switch {
	case i == 0 && (h.begin == gpu.NoTime || o.gap(d.firstF, at)):
		return at
	case i == 0:
		return h.begin
	case o.gap(sets[i-1].time, at):
		return at
	case h.begin == gpu.NoTime:
		return sets[i-1].time
	}
	return h.begin
}

// holdsTo returns when a holder ended that set i has.
func (o *oracle) holdsTo(d *oracleDevice, sets []oracleSet, i int, key string, k gpu.Time) gpu.Time {
	for ; i+1 < len(sets); i++ {
		this, next := sets[i].time, sets[i+1].time
		if o.gap(this, next) {
			return this
		}
		if sets[i+1].has(key) {
			continue
		}
		end := this
		for _, a := range o.all.Allocations {
			if a.Ended && a.Node == d.node && idOf(gpu.Device{ID: a.Device, Ref: a.Ref, Node: a.Node}) == d.id && a.Holder.Key() == key && this < a.Time && a.Time <= min(next, k) {
				end = max(end, a.Time)
			}
		}
		return end
	}
	return forever
}

// holdersOf returns who held the device in a piece, by key, and whether that
// is known.
func (o *oracle) holdersOf(d *oracleDevice, held []tenure, piece span, k gpu.Time) ([]string, bool) {
	var keys []string
	for _, t := range held {
		if t.has(piece) && !slices.Contains(keys, t.key) {
			keys = append(keys, t.key)
		}
	}
	slices.Sort(keys)
	if o.cfg.Host {
		return keys, true
	}
	sets := d.knownSets(k)
	i := slices.IndexFunc(sets, func(s oracleSet) bool { return piece.to <= s.time })
	switch {
	case i < 0:
		return nil, false
	case i == 0 || sets[i].bad || o.gap(sets[i-1].time, sets[i].time):
		return keys, len(keys) > 0 // somebody may be known to have held it
	}
	return keys, true
}
