// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger

import (
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
	host      bool
	opened    gpu.Time
	times     []conditionTime
	active    int64
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

// join opens the account of a holder, or joins the one that its workload has.
func (d *device) join(h *holder, from gpu.Time) {
	if h.account == nil {
		key, owner := ownerOf(h.Holder, d.ledger.cfg.Workloads)
		h.account = d.accounts[key]
		if h.account == nil {
			h.account = d.openAccount(key, owner, h.host, from)
		}
		if !h.account.published {
			h.account.opened = min(h.account.opened, from)
		}
	}
	h.account.holders++
}

// leave ends a holder's part in a at t.
func (a *account) leave(t gpu.Time) {
	a.holders--
	a.closed = max(a.closed, t)
}

// openAccount opens an account at from, or rejects its owner at the cap.
func (d *device) openAccount(key string, owner gpu.Holder, host bool, from gpu.Time) *account {
	l := d.ledger
	if l.counts.Accounts >= l.cfg.MaxAccounts {
		l.counts.Rejected++
		if d.overflow == nil {
			d.overflow = &account{kind: gpu.OverflowAccount, opened: from}
		}
		return d.overflow
	}
	l.counts.Accounts++
	a := &account{kind: gpu.HolderAccount, owner: owner, host: host, opened: from}
	d.accounts[key] = a
	return a
}
