// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"slices"
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
	return settled.Sub(published) >= l.cfg.EmitInterval || settled > published && (final || l.finished || l.flushed)
}

// finalDue reports whether d ended and all its time is settled.
func (d *device) finalDue() bool { return d.ended != gpu.NoTime && d.settled >= d.ended }

// derive builds the accounts of the devices, and the totals, that are chosen.
func (l *Ledger) derive(device func(*device) bool, output func(*node, *total) bool) gpu.Derived {
	var out gpu.Derived
	for _, name := range sortedKeys(l.nodes) {
		n, before := l.nodes[name], len(out.Accounts)+len(out.Outputs)
		for _, d := range n.devices {
			if d.opened != gpu.NoTime && device(d) {
				before := len(out.Accounts)
				out.Accounts = d.appendAccounts(out.Accounts)
				if len(out.Accounts) == before {
					continue
				}
				out.Spans = append(out.Spans, gpu.DeviceSpan{
					Device: d.public(), Time: d.settled, Span: time.Duration(d.spanned),
				})
			}
		}
		for _, key := range n.sortedTotals() {
			if t := n.totals[key]; t.settled > t.opened && output(n, t) {
				out.Outputs = append(out.Outputs, n.outputTotal(key, t))
			}
		}
		if len(out.Accounts)+len(out.Outputs) > before {
			out.Nodes = append(out.Nodes, n.standing())
		}
	}
	return out
}

// standing returns how the account of n stands. Its time never goes back, also
// if the device that was ahead is gone. A device without accounts isn't told of:
// one whose life had no time is forgotten unpublished, sooner or later.
func (n *node) standing() gpu.NodeStanding {
	at := max(n.told, n.opened)
	for _, d := range n.devices {
		if d.accounted() {
			at = max(at, d.settled)
		}
	}
	return gpu.NodeStanding{
		Node: n.name, Cluster: n.cluster, Start: n.opened, Time: at,
		Lag: n.lag(), Clamped: n.clamped, New: n.told == gpu.NoTime,
	}
}

// lag returns the longest time by which F of a device is behind N.
func (n *node) lag() time.Duration {
	lag := time.Duration(0)
	for _, d := range n.devices {
		if d.opened != gpu.NoTime && d.ended == gpu.NoTime {
			lag = max(lag, n.newest.Sub(d.settled))
		}
	}
	return lag
}

// public returns what is published of the identity of d.
func (d *device) public() gpu.Device {
	public := d.Device
	if d.Ref != "" {
		public.ID = ""
	}
	return public
}

func (d *device) appendAccounts(to []gpu.Account) []gpu.Account {
	if len(d.own.times) > 0 {
		to = append(to, d.account(d.own))
	}
	for _, key := range d.sortedAccounts() {
		if a := d.accounts[key]; !a.empty() {
			to = append(to, d.account(a))
		}
	}
	if d.overflow != nil && d.overflow.opened < d.settled {
		to = append(to, d.account(d.overflow))
	}
	return to
}

// accounted reports whether d has anything to publish.
func (d *device) accounted() bool { return len(d.appendAccounts(nil)) > 0 }

// account returns what is published of a.
func (d *device) account(a *account) gpu.Account {
	out := gpu.Account{
		Device: d.public(), Kind: a.kind, Holder: a.owner, Attribution: a.by,
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
	out.Active, out.Entitled = time.Duration(a.active), time.Duration(a.entitled)
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
		if !slices.Contains(h.accounts[:], a) || h.stretch == gpu.NoTime || h.bookedTo != d.settled {
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
