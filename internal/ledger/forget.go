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
	// forgetInterval is the event time between two looks for what can go.
	forgetInterval = time.Minute
)

// forget drops what no unsettled time can need.
func (l *Ledger) forget() {
	if l.newest.Sub(l.forgotten) < forgetInterval {
		return
	}
	l.forgotten = l.newest
	keep := l.keep()
	needed := l.oldestUnsettled()
	l.outputs.forget(needed, keep)
	for key, p := range l.pods {
		if len(p.holders) == 0 && needed.Sub(p.touched) > keep {
			delete(l.pods, key)
		}
	}
	for id, d := range l.devices {
		d.forgetBefore(needed.Add(-keep))
		if d.opened == gpu.NoTime && needed.Sub(d.touched) > keep {
			l.forgetUnopened(id, d)
		}
		if d.Ref != "" && len(d.accounts)+len(d.tenures) == 0 && needed.Sub(d.touched) > keep {
			l.remove(d)
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
func (l *Ledger) oldestUnsettled() gpu.Time {
	oldest := l.newest
	for _, d := range l.devices {
		if d.live() {
			oldest = min(oldest, d.settled)
		}
	}
	return max(oldest, l.newest.Add(-stalled))
}

// forgetUnopened drops a device of which there was never a sample.
func (l *Ledger) forgetUnopened(id gpu.DeviceID, d *device) {
	delete(l.devices, id)
	if d.node != nil {
		d.node.dropDevice(d)
	}
}
