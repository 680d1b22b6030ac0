// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package table

import (
	"fmt"
	"strings"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/counters"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// ActiveHour is the sentence on what one active GPU-hour costs: all allocated
// time is paid for, divided by the time that was active. Without a price it
// says why there is no cost.
func ActiveHour(total counters.Account, price Price) string {
	if !price.Known() {
		return "No cost: no price given. Say what one GPU costs per hour, as --price 1.74 --currency EUR."
	}
	cents, ok := price.perActiveHour(total.Allocated, total.Active)
	if !ok {
		return "No cost per active GPU-hour: nothing was active."
	}
	return fmt.Sprintf("One active GPU-hour costs %s %s: all allocated time is paid for, %s %% of it was active.",
		price.Currency, number(cents, 2), percent(total.Allocated).text(total.Active))
}

// Notes says what the waterfall can't, a line each; empty if there is nothing
// to say.
func Notes(total counters.Account) string {
	var notes []string
	if total.Sum(func(c gpu.Condition) bool { return c.Form == gpu.Episode }) > 0 {
		notes = append(notes, "An episode is idle time that scaling its holder down would have reclaimed.")
	}
	switch more := total.Active - busy(total); {
	case more > 0:
		notes = append(notes, fmt.Sprintf("gpu.active.time is %s s, %s s above the line Active: start-up and stopping count, too.",
			seconds().text(total.Active), seconds().text(more)))
	case more < 0:
		notes = append(notes, fmt.Sprintf("gpu.active.time is %s s, %s s below the line Active: an error of the collector.",
			seconds().text(total.Active), seconds().text(-more)))
	}
	return strings.Join(notes, "\n")
}

// Besides says what was active and isn't on the line Active of a waterfall;
// nothing if nothing was.
func Besides(total counters.Account) string {
	more := total.Active - busy(total)
	if more <= 0 {
		return ""
	}
	return fmt.Sprintf("\nActive while starting or stopping, as in loading a model: %s GPU-hours, not on the line Active.\n",
		hours().text(more))
}

// AddsUp checks that the states of every holder add up to its allocated time
// and returns how far the worst is off.
func AddsUp(accounts []counters.Account) (holder string, off time.Duration) {
	for _, a := range holders(accounts) {
		if diff := (states(a) - a.Allocated).Abs(); diff > off {
			holder, off = a.Pod, diff
		}
	}
	return holder, off
}

// Capacity is all the time that was accounted, held or not.
func Capacity(accounts []counters.Account) time.Duration { return counters.Sum(accounts, states) }
