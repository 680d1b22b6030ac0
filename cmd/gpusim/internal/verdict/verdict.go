// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/counters"
)

// Limit is by how much an exported figure may differ: a float64 of seconds
// carries whole nanoseconds up to 97 days.
const Limit = time.Microsecond

// Verdict is what a comparison found.
type Verdict struct {
	// Lines have the figures of all accounts added up, in order.
	Lines []Line
	// Differences are those that are too large, the largest first.
	Differences []Difference
	// Mislabels are the labels that were exported otherwise than they are.
	Mislabels []Mislabel
	// Twice are the keys of which a side has more than one account.
	Twice []Twice
	// Figures is how many were compared, Largest the largest difference of
	// all, also of those within the limit.
	Figures int
	Largest Difference
	// Errors has the nodes whose gpu.ledger.error isn't 0, Unchecked those that
	// have none.
	Errors    map[string]time.Duration
	Unchecked []string
}

// Line is one figure of all accounts.
type Line struct {
	Figure
	Truth, Exported time.Duration
	Largest         time.Duration // difference in one account, without its sign
}

// Difference is a figure of one account that was exported otherwise than it
// is. What one side lacks is 0 there.
type Difference struct {
	Account counters.Account // as one of the two sides describes it
	Figure
	Truth, Exported time.Duration
}

// By returns exported less truth.
func (d Difference) By() time.Duration { return d.Exported - d.Truth }

// lacks reports whether only one side has the figure.
func (d Difference) lacks() bool { return (d.Truth == 0) != (d.Exported == 0) }

// Compare holds what was exported to the truth.
func Compare(truth []counters.Account, export counters.Export) Verdict {
	c := comparison{verdict: Verdict{Errors: make(map[string]time.Duration)}, lines: make(map[Figure]*Line), noCluster: export.NoCluster}
	pairs := pair(truth, export.Accounts)
	for _, k := range slices.SortedFunc(maps.Keys(pairs), counters.Compare) {
		c.twice("truth", pairs[k].truth)
		c.twice("export", pairs[k].exported)
		c.labels(pairs[k])
		c.account(pairs[k])
	}
	c.nodes(truth, export)
	return c.done()
}

type comparison struct {
	verdict   Verdict
	lines     map[Figure]*Line
	noCluster bool // of the export
}

func (c *comparison) account(s sides) {
	account := slices.Concat(s.truth, s.exported)[0]
	truth, exported := figuresOf(s.truth), figuresOf(s.exported)
	all := maps.Clone(exported)
	maps.Copy(all, truth)
	for _, f := range slices.SortedFunc(maps.Keys(all), compare) {
		c.figure(Difference{account, f, truth[f], exported[f]})
	}
}

func (c *comparison) figure(d Difference) {
	v, by := &c.verdict, d.By().Abs()
	v.Figures++
	if by > v.Largest.By().Abs() {
		v.Largest = d
	}
	if by > Limit || d.lacks() {
		v.Differences = append(v.Differences, d)
	}
	of := d.Figure
	of.Condition.Residence = 0 // the lines don't tell it apart
	if c.lines[of] == nil {
		c.lines[of] = &Line{Figure: of}
	}
	line := c.lines[of]
	line.Truth += d.Truth
	line.Exported += d.Exported
	line.Largest = max(line.Largest, by)
}

// nodes looks at the collector's own check of each node.
func (c *comparison) nodes(truth []counters.Account, export counters.Export) {
	for node, found := range export.Errors {
		if found != 0 {
			c.verdict.Errors[node] = found
		}
	}
	for _, a := range truth {
		if _, ok := export.Errors[a.Node]; !ok && !slices.Contains(c.verdict.Unchecked, a.Node) {
			c.verdict.Unchecked = append(c.verdict.Unchecked, a.Node)
		}
	}
}

func (c *comparison) done() Verdict {
	for _, line := range c.lines {
		c.verdict.Lines = append(c.verdict.Lines, *line)
	}
	slices.SortFunc(c.verdict.Lines, func(a, b Line) int { return compare(a.Figure, b.Figure) })
	slices.SortStableFunc(c.verdict.Differences, func(a, b Difference) int {
		return cmp.Compare(b.By().Abs(), a.By().Abs())
	})
	return c.verdict
}
