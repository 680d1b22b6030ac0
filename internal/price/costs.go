// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package price

import (
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// Costs holds what the time of accounts has cost so far. Only what an account
// gained since it was last charged is multiplied with the prices that are in
// force then: a cost that was told never changes, and never falls.
type Costs struct {
	tallies map[tallyKey]*tally
	nodes   map[nodeKey]gpu.Node
}

// NewCosts returns costs of nothing.
func NewCosts() *Costs {
	return &Costs{tallies: map[tallyKey]*tally{}, nodes: map[nodeKey]gpu.Node{}}
}

// Unpriced says of what no price is in force, and why.
type Unpriced struct {
	Reason Reason
	Facts  Facts
}

// Charge multiplies what the accounts of d gained with the prices of book, and
// sets their Price and Costs. It returns the time that has no price.
func (c *Costs) Charge(book *Book, d *gpu.Derived) map[Unpriced]time.Duration {
	var missing map[Unpriced]time.Duration
	for i := range d.Accounts {
		a := &d.Accounts[i]
		facts := c.Facts(a.Device)
		c.chargeAccount(book, facts, a, func(why Reason, t time.Duration) {
			if missing == nil {
				missing = map[Unpriced]time.Duration{}
			}
			missing[Unpriced{why, facts}] += t
		})
		if p, why, _ := book.At(facts, a.Time); why == "" {
			a.Price = &p.Price
		}
	}
	return missing
}

func (c *Costs) chargeAccount(book *Book, facts Facts, a *gpu.Account, missing func(Reason, time.Duration)) {
	t := c.tally(a, book.kept())
	if t.gain(a) {
		t.charge(book, facts, a.Time, missing)
	}
	t.charged = max(t.charged, a.Time)
	a.Costs = make([]gpu.StateCost, 0, len(t.sums))
	for i := range t.sums {
		s := &t.sums[i]
		a.Costs = append(a.Costs, gpu.StateCost{
			State: s.state, Currency: s.currency, Nanos: s.cost(), Start: s.start, New: !s.published,
		})
	}
}

// tally returns the tally of an account, which it adds if need be. If tallies are
// kept, one that isn't there begins where the account stands, unless nothing of
// that was published: what went before has a cost that isn't known any more.
func (c *Costs) tally(a *gpu.Account, kept bool) *tally {
	key := keyOf(a)
	t, known := c.tallies[key]
	if known {
		return t
	}
	t = &tally{charged: a.Start}
	c.tallies[key] = t
	if kept && !a.New {
		t.gain(a)
		for s := range t.states {
			t.states[s].settle()
		}
		t.charged = a.Time
	}
	return t
}

// Confirm tells that a send with the costs of d was accepted.
func (c *Costs) Confirm(d gpu.Derived) {
	for i := range d.Accounts {
		a := &d.Accounts[i]
		t, known := c.tallies[keyOf(a)]
		if !known {
			continue
		}
		for _, sent := range a.Costs {
			for j := range t.sums {
				if s := &t.sums[j]; s.state == sent.State && s.currency == sent.Currency {
					s.published = true
				}
			}
		}
	}
}

// Len returns of how many accounts costs are kept.
func (c *Costs) Len() int { return len(c.tallies) }

// Keep forgets all accounts but those of d.
func (c *Costs) Keep(d gpu.Derived) {
	kept := make(map[tallyKey]*tally, len(d.Accounts))
	for i := range d.Accounts {
		key := keyOf(&d.Accounts[i])
		if t, known := c.tallies[key]; known {
			kept[key] = t
		}
	}
	c.tallies = kept
}
