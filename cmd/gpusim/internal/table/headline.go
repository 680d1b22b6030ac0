// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package table

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/counters"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// Headline says in a few sentences what became of the devices of some nodes in
// a span, and where most of what was held went.
func Headline(accounts []counters.Account, span time.Duration) string {
	total, capacity := counters.Total(accounts), Capacity(accounts)
	nodes := count(accounts, func(a counters.Account) string { return a.Node })
	share := percent(capacity)
	return fmt.Sprintf("%s with %s, %s: %s GPU-hours. Allocated %s %%, active %s %%, productive %s %%.\n%s",
		plural(nodes, "node"), plural(boards(accounts), "GPU"), inWords(span), hours().text(capacity),
		share.text(total.Allocated), share.text(busy(total)), share.text(total.Productive), biggestLoss(accounts))
}

func busy(a counters.Account) time.Duration {
	return a.Sum(counters.State(gpu.Unproven)) + a.Sum(counters.State(gpu.Productive))
}

// biggestLoss names the reason of the most idle time, and how few pods have
// four fifths of it or more.
func biggestLoss(accounts []counters.Account) string {
	var most gpu.Reason
	var lost time.Duration
	for _, r := range gpu.Idle.Reasons() {
		if d := counters.Sum(accounts, in(counters.Because(gpu.Idle, r))); d > lost {
			most, lost = r, d
		}
	}
	if lost == 0 {
		return "No allocated device was idle."
	}
	idle := in(counters.Because(gpu.Idle, most))
	pods := byPod(accounts)
	slices.SortStableFunc(pods, func(a, b pod) int { return cmp.Compare(idle(b.Account), idle(a.Account)) })
	holders, theirs, of := 0, time.Duration(0), 0
	for _, p := range pods {
		if d := idle(p.Account); d > 0 {
			of++
			if theirs*5 < lost*4 {
				theirs += d
				holders++
			}
		}
	}
	return fmt.Sprintf("The biggest loss while held is idle time, %s: %s.\n%s GPU-hours of it, %s %% with %d of %s.",
		words(most), meanings[most], hours().text(lost), percent(lost).text(theirs), holders, plural(of, "pod"))
}

// boards is how many physical devices there are.
func boards(accounts []counters.Account) int {
	return count(accounts, func(a counters.Account) string { return cmp.Or(a.Parent, a.Device) })
}

// count returns how many names accounts have.
func count(accounts []counters.Account, name func(counters.Account) string) int {
	names := make(map[string]struct{})
	for _, a := range accounts {
		names[name(a)] = struct{}{}
	}
	return len(names)
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// inWords writes a span as people say it: in whole hours or minutes, if it is
// some.
func inWords(span time.Duration) string {
	switch {
	case span%time.Hour == 0:
		return plural(int(span/time.Hour), "hour")
	case span%time.Minute == 0:
		return plural(int(span/time.Minute), "minute")
	default:
		return span.String()
	}
}
