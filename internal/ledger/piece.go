// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// piece books one holder's part of a segment.
type piece struct {
	device *device
	holder *holder
	i, n   int // the i-th of n holders that share the segment equally
	k      gpu.Time

	// seen is what the samples say; its running sums count from origin. nil:
	// no sample speaks.
	seen   *running
	origin gpu.Time

	terminates gpu.Time
	streams    []*outputStream
	residence  gpu.Residence
}

// amounts are the three parts of a holder's time.
type amounts struct{ unseen, idle, active int64 }

// upTo returns the holder's running amounts at t. Each part is shared on its
// own, so that none of them ever falls.
func (p *piece) upTo(t gpu.Time) amounts {
	x := int64(t - p.origin)
	if p.seen == nil {
		return amounts{unseen: shareOf(x, p.i, p.n)}
	}
	observed, active := p.seen.observedAt(x), p.seen.activeAt(x)
	return amounts{
		unseen: shareOf(x-observed, p.i, p.n),
		idle:   shareOf(observed-active, p.i, p.n),
		active: shareOf(active, p.i, p.n),
	}
}

// book divides s where the condition may change, and books each part.
func (p *piece) book(s span) {
	sc := &p.device.ledger.scratch
	sc.pieceCuts = p.appendCuts(sc.pieceCuts[:0], s)
	before := p.upTo(s.from)
	eachPiece(sc.pieceCuts, s, func(part span) {
		after := p.upTo(part.to)
		p.bookPart(part, amounts{
			unseen: after.unseen - before.unseen,
			idle:   after.idle - before.idle,
			active: after.active - before.active,
		})
		before = after
	})
}

func (p *piece) appendCuts(cuts []gpu.Time, s span) []gpu.Time {
	cfg := p.device.ledger.cfg
	cuts = append(cuts, p.terminates)
	if p.holder.stretch != gpu.NoTime {
		cuts = append(cuts, p.holder.stretch.Add(cfg.IdleGrace))
	}
	cuts = p.device.failed.cuts(cuts, cfg.MaxGap)
	if p.seen == nil || p.seen.active == 0 && !p.seen.gauge {
		return cuts
	}
	for _, stream := range p.streams {
		stream.eachMark(s.from, p.k, func(m mark) {
			cuts = append(cuts, m.time, m.time.Add(-cfg.MaxGap), m.time.Add(-stream.profile.Window))
		})
	}
	return cuts
}

// bookPart books amounts of a part in which the condition doesn't change.
func (p *piece) bookPart(part span, a amounts) {
	h := p.holder
	h.active += a.active
	h.account.active += a.active
	if part.from >= p.terminates {
		p.bookIn(gpu.Condition{State: gpu.Terminating}, a.unseen+a.idle+a.active)
		return
	}
	if a.unseen != 0 {
		reason := gpu.ReasonActivity
		if failed, ok := p.device.failed.over(part.from, p.k, p.device.ledger.cfg.MaxGap); ok && failed {
			reason = gpu.ReasonDevice
		}
		p.bookIn(gpu.Condition{State: gpu.Unobserved, Reason: reason}, a.unseen)
	}
	if a.idle != 0 {
		p.bookIn(p.idleCondition(part), a.idle)
	}
	if a.active != 0 {
		p.bookIn(p.activeCondition(part), a.active)
	}
}

func (p *piece) bookIn(c gpu.Condition, nanos int64) {
	p.holder.account.book(c, nanos, p.device.published)
}

func (p *piece) idleCondition(part span) gpu.Condition {
	c := gpu.Condition{State: gpu.Idle, Reason: p.holder.mode, Form: gpu.BetweenWork, Residence: p.residence}
	if s := p.holder.stretch; s != gpu.NoTime && part.from >= s.Add(p.device.ledger.cfg.IdleGrace) {
		c.Form = gpu.Episode
	}
	return c
}

// activeCondition says what is proven of the activity in part.
func (p *piece) activeCondition(part span) gpu.Condition {
	cfg := p.device.ledger.cfg
	scraped, observed, productive := false, false, false
	for _, s := range p.streams {
		if s.profile.Kind != gpu.OutputCounter || !s.known(p.k) {
			continue
		}
		scraped = true
		s.eachMark(part.from, p.k, func(m mark) {
			// The part is (from, to], no mark is inside of it.
			if m.time.Add(-cfg.MaxGap) <= part.from {
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
	default:
		return gpu.Condition{State: gpu.Unproven, Reason: gpu.ReasonNoAppMetric}
	}
}
