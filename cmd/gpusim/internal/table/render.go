// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package table

import (
	"strings"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/counters"
)

// The length of the bar of all capacity: as long as what a part means.
const (
	barWidth      = 14
	explainedBars = 38
)

// column is one unit in which every line of the waterfall is given.
type column struct {
	title    string
	decimals int
	scale    scale
}

func hours() column { return column{"GPU-hours", 2, newScale(1, int64(time.Hour)/100)} }

func seconds() column { return column{"seconds", 3, newScale(1, int64(time.Millisecond))} }

func percent(whole time.Duration) column {
	return column{"%", 1, newScale(1000, max(1, int64(whole)))}
}

func cost(price Price) column { return column{price.Currency, 2, price.cents()} }

// text writes d in the unit of the column.
func (c column) text(d time.Duration) string { return number(c.scale.round(d), c.decimals) }

// Waterfall prints where the capacity went, down to what was productive.
func Waterfall(total counters.Account, price Price) string {
	capacity := waterfall(total, naming{forms: true})
	return render(capacity, barWidth, price, hours(), seconds(), percent(capacity.time))
}

// Explained is a waterfall that says what its lines mean.
func Explained(total counters.Account, price Price) string {
	capacity := waterfall(total, naming{notes: true})
	return render(capacity, explainedBars, price, hours(), percent(capacity.time))
}

func render(capacity node, bars int, price Price, columns ...column) string {
	w := writer{columns: columns, bars: bars, capacity: capacity.time}
	if price.Known() {
		w.columns = append(w.columns, cost(price))
	}
	head, units := []string{"From capacity to productive", ""}, make([]int64, len(w.columns))
	for i, c := range w.columns {
		head = append(head, c.title)
		units[i] = c.scale.round(capacity.time)
	}
	w.grid = grid{texts: 2}
	w.grid.add(head...)
	w.node(capacity, units, 0)
	return w.grid.String()
}

type writer struct {
	grid     grid
	columns  []column
	bars     int // length of the longest
	capacity time.Duration
}

// node prints a line whose rounded figures are units, and what it consists of.
func (w *writer) node(n node, units []int64, depth int) {
	w.row(n, units, depth)
	parts := make([][]int64, len(w.columns))
	for i, c := range w.columns {
		parts[i] = c.scale.apportion(units[i], times(n.parts))
	}
	for i, part := range n.parts {
		below := depth
		if part.sign == "" {
			below++
		}
		w.node(part, nth(parts, i), below)
	}
	for _, share := range n.within {
		w.row(share, w.share(share, n, units), depth+1)
	}
}

// share rounds a share of a line like a part of it, so that all of the line
// reads the same as the line.
func (w *writer) share(part, of node, units []int64) []int64 {
	shares := make([]int64, len(units))
	for i, c := range w.columns {
		shares[i] = c.scale.apportion(units[i], []time.Duration{part.time, of.time - part.time})[0]
	}
	return shares
}

func (w *writer) row(n node, units []int64, depth int) {
	sign := n.sign
	if sign == "" {
		sign = " "
	}
	cells := []string{sign + " " + strings.Repeat("  ", depth) + n.title, n.note}
	if depth == 0 { // bars for the lines of the sum; the others are told by their indent
		cells[1] = bar(int64(n.time), int64(w.capacity), w.bars)
	}
	for i, c := range w.columns {
		cells = append(cells, number(units[i], c.decimals))
	}
	w.grid.add(cells...)
}

func times(nodes []node) []time.Duration {
	all := make([]time.Duration, 0, len(nodes))
	for _, n := range nodes {
		all = append(all, n.time)
	}
	return all
}

// nth returns the i-th of each.
func nth(lists [][]int64, i int) []int64 {
	all := make([]int64, 0, len(lists))
	for _, list := range lists {
		all = append(all, list[i])
	}
	return all
}
