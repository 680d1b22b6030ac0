// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package accuracy

import (
	"maps"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/scenario"
	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/truth"
	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/watch"
	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/world"
)

// Row is how wrong what is said of a scenario is, watched every Interval.
type Row struct {
	Scenario               string
	Interval               time.Duration
	Sums, Gauges, Exporter Errors
}

// Measure returns a row for each interval.
func Measure(s *scenario.Scenario, intervals ...time.Duration) []Row {
	w := s.World()
	happened := holders(w, watch.Ideal())
	rows := make([]Row, 0, len(intervals))
	for _, interval := range intervals {
		c := watch.Settings{Interval: interval, Sample: s.Collection.Sample, Scrape: s.Collection.Scrape}
		sums := holders(w, c)
		exported := Holders{}
		for _, n := range w.Nodes {
			maps.Copy(exported, Exporter(watch.New(w, n, c), interval)) // no pod is on two nodes
		}
		c.Gauges = true
		rows = append(rows, Row{
			Scenario: s.Name, Interval: interval,
			Sums: Worst(happened, sums), Gauges: Worst(happened, holders(w, c)), Exporter: Worst(happened, exported),
		})
	}
	return rows
}

// holders returns what a collector says that watches a world: by the rules of
// docs/ledger.md, to which its ledger is held to the nanosecond.
func holders(w *world.World, s watch.Settings) Holders {
	var accounts []truth.Account
	for _, n := range w.Nodes {
		accounts = append(accounts, truth.Accounts(watch.New(w, n, s), truth.DefaultRules())...)
	}
	return Of(accounts)
}
