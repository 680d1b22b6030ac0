// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"slices"
	"strings"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/sample"
)

// Use says what is made of the samples of a field.
type Use uint8

// The uses.
const (
	Newest   Use = iota // its newest value
	Growth              // by how much a counter grew since the series began
	Integral            // the integral of a rate per second
	Events              // each sample is one
	Activity            // what package activity makes of it
)

var useNames = [...]string{"newest value", "growth", "integral", "count of samples", "sum of all samples"}

func (u Use) String() string { return useNames[u] }

// Source is a field that a series can come from.
type Source struct {
	Field sample.Field
	Use   Use
}

// Attribute is one of a point.
type Attribute struct{ Key, Value string }

// Row is a series of a device. Of its sources, best first, one tells at a time.
type Row struct {
	Metric     string
	Attributes []Attribute
	Sources    []Source
	Elsewhere  bool // told as part of the ledger's contract, not as a reading
}

// Rows returns the table. It isn't to be changed.
func Rows() []Row { return rows }

// Fields returns the fields that the metrics need that are wanted, in ascending
// order.
func Fields(wanted func(metric string) bool) []sample.Field {
	var fields []sample.Field
	for i := range rows {
		if !wanted(rows[i].Metric) {
			continue
		}
		for _, s := range rows[i].Sources {
			fields = append(fields, s.Field)
		}
	}
	slices.Sort(fields)
	return slices.Compact(fields)
}

// Needed reports whether the fields of a metric are read also if nobody wants
// it: gpu.activity.time and gpu.observed.time are of the same.
func Needed(metric string) bool { return metric == "gpu.activity" }

// All returns the fields of all metrics.
func All() []sample.Field { return Fields(func(string) bool { return true }) }

// OfParts reports whether a field is read of the parts of a board instead, if
// it is in MIG mode.
func OfParts(f sample.Field) bool {
	return 1001 <= f && f <= 1008 || 1084 <= f && f <= 1096 && !ofLink(f) || f == sample.Util
}

func ofLink(f sample.Field) bool { return f == sample.PCIeSent || f == sample.PCIeReceived }

// Key names a row: its metric and attributes.
func (r *Row) Key() string {
	var b strings.Builder
	b.WriteString(r.Metric)
	for i, a := range r.Attributes {
		b.WriteString([]string{"{", ", "}[min(i, 1)] + a.Key + "=" + a.Value)
	}
	if len(r.Attributes) > 0 {
		b.WriteByte('}')
	}
	return b.String()
}
