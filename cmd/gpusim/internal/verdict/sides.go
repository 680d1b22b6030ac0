// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package verdict

import "github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/counters"

// Mislabel is a label of an account that was exported otherwise than it is.
type Mislabel struct {
	Account         counters.Account // as it is
	Label           string
	Truth, Exported string
}

// Twice is an account that one side has several times. Its figures are
// compared as their sum.
type Twice struct {
	Account counters.Account // the first of them
	Side    string           // truth or export
	Times   int
}

// sides are an account as it is, and as it was exported: one on each side, none
// on the side that lacks it.
type sides struct{ truth, exported []counters.Account }

func pair(truth, exported []counters.Account) map[counters.Key]sides {
	pairs := make(map[counters.Key]sides, len(truth))
	for _, a := range truth {
		s := pairs[a.Key()]
		s.truth = append(s.truth, a)
		pairs[a.Key()] = s
	}
	for _, a := range exported {
		s := pairs[a.Key()]
		s.exported = append(s.exported, a)
		pairs[a.Key()] = s
	}
	return pairs
}

func (c *comparison) twice(side string, accounts []counters.Account) {
	if n := len(accounts); n > 1 {
		c.verdict.Twice = append(c.verdict.Twice, Twice{accounts[0], side, n})
	}
}

// labels holds what describes an account to the truth.
func (c *comparison) labels(s sides) {
	if len(s.truth) == 0 {
		return
	}
	truth := s.truth[0].Labels()
	for _, a := range s.exported {
		for i, l := range a.Labels() {
			if l != truth[i] && !(c.noCluster && l.Name == counters.Cluster) {
				c.verdict.Mislabels = append(c.verdict.Mislabels, Mislabel{s.truth[0], l.Name, truth[i].Value, l.Value})
			}
		}
	}
}
