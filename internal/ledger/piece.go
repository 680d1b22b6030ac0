// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// piece books one holder's part of a segment.
type piece struct {
	*booking
	hold
	i          int // which of the holders
	account    *account
	terminates gpu.Time
	streams    []*outputStream
}

// book divides the segment where the condition may change, and books each part.
func (p *piece) book() {
	sc := &p.booking.device.ledger.scratch
	sc.pieceCuts = p.appendCuts(sc.pieceCuts[:0])
	before := p.part(p.i, p.seg.from)
	eachPiece(sc.pieceCuts, p.seg.span, func(part span) {
		after := p.part(p.i, part.to)
		p.bookPart(part, after.minus(before))
		p.account.entitled += p.entitled(part, after.minus(before))
		before = after
	})
}

// entitled returns what the holder's slots of part are.
func (p *piece) entitled(part span, received amounts) int64 {
	if !p.share.shared {
		return received.sum()
	}
	upTo := func(t gpu.Time) int64 { return scale(p.share.n, p.booking.device.elapsed(t), p.share.of) }
	return upTo(part.to) - upTo(part.from)
}

func (p *piece) appendCuts(cuts []gpu.Time) []gpu.Time {
	d := p.booking.device
	maxGap := d.ledger.cfg.MaxGap
	cuts = append(cuts, p.terminates)
	if p.starting != gpu.NoReason {
		return cuts
	}
	if p.stretch != gpu.NoTime {
		cuts = append(cuts, p.stretch.Add(d.ledger.cfg.IdleGrace))
	}
	cuts = d.failed.cuts(cuts, maxGap)
	if p.seen == nil || p.seen.active == 0 && !p.seen.gauge {
		return cuts
	}
	for _, stream := range p.streams {
		stream.eachMark(p.seg.from, p.k, func(m mark) {
			cuts = append(cuts, m.time, m.time.Add(-maxGap), m.time.Add(-stream.profile.Window))
		})
	}
	return cuts
}

// bookPart books amounts of a part in which the condition doesn't change.
func (p *piece) bookPart(part span, a amounts) {
	p.activity.add(a.active, p.attempt, p.starting != gpu.NoReason)
	p.account.active += a.active
	switch {
	case part.from >= p.terminates:
		p.bookIn(gpu.Condition{State: gpu.Terminating}, a.sum())
		return
	case p.starting != gpu.NoReason:
		p.bookIn(gpu.Condition{State: gpu.Startup, Reason: p.starting}, a.sum())
		return
	}
	if a.unseen != 0 {
		p.bookIn(gpu.Condition{State: gpu.Unobserved, Reason: p.unseenReason(part)}, a.unseen)
	}
	if a.idle != 0 {
		p.bookIn(p.idleCondition(part), a.idle)
	}
	if a.active != 0 {
		p.bookIn(p.activeCondition(part), a.active)
	}
}

func (p *piece) bookIn(c gpu.Condition, nanos int64) {
	p.account.book(c, nanos, p.booking.device.published)
}

func (p *piece) unseenReason(part span) gpu.Reason {
	d := p.booking.device
	if failed, ok := d.failed.over(part.from, p.k, d.ledger.cfg.MaxGap); ok && failed {
		return gpu.ReasonDevice
	}
	return gpu.ReasonActivity
}

func (p *piece) idleCondition(part span) gpu.Condition {
	c := gpu.Condition{State: gpu.Idle, Reason: p.mode, Form: gpu.BetweenWork, Residence: p.residence}
	if s := p.stretch; s != gpu.NoTime && part.from >= s.Add(p.booking.device.ledger.cfg.IdleGrace) {
		c.Form = gpu.Episode
	}
	return c
}

// activeCondition says what is proven of the activity in part.
func (p *piece) activeCondition(part span) gpu.Condition {
	maxGap := p.booking.device.ledger.cfg.MaxGap
	scraped, observed, productive := false, false, false
	for _, s := range p.streams {
		if s.profile.Kind != gpu.OutputCounter || !s.known(p.k) {
			continue
		}
		scraped = true
		s.eachMark(part.from, p.k, func(m mark) {
			// The part is (from, to], no mark is inside of it.
			if m.time.Add(-maxGap) <= part.from {
				observed = true
			}
			if m.rise > 0 && m.time.Add(-s.profile.Window) <= part.from {
				productive = true
			}
		})
	}
	switch {
	case productive:
		return gpu.Condition{State: gpu.Productive}
	case observed:
		return gpu.Condition{State: gpu.Unproven, Reason: gpu.ReasonOutputFlat}
	case scraped:
		return gpu.Condition{State: gpu.Unproven, Reason: gpu.ReasonNotScraped}
	case p.Workload.Group != "":
		return gpu.Condition{State: gpu.Unproven, Reason: gpu.ReasonGroupUnknown}
	default:
		return gpu.Condition{State: gpu.Unproven, Reason: gpu.ReasonNoAppMetric}
	}
}
