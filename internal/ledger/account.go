// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"cmp"
	"slices"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// conditionTime is one series of an account.
type conditionTime struct {
	condition gpu.Condition
	nanos     int64
	start     gpu.Time
	published bool
}

// depthSum is the integral of an engine's activity; it is a series once sampled.
type depthSum struct {
	nanos              int64
	start              gpu.Time
	sampled, published bool
}

// account sums the time of one owner on one device.
type account struct {
	kind      gpu.AccountKind
	owner     gpu.Holder
	by        gpu.Attribution
	opened    gpu.Time
	times     []conditionTime
	active    int64
	entitled  int64
	depth     [gpu.EngineDRAM + 1]depthSum
	holders   int // that still hold the device
	closed    gpu.Time
	published bool
}

// book adds nanos in a condition; a series that is new starts at start.
func (a *account) book(c gpu.Condition, nanos int64, start gpu.Time) {
	if nanos == 0 {
		return
	}
	for i := range a.times {
		if a.times[i].condition == c {
			a.times[i].nanos += nanos
			return
		}
	}
	a.times = append(a.times, conditionTime{condition: c, nanos: nanos, start: max(start, a.opened)})
}

// bookDepth adds nanos of an engine; a series that is new starts at start.
func (a *account) bookDepth(e gpu.Engine, nanos int64, start gpu.Time) {
	d := &a.depth[e]
	if !d.sampled {
		d.sampled, d.start = true, max(start, a.opened)
	}
	d.nanos += nanos
}

// ownerOf returns the identity under which a holder is published.
func ownerOf(h gpu.Holder, workloads bool) (string, gpu.Holder) {
	if !workloads || h.Workload.Name == "" {
		return h.Key(), h
	}
	key := h.Namespace + "\x00" + h.Workload.Kind + "\x00" + h.Workload.Name
	return key, gpu.Holder{Namespace: h.Namespace, Workload: h.Workload}
}

// accountKey identifies an account of a holder on one device.
type accountKey struct {
	owner string
	by    gpu.Attribution
}

func (k accountKey) compare(o accountKey) int {
	return cmp.Or(cmp.Compare(k.owner, o.owner), cmp.Compare(k.by, o.by))
}

func (d *device) sortedAccounts() []accountKey {
	keys := make([]accountKey, 0, len(d.accounts))
	for k := range d.accounts {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, accountKey.compare)
	return keys
}

// attribution says how the time of a holder with a share is found, while
// processes don't tell.
func (d *device) attribution(h *holder, has share) gpu.Attribution {
	switch {
	case h.host:
		return gpu.HostAttribution
	case has.shared:
		return gpu.EqualAttribution
	case d.board != nil:
		return gpu.PartitionAttribution
	default:
		return gpu.ExclusiveAttribution
	}
}

// accountOf returns an account of a holder, which opens with it at from unless
// the holder, or its workload, has it already.
func (d *device) accountOf(h *holder, by gpu.Attribution, from gpu.Time) *account {
	if a := h.accounts[by]; a != nil {
		return a
	}
	owner, public := ownerOf(h.Holder, d.ledger.cfg.Workloads)
	key := accountKey{owner, by}
	a := d.accounts[key]
	if a == nil {
		a = d.openAccount(key, public, from)
	}
	switch {
	case a.published:
	case a.holders == 0 && a.empty() && a.opened < d.opened: // of a life without time
		a.opened = from
	default:
		a.opened = min(a.opened, from)
	}
	a.holders++
	h.accounts[by] = a
	return a
}

// empty reports whether nothing was booked in a.
func (a *account) empty() bool {
	return len(a.times) == 0 && a.entitled == 0 && !slices.ContainsFunc(a.depth[:], func(d depthSum) bool { return d.sampled })
}

// leave ends a holder's part in a, whose time is settled up to t.
func (a *account) leave(t gpu.Time) {
	a.holders--
	a.closed = max(a.closed, t)
}

// openAccount opens an account at from, or rejects its owner at the cap.
func (d *device) openAccount(key accountKey, owner gpu.Holder, from gpu.Time) *account {
	l := d.ledger
	if l.counts.Accounts >= l.cfg.MaxAccounts {
		l.counts.Rejected++
		if d.overflow == nil {
			d.overflow = &account{kind: gpu.OverflowAccount, opened: from}
		}
		return d.overflow
	}
	l.counts.Accounts++
	a := &account{kind: gpu.HolderAccount, owner: owner, by: key.by, opened: from}
	d.accounts[key] = a
	return a
}
