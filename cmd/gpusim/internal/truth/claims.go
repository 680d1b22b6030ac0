// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package truth

import (
	"slices"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/world"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// share is the part of a device that a holder has: n of of slots, or all.
type share struct {
	shared bool
	n, of  int64
}

// claim is what a set says of a pod on a device.
type claim struct {
	pod   *pod
	begin gpu.Time
	share share
}

func shareOf(h *world.Hold) share {
	switch {
	case h.Sharing == gpu.Exclusive || h.Sharing == gpu.MIG:
		return share{n: 1, of: 1}
	case h.Slots == gpu.Slots{}: // all of it is told as a share of 1
		return share{true, millionths, millionths}
	default:
		return share{true, h.Slots.N, h.Slots.Of}
	}
}

// in returns the slots of s of a device that has of of them.
func (s share) in(of int64) int64 { return max(mulDiv(s.n, of, s.of), 1) }

// claims returns what a set says of a device, by pod. A pod has one hold of a
// device at a time; if more, the one that began last counts, as in a set.
func (d *device) claims(s set) (claims []claim) {
	for _, p := range d.node.pods {
		var newest *world.Hold
		for i := range p.Holds {
			if h := &p.Holds[i]; h.Device == d.ID && s.has(h) && (newest == nil || newest.From < h.From) {
				newest = h
			}
		}
		if newest != nil {
			claims = append(claims, claim{p, d.node.Told(newest.From), shareOf(newest)})
		}
	}
	return claims
}

func (s set) hasPod(p *pod, d *device) bool {
	return slices.ContainsFunc(p.Holds, func(h world.Hold) bool { return h.Device == d.ID && s.has(&h) })
}

func claimOf(claims []claim, p *pod) (claim, bool) {
	i := slices.IndexFunc(claims, func(c claim) bool { return c.pod == p })
	if i < 0 {
		return claim{}, false
	}
	return claims[i], true
}

// dated is a hold whose end is told.
type dated struct {
	span
	share share
}

// ends returns the holds of a pod on a device whose end in (from, to] is told.
func (d *device) ends(p *pod, from, to gpu.Time) (ended []dated) {
	for i := range p.Holds {
		h := &p.Holds[i]
		end := d.node.Told(h.To)
		if h.Device == d.ID && from < end && end <= to && d.node.Dated(h) && d.node.Tells(h) < len(d.node.Ticks) {
			ended = append(ended, dated{span{d.node.Told(h.From), end}, shareOf(h)})
		}
	}
	return ended
}
