// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"cmp"
	"slices"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// segment is a piece of time in which the same holders held a device.
type segment struct {
	span
	holders []*holder // by key
	known   bool      // who holds the device is known; true if somebody does
}

// segments cuts s where the holders of d, or what is known of them, change.
// The result is valid until the next call.
func (d *device) segments(s span) []segment {
	cuts := &d.ledger.scratch.segmentCuts
	*cuts = append((*cuts)[:0], s.from, s.to, d.lastSet)
	for _, t := range d.tenures {
		*cuts = append(*cuts, t.from, t.to)
	}
	for _, u := range d.unknown {
		*cuts = append(*cuts, u.from, u.to)
	}
	all := d.ledger.scratch.segments[:0]
	pool := d.ledger.scratch.holders[:0]
	eachPiece(*cuts, s, func(p span) {
		first := len(pool)
		pool = d.appendHolders(pool, p)
		seg := segment{span: p, holders: pool[first:len(pool):len(pool)]}
		seg.known = len(seg.holders) > 0 || d.holdersKnown(p)
		all = append(all, seg)
	})
	d.ledger.scratch.segments, d.ledger.scratch.holders = all, pool
	return all
}

// appendHolders appends the holders that hold d throughout p.
func (d *device) appendHolders(to []*holder, p span) []*holder {
	first := len(to)
	for _, t := range d.tenures {
		if t.from <= p.from && p.to <= t.to && !slices.Contains(to[first:], t.holder) {
			to = append(to, t.holder)
		}
	}
	if found := to[first:]; len(found) > 1 {
		slices.SortFunc(found, func(a, b *holder) int { return cmp.Compare(a.key, b.key) })
	}
	return to
}

func (d *device) holdersKnown(p span) bool {
	if p.to > d.lastSet {
		return false
	}
	for _, u := range d.unknown {
		if u.from <= p.from && p.to <= u.to {
			return false
		}
	}
	return true
}

// eachPiece calls f for the pieces into which cuts divide s, in order of time.
// It sorts cuts.
func eachPiece(cuts []gpu.Time, s span, f func(span)) {
	slices.Sort(cuts)
	from := s.from
	for _, cut := range cuts {
		if cut > from && cut < s.to {
			f(span{from, cut})
			from = cut
		}
	}
	if from < s.to {
		f(span{from, s.to})
	}
}
