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
	holds []hold // by key
	known bool   // who holds the device is known; true if somebody does
}

// segments cuts s where the holders of d, what is known of them, or how far
// they have started, change. The result is valid until the next call.
func (d *device) segments(s span, k gpu.Time) []segment {
	cuts := &d.ledger.scratch.segmentCuts
	*cuts = append((*cuts)[:0], s.from, s.to, d.lastSet)
	for _, t := range d.tenures {
		*cuts = append(*cuts, t.from, t.to)
		if t.from < s.to && s.from < t.to {
			*cuts = t.holder.startCuts(*cuts, s, k, d.streams(t.holder))
		}
	}
	for _, u := range d.unknown {
		*cuts = append(*cuts, u.from, u.to)
	}
	all := d.ledger.scratch.segments[:0]
	pool := d.ledger.scratch.holds[:0]
	eachPiece(*cuts, s, func(p span) {
		first := len(pool)
		pool = d.appendHolds(pool, p, k)
		seg := segment{span: p, holds: pool[first:len(pool):len(pool)]}
		seg.known = len(seg.holds) > 0 || d.holdersKnown(p)
		all = append(all, seg)
	})
	d.ledger.scratch.segments, d.ledger.scratch.holds = all, pool
	return all
}

// appendHolds appends the holders that hold d throughout p.
func (d *device) appendHolds(to []hold, p span, k gpu.Time) []hold {
	first := len(to)
	for _, t := range d.tenures {
		if t.from > p.from || p.to > t.to {
			continue
		}
		if i := slices.IndexFunc(to[first:], func(h hold) bool { return h.holder == t.holder }); i >= 0 {
			to[first+i].share = t.share // of the newer set
			continue
		}
		h := hold{holder: t.holder, share: t.share}
		h.attempt, h.starting = t.holder.starting(p.from, k, d.streams(t.holder))
		to = append(to, h)
	}
	if found := to[first:]; len(found) > 1 {
		slices.SortFunc(found, func(a, b hold) int { return cmp.Compare(a.key, b.key) })
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
