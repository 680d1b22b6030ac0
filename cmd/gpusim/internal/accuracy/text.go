// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package accuracy

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// SumsMark is what a figure from sums may be off.
const SumsMark = 0.00001

// GaugesMark returns what a figure from gauges may be off.
func GaugesMark(interval time.Duration) float64 {
	switch {
	case interval <= time.Second:
		return 0.005
	case interval <= 10*time.Second:
		return 0.02
	default:
		return 0.05
	}
}

// Misses names the figures of a row that are beyond their marks, as
// "sums: active".
func (r Row) Misses() (misses []string) {
	for _, of := range []struct {
		name   string
		errors Errors
		mark   float64
	}{{"sums", r.Sums, SumsMark}, {"gauges", r.Gauges, GaugesMark(r.Interval)}} {
		for _, f := range of.errors.named() {
			if f.error > of.mark {
				misses = append(misses, of.name+": "+f.name)
			}
		}
	}
	return misses
}

type named struct {
	name  string
	error float64
}

func (e Errors) named() []named {
	return []named{{"allocated", e.Allocated}, {"active", e.Active}, {"productive", e.Productive}, {"idle by reason", e.IdleBy}}
}

// Beyond lists, in Markdown, the figures that are beyond their marks, by
// scenario, with the intervals at which they are, and why.
func Beyond(rows []Row) string {
	var b strings.Builder
	b.WriteString("| scenario | beyond the mark | at | why |\n|---|---|---|---|\n")
	for len(rows) > 0 {
		of := rows[0].Scenario
		var order []string
		at := map[string][]string{}
		for ; len(rows) > 0 && rows[0].Scenario == of; rows = rows[1:] {
			for _, miss := range rows[0].Misses() {
				if len(at[miss]) == 0 {
					order = append(order, miss)
				}
				at[miss] = append(at[miss], rows[0].Interval.String())
			}
		}
		for _, miss := range order {
			fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", of, miss, strings.Join(at[miss], ", "), why(of, miss))
		}
	}
	return b.String()
}

// Table returns the rows of one interval as a table in Markdown.
func Table(rows []Row) string {
	var b strings.Builder
	b.WriteString("| scenario | allocated | active | productive | idle by reason |\n|---|---|---|---|---|\n")
	for _, r := range rows {
		b.WriteString(r.String() + "\n")
	}
	return b.String()
}

// String returns the row of a table: each cell has sums, gauges, dcgm-exporter.
func (r Row) String() string {
	s, g, e := r.Sums, r.Gauges, r.Exporter
	cell := func(sums, gauges float64, exporter string) string {
		return percent(sums) + " · " + percent(gauges) + " · " + exporter
	}
	return fmt.Sprintf("| %s | %s | %s | %s | %s |", r.Scenario,
		cell(s.Allocated, g.Allocated, percent(e.Allocated)), cell(s.Active, g.Active, percent(e.Active)),
		cell(s.Productive, g.Productive, "–"), cell(s.IdleBy, g.IdleBy, "("+percent(e.Idle)+")"))
}

// percent prints a share with two figures, but never as 0 what isn't 0.
func percent(share float64) string {
	switch p := share * 100; {
	case p == 0:
		return "0"
	case p < 0.0001:
		return "<0.0001"
	case p < 10:
		return strconv.FormatFloat(p, 'g', 2, 64)
	default:
		return strconv.FormatFloat(p, 'f', 0, 64)
	}
}
