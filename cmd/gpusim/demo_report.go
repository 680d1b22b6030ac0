// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/counters"
	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/table"
	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/verdict"
)

// mostIdle is how many pods are printed.
const mostIdle = 8

// reportDemo prints the account and fails if it isn't true.
func reportDemo(stdout io.Writer, o demoFlags, sim *simulation, truth []counters.Account, e exports) error {
	accounts := e.otlp.Accounts
	total := counters.Total(accounts)
	fmt.Fprintf(stdout, "%s\n\n%s%s\n%s\n",
		table.Headline(accounts, sim.span()),
		table.Explained(total, table.Price{}), table.Besides(total),
		table.MostIdle(accounts, mostIdle))
	if err := judge(stdout, truth, e); err != nil {
		return err
	}
	fmt.Fprintf(stdout, "\nWhere to look next:\n"+
		"  %-32sthe counters; in a terminal, until Ctrl-C\n"+
		"  examples/demo/README.md         how to read the tables\n"+
		"  examples/demo/collector.yaml    the configuration of the collector\n"+
		"  docs/ledger.md                  how each second is decided\n", o.counters)
	return nil
}

// judge holds both exports to the truth.
func judge(stdout io.Writer, truth []counters.Account, e exports) error {
	var wrong []error
	before := "" // the differences that were printed last
	for _, side := range []struct {
		name   string
		export counters.Export
	}{
		{"OTLP output", e.otlp},
		{"Prometheus endpoint", e.prometheus},
	} {
		v := verdict.Compare(truth, side.export)
		if err := v.Err(); err != nil {
			differences := table.Differences(v, shownDifferences, "")
			switch {
			case differences == "":
			case differences == before:
				fmt.Fprintf(stdout, "%s: the same differences.\n", side.name)
			default:
				fmt.Fprint(stdout, table.Differences(v, shownDifferences, side.name))
			}
			before = differences
			wrong = append(wrong, fmt.Errorf("%s: %w", side.name, err))
			continue
		}
		fmt.Fprintln(stdout, table.Checked(v, side.name))
	}
	if len(wrong) == 0 {
		nodes := "its node"
		if n := len(e.otlp.Errors); n != 1 {
			nodes = fmt.Sprintf("each of %d nodes", n)
		}
		fmt.Fprintf(stdout, "Ledger error 0 ns on %s: what the collector itself finds when it checks what it sends.\n", nodes)
	}
	return errors.Join(wrong...)
}
