// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

const (
	// silence is how long, beyond the times that the settings ask for,
	// evidence is kept without a new point.
	silence = 5 * time.Minute
	// stalled is how far a device's F may be behind before its evidence is no
	// longer waited with.
	stalled = 6 * time.Hour
	// ahead is how far a source's clock may be ahead of the others.
	ahead = 5 * time.Minute
	// forgetInterval is the event time between two looks for what can go.
	forgetInterval = time.Minute
)

// forget drops what no unsettled time can need. Points that move no node's
// clock move it too, so that no kind of points alone fills the memory.
func (l *Ledger) forget() {
	now := max(l.stepped, l.heard.Add(-ahead-l.cfg.SettleDelay))
	if now.Sub(l.forgotten) < forgetInterval {
		return
	}
	l.forgotten = now
	keep, needed := l.keep(), l.oldestUnsettled(now)
	l.outputs.forget(needed, keep)
	l.forgetPods(needed, keep)
	for _, d := range l.devices {
		d.forgetBefore(needed.Add(-keep))
		if needed.Sub(d.touched) > keep {
			l.forgetIdle(d, needed.Add(-keep))
		}
	}
	for id, g := range l.gone {
		if needed.Sub(g.ended) > keep {
			delete(l.gone, id)
		}
	}
	for name, n := range l.nodes {
		n.forgetTotals()
		n.forgetGroups(needed.Add(-keep))
		n.sets.giveUp(n.sets.waiting.after(now.Add(-stalled)), &l.counts)
		if len(n.devices)+len(n.totals)+len(n.sets.waiting) == 0 && needed.Sub(n.newest) > keep {
			delete(l.nodes, name)
		}
	}
}

// keep is how long before an F evidence may still matter.
func (l *Ledger) keep() time.Duration {
	return 2*(l.cfg.MaxGap+l.cfg.SettleDelay) + l.outputs.longestWindow + silence
}

// oldestUnsettled returns the smallest F of the devices that aren't stalled.
func (l *Ledger) oldestUnsettled(now gpu.Time) gpu.Time {
	oldest := now
	for _, d := range l.devices {
		if d.live() && now.Sub(d.settled) <= stalled {
			oldest = min(oldest, d.settled)
		}
	}
	return oldest
}

// forgetPods drops the pods that hold nothing and of which nothing is heard.
func (l *Ledger) forgetPods(needed gpu.Time, keep time.Duration) {
	for key, p := range l.pods {
		p.forgetTold(needed.Add(-keep))
		goesOn := len(p.totals) > 0 && !l.cfg.Workloads // its outputs, if it holds again
		if len(p.holders) == 0 && !goesOn && needed.Sub(p.touched) > keep {
			delete(l.pods, key)
		}
	}
}

// forgetIdle drops a device of which nothing was heard since t and that has
// nothing to tell: it never opened, nobody holds what it stands for, or it is
// over.
func (l *Ledger) forgetIdle(d *device, t gpu.Time) {
	switch {
	case d.opened == gpu.NoTime:
		l.forgetUnopened(d)
	case d.Ref != "" && len(d.accounts)+len(d.tenures) == 0, d.ended < t && d.finalSent() && !d.livesAgain():
		l.remove(d)
	}
}

// forgetUnopened drops a device of which there was never a sample.
func (l *Ledger) forgetUnopened(d *device) {
	delete(l.devices, d.ID)
	if d.node != nil {
		d.node.dropDevice(d)
	}
}
