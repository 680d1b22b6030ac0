// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package price

import (
	"strings"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// tallyKey is an account's identity, and its start: a later account of the same
// identity is another.
type tallyKey struct {
	account string
	start   gpu.Time
}

// tally is what is known of the cost of one account.
type tally struct {
	charged gpu.Time // up to which its time was charged
	states  [states]stateTally
	sums    []sum // in the order in which they began
}

const states = int(gpu.Productive) + 1

// stateTally is the time of one state, over all its reasons.
type stateTally struct {
	start gpu.Time
	total time.Duration // that was charged
	grown time.Duration // that is to be charged
	isNew bool          // none of its series was published yet
}

// sum is a cost that only grows: of one state, in one currency.
type sum struct {
	state     gpu.State
	currency  string
	start     gpu.Time
	before    gpu.Nanos     // the cost at earlier rates
	rate      Rate          // the newest
	time      time.Duration // at the newest rate
	published bool
}

// cost is ⌊rate × time⌋ for each rate that was in force: how often it was
// charged changes nothing.
func (s *sum) cost() gpu.Nanos { return add(s.before, s.rate.Cost(s.time)) }

func (s *sum) charge(rate Rate, d time.Duration) {
	if rate != s.rate {
		s.before, s.rate, s.time = s.cost(), rate, 0
	}
	s.time += d
}

// add returns a + b, both of 0 or more, at most what there is.
func add(a, b gpu.Nanos) gpu.Nanos {
	if s := a + b; s >= a {
		return s
	}
	return 1<<63 - 1
}

// keyOf returns what identifies an account: its parts never change.
func keyOf(a *gpu.Account) tallyKey {
	d, h := &a.Device, &a.Holder
	id, node := string(d.ID), ""
	if id == "" {
		id, node = d.Ref, d.Node // it is a name on its node only
	}
	parts := [...]string{
		id, node, string(rune('0' + a.Kind)), a.Attribution.String(),
		h.Namespace, h.Pod, h.PodUID, h.Workload.Kind, h.Workload.Name,
	}
	return tallyKey{strings.Join(parts[:], "\x00"), a.Start}
}

// gain takes in how much time each state of a has, and reports whether any
// gained.
func (t *tally) gain(a *gpu.Account) (gained bool) {
	for s := range t.states {
		t.states[s].grown = -t.states[s].total
		t.states[s].isNew = true
	}
	for i := range a.States {
		st := &a.States[i]
		s := &t.states[st.Condition.State]
		if s.start == gpu.NoTime || st.Start < s.start {
			s.start = st.Start
		}
		s.grown += st.Nanos
		s.isNew = s.isNew && st.New
	}
	for s := range t.states {
		t.states[s].grown = max(t.states[s].grown, 0)
		gained = gained || t.states[s].grown > 0
	}
	return gained
}

func (s *stateTally) settle() { s.total, s.grown = s.total+s.grown, 0 }

// charge charges what was gained since t.charged, each stretch at its price. What
// a state gained is spread evenly over the time in which it did.
func (t *tally) charge(book *Book, facts Facts, to gpu.Time, missing func(Reason, time.Duration)) {
	var spent [states]time.Duration
	from, whole := t.charged, to.Sub(t.charged)
	for at := from; ; {
		p, why, until := book.At(facts, at)
		until = min(until, to)
		for s := range t.states {
			share := t.states[s].grown
			if until < to {
				share = part(share, until.Sub(from), whole)
			}
			piece := share - spent[s]
			spent[s] = share
			switch {
			case piece == 0:
			case why != "":
				missing(why, piece)
			default:
				t.sum(gpu.State(s), p.Currency, at).charge(p.Rate, piece)
			}
		}
		if at = until; at >= to {
			break
		}
	}
	for s := range t.states {
		t.states[s].settle()
	}
}

// sum returns the cost of a state in a currency, which it adds if need be: as a
// series that begins with its first time, at the earliest at at.
func (t *tally) sum(state gpu.State, currency string, at gpu.Time) *sum {
	for i := range t.sums {
		if s := &t.sums[i]; s.state == state && s.currency == currency {
			return s
		}
	}
	st := &t.states[state]
	// A series from the start of the state on was published if the state was: so
	// a cost goes on that isn't kept, at a price that never changes.
	t.sums = append(t.sums, sum{
		state: state, currency: currency, start: max(at, st.start), published: at <= st.start && !st.isNew,
	})
	return &t.sums[len(t.sums)-1]
}
