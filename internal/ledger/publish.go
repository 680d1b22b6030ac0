// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// Snapshot returns every account, whether it is due or not.
func (l *Ledger) Snapshot() gpu.Derived {
	return l.derive(func(*device) bool { return true }, func(*node, *total) bool { return true })
}

// Due returns what is due to be published, and whether anything is. It stays
// due until it is confirmed.
func (l *Ledger) Due() (gpu.Derived, bool) {
	derived := l.derive(
		func(d *device) bool { return l.due(d.published, d.settled, d.finalDue()) },
		func(n *node, t *total) bool {
			return l.due(max(t.published, t.opened), t.settled, t.usedAt < n.stepped)
		},
	)
	return derived, len(derived.Accounts)+len(derived.Outputs) > 0
}

func (l *Ledger) due(published, settled gpu.Time, final bool) bool {
	return settled.Sub(published) >= l.cfg.EmitInterval || settled > published && (final || l.finished)
}

// finalDue reports whether d ended and all its time is settled.
func (d *device) finalDue() bool { return d.ended != gpu.NoTime && d.settled >= d.ended }

// derive builds the accounts of the devices, and the totals, that are chosen.
func (l *Ledger) derive(device func(*device) bool, output func(*node, *total) bool) gpu.Derived {
	var out gpu.Derived
	for _, name := range sortedKeys(l.nodes) {
		n := l.nodes[name]
		for _, d := range n.devices {
			if d.opened != gpu.NoTime && device(d) {
				out.Accounts = d.appendAccounts(out.Accounts)
			}
		}
		for _, key := range n.sortedTotals() {
			if t := n.totals[key]; t.settled > t.opened && output(n, t) {
				out.Outputs = append(out.Outputs, n.outputTotal(key, t))
			}
		}
	}
	return out
}

func (d *device) appendAccounts(to []gpu.Account) []gpu.Account {
	if len(d.own.times) > 0 {
		to = append(to, d.account(d.own))
	}
	for _, key := range sortedKeys(d.accounts) {
		if a := d.accounts[key]; a.opened < d.settled {
			to = append(to, d.account(a))
		}
	}
	if d.overflow != nil && d.overflow.opened < d.settled {
		to = append(to, d.account(d.overflow))
	}
	return to
}

// account returns what is published of a.
func (d *device) account(a *account) gpu.Account {
	out := gpu.Account{
		Device: d.Device, Kind: a.kind, Holder: a.owner, Host: a.host,
		Start: a.opened, Time: d.settled, New: !a.published,
		States: make([]gpu.StateTime, 0, len(a.times)),
	}
	for _, t := range a.times {
		out.States = append(out.States, gpu.StateTime{
			Condition: t.condition, Nanos: time.Duration(t.nanos), Start: t.start, New: !t.published,
		})
	}
	if a.kind == gpu.DeviceAccount {
		return out
	}
	for _, t := range a.times {
		out.Allocated += time.Duration(t.nanos)
		if t.condition.State == gpu.Productive {
			out.Productive += time.Duration(t.nanos)
		}
	}
	out.Active = time.Duration(a.active)
	for e, t := range a.depth {
		if t.sampled {
			out.Depth = append(out.Depth, gpu.DepthTime{
				Engine: gpu.Engine(e), Nanos: time.Duration(t.nanos), Start: t.start, New: !t.published,
			})
		}
	}
	out.Episode = d.episode(a)
	return out
}

// episode returns the longest running idle episode of a's holders.
func (d *device) episode(a *account) *gpu.IdleEpisode {
	var longest *gpu.IdleEpisode
	for _, key := range sortedKeys(d.holders) {
		h := d.holders[key]
		if h.account != a || h.stretch == gpu.NoTime || h.bookedTo != d.settled {
			continue
		}
		age := d.settled.Sub(h.stretch)
		if age >= d.ledger.cfg.IdleGrace && (longest == nil || age > longest.Age) {
			longest = &gpu.IdleEpisode{Reason: h.mode, Age: age}
		}
	}
	return longest
}

func (n *node) outputTotal(key totalKey, t *total) gpu.OutputTotal {
	return gpu.OutputTotal{
		Holder: t.owner, Node: n.name, Cluster: n.cluster, Unit: key.unit,
		Start: t.opened, Time: t.settled, Value: t.value, New: t.published == gpu.NoTime,
	}
}
