// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"cmp"
	"strings"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/counters"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// Figure is one counter of an account: its time in a condition or, if Measure
// isn't empty, one of its measures.
type Figure struct {
	Condition gpu.Condition
	Measure   string // the name of the metric
}

// measures are the counters of a holder beside its states.
var measures = []struct {
	name string
	of   func(counters.Account) time.Duration
}{
	{"gpu.allocated.time", func(a counters.Account) time.Duration { return a.Allocated }},
	{"gpu.active.time", func(a counters.Account) time.Duration { return a.Active }},
	{"gpu.productive.time", func(a counters.Account) time.Duration { return a.Productive }},
	{"gpu.entitled.time", func(a counters.Account) time.Duration { return a.Entitled }},
}

// figures returns those of a that aren't 0.
func figures(a counters.Account) map[Figure]time.Duration {
	all := make(map[Figure]time.Duration, len(a.States)+len(measures))
	for condition, d := range a.States {
		all[Figure{Condition: condition}] = d
	}
	for _, m := range measures {
		all[Figure{Measure: m.name}] = m.of(a)
	}
	for f, d := range all {
		if d == 0 {
			delete(all, f)
		}
	}
	return all
}

// figuresOf adds up those of all accounts of one key.
func figuresOf(accounts []counters.Account) map[Figure]time.Duration {
	var sum counters.Account
	for _, a := range accounts {
		sum.Add(a)
	}
	return figures(sum)
}

// Metric returns the name of the metric of f.
func (f Figure) Metric() string { return cmp.Or(f.Measure, "gpu.time") }

// Words returns what tells f apart within its metric: of gpu.time the state
// with its reason, form and residence.
func (f Figure) Words() string {
	if f.Measure != "" {
		return ""
	}
	words := []string{f.Condition.State.String()}
	for _, w := range []string{f.Condition.Reason.String(), f.Condition.Form.String()} {
		if w != "" {
			words = append(words, w)
		}
	}
	if r := f.Condition.Residence.String(); r != "" {
		words = append(words, "resident "+r)
	}
	return strings.Join(words, ", ")
}

// compare orders figures: the states as the evidence decides, then the
// measures.
func compare(a, b Figure) int {
	x, y := a.Condition, b.Condition
	return cmp.Or(
		cmp.Compare(a.rank(), b.rank()),
		cmp.Compare(x.State, y.State),
		cmp.Compare(x.Reason, y.Reason),
		cmp.Compare(x.Form, y.Form),
		cmp.Compare(x.Residence, y.Residence),
	)
}

func (f Figure) rank() int {
	for i, m := range measures {
		if m.name == f.Measure {
			return i + 1
		}
	}
	return 0
}
