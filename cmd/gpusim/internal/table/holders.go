// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package table

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/counters"
)

// Largest prints the n holders that held devices longest, in GPU-hours.
func Largest(accounts []counters.Account, n int, price Price) string {
	all := holders(accounts)
	n = min(n, len(all))
	shown := []figure{allocatedTime, idleTime, activeTime, productiveTime}
	head := []string{fmt.Sprintf("Largest holders (%d of %d), GPU-hours", n, len(all))}
	for _, f := range shown {
		head = append(head, f.title)
	}
	head = append(head, "% active")
	if price.Known() {
		head = append(head, price.Currency)
	}
	g := grid{texts: 1, rows: [][]string{head}}
	for _, a := range all[:n] {
		cells := []string{a.Pod}
		for _, f := range shown {
			cells = append(cells, hours().text(f.of(a)))
		}
		cells = append(cells, percent(a.Allocated).text(a.Active))
		if price.Known() {
			cells = append(cells, cost(price).text(a.Allocated))
		}
		g.add(cells...)
	}
	return g.String()
}

// PerContainer prints every figure of every holder, to the millisecond.
func PerContainer(accounts []counters.Account) string {
	all := holders(accounts)
	shown := shownFigures(all)
	head := []string{"Container, s"}
	for _, f := range shown {
		head = append(head, f.title)
	}
	g := grid{texts: 1, rows: [][]string{head}}
	for _, a := range all {
		cells := []string{strings.TrimPrefix(a.Pod, "container-")}
		for _, f := range shown {
			cells = append(cells, plain(f.of(a)))
		}
		g.add(cells...)
	}
	return g.String()
}

// holders returns the accounts of holders, the largest first, of equals the
// most idle.
func holders(accounts []counters.Account) []counters.Account {
	held := slices.DeleteFunc(slices.Clone(accounts), func(a counters.Account) bool { return !a.Held() })
	slices.SortStableFunc(held, func(a, b counters.Account) int {
		return cmp.Or(
			cmp.Compare(b.Allocated, a.Allocated),
			cmp.Compare(idleTime.of(b), idleTime.of(a)),
			cmp.Compare(a.Namespace, b.Namespace),
			cmp.Compare(a.Pod, b.Pod),
			cmp.Compare(a.Device, b.Device),
		)
	})
	return held
}

// shownFigures leaves out the rare figures that nobody has.
func shownFigures(all []counters.Account) []figure {
	var shown []figure
	for _, f := range held {
		if !f.rare || counters.Sum(all, f.of) != 0 {
			shown = append(shown, f)
		}
	}
	return shown
}

// plain writes seconds without separators: scripts read this table too.
func plain(d time.Duration) string {
	ms := seconds().scale.round(d)
	return fmt.Sprintf("%d.%03d", ms/1000, ms%1000)
}
