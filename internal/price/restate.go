// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package price

import (
	"maps"
	"slices"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// Statement is what a history costs at the prices of a book. Amounts of
// different currencies stand apart.
type Statement struct {
	Costs    map[StateCurrency]gpu.Nanos
	Unpriced map[Unpriced]time.Duration
}

// StateCurrency says what an amount is for.
type StateCurrency struct {
	State    gpu.State
	Currency string
}

// Total returns the amount of a currency, over all states.
func (s Statement) Total(currency string) gpu.Nanos {
	total := gpu.Nanos(0)
	for key, amount := range s.Costs {
		if key.Currency == currency {
			total = add(total, amount)
		}
	}
	return total
}

// Currencies returns those that there are amounts of, in order.
func (s Statement) Currencies() []string {
	found := map[string]struct{}{}
	for key := range s.Costs {
		found[key.Currency] = struct{}{}
	}
	return slices.Sorted(maps.Keys(found))
}

// Restate multiplies counters that were exported with the prices of book. History
// has the accounts of every send, by time as far as they are of one account, with
// the models of their devices; nodes say where these are.
//
// An account of which the first counters aren't there counts from the first that
// are. Between two sends, time is spread evenly, as Costs.Charge does: the same
// book gives the same cost, to the nano-unit.
func Restate(book *Book, nodes []gpu.Node, history []gpu.Account) Statement {
	c := NewCosts()
	c.Learn(nodes)
	s := Statement{Costs: map[StateCurrency]gpu.Nanos{}, Unpriced: map[Unpriced]time.Duration{}}
	for i := range history {
		a := history[i]
		facts := c.Facts(a.Device)
		c.chargeAccount(book, facts, &a, func(why Reason, d time.Duration) {
			s.Unpriced[Unpriced{why, facts}] += d
		})
	}
	for _, t := range c.tallies {
		for i := range t.sums {
			key := StateCurrency{t.sums[i].state, t.sums[i].currency}
			s.Costs[key] = add(s.Costs[key], t.sums[i].cost())
		}
	}
	return s
}
