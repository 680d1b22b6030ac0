// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/counters"
	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/table"
	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/verdict"
)

// shownDifferences is how many differences are printed.
const shownDifferences = 10

// check compares the times that a collector exported of a scenario with what
// its rules make of what was told.
func check(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	var o runFlags
	var url string
	f := flag.NewFlagSet("gpusim check", flag.ContinueOnError)
	o.register(f)
	f.StringVar(&o.start, "start", "", "when the world began, as 2026-01-05T00:00:00Z (default: as the scenario says)")
	countersFlag(f, &url)
	check := func() error { return errors.Join(o.simulationFlags.check(), o.checkStart("")) }
	if err := parse(f, args, stderr, check); err != nil {
		return err
	}
	sim, err := o.began()
	if err != nil {
		return err
	}
	export, err := counters.Fetch(ctx, url)
	if err != nil {
		return err
	}
	v := verdict.Compare(sim.truth(), export)
	fmt.Fprint(stdout, table.Comparison(v), "\n", table.Differences(v, shownDifferences, url))
	if err := v.Err(); err != nil {
		return err
	}
	fmt.Fprintln(stdout, table.Checked(v, url))
	return nil
}

// began returns the simulation as it was sent.
func (o runFlags) began() (*simulation, error) {
	s, err := o.load()
	if err != nil {
		return nil, err
	}
	s.Start = cmp.Or(o.begin, s.Start)
	return o.of(s), nil
}

func countersFlag(f *flag.FlagSet, url *string) {
	f.StringVar(url, "counters", "http://127.0.0.1:8889/metrics", "`URL` of the collector's prometheus exporter")
}
