// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/counters"
	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/recording"
	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/table"
)

// tolerance is what sums may be off: nothing, unless a counter is too long
// for a float64 of seconds to carry its nanoseconds.
const tolerance = time.Microsecond

// report prints the account and fails if it doesn't add up.
func report(stdout io.Writer, o options, cut recording.Recording, accounts []counters.Account) error {
	total := counters.Total(accounts)
	first, last := cut.Bounds()
	fmt.Fprintf(stdout, "GenTD26, %g s to %g s: %d containers\n\n%s\n",
		first.Sub(cut.Start).Seconds(), last.Sub(cut.Start).Seconds(), cut.Containers(), table.Waterfall(total, o.price))
	for _, line := range []string{table.Notes(total), table.ActiveHour(total, o.price)} {
		if line != "" {
			fmt.Fprintln(stdout, line)
		}
	}
	if o.top > 0 {
		fmt.Fprintf(stdout, "\n%s", table.Largest(accounts, o.top, o.price))
	}
	if o.perContainer {
		fmt.Fprintf(stdout, "\n%s", table.PerContainer(accounts))
	}
	document, err := table.JSON(accounts)
	if err != nil {
		return err
	}
	if err := writeJSON(o.json, document); err != nil {
		return err
	}
	return checkSums(stdout, cut, accounts)
}

// checkSums holds the account to what must be true of it whatever was replayed.
func checkSums(stdout io.Writer, cut recording.Recording, accounts []counters.Account) error {
	holder, off := table.AddsUp(accounts)
	missing := cut.Spanned() - table.Capacity(accounts)
	fmt.Fprintf(stdout, "\nChecked: states add up to allocated, in each of %d containers: largest difference %s\n"+
		"         capacity is the devices' time in the recording: difference %s\n",
		cut.Containers(), off, missing.Abs())
	switch {
	case off > tolerance:
		return fmt.Errorf("the states of %s are %s off its allocated time", holder, off)
	case missing.Abs() > tolerance:
		return fmt.Errorf("the devices of the recording add up to %s, the collector accounted %s less", cut.Spanned(), missing)
	default:
		return nil
	}
}
