// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"slices"
	"testing"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpupdata"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/activity"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/sample"
)

// Each row can be told, and can be read.
func TestRows(t *testing.T) {
	seen := map[string]bool{}
	for i := range Rows() {
		r := &Rows()[i]
		if seen[r.Key()] {
			t.Errorf("%s is there twice", r.Key())
		}
		seen[r.Key()] = true
		if !r.Elsewhere && !gpupdata.Readable(r.Metric) {
			t.Errorf("%s can't be written", r.Metric)
		}
		for _, s := range r.Sources {
			spec, ok := sample.SpecOf(s.Field)
			if !ok {
				t.Errorf("%s: nobody knows how to read %d", r.Key(), s.Field)
			}
			if s.Use == Growth && spec.Type != sample.Integer || s.Use == Integral && spec.Type != sample.Double {
				t.Errorf("%s: the %v of %d, which has another type", r.Key(), s.Use, s.Field)
			}
			if s.Use == Activity && !activity.Measures(s.Field) {
				t.Errorf("%s: nobody measures activity by %d", r.Key(), s.Field)
			}
		}
	}
}

// What measures activity is read of the parts of a board in MIG mode; what is
// the board's only stays the board's.
func TestOfParts(t *testing.T) {
	for _, f := range All() {
		if activity.Measures(f) && !OfParts(f) {
			t.Errorf("%d is read of a board in MIG mode", f)
		}
	}
	for _, f := range []sample.Field{sample.PowerWatts, sample.PCIeSent, sample.PCIeSentRate, sample.NVLinkSentRate, sample.MemoryUsed} {
		if OfParts(f) {
			t.Errorf("%d isn't read of a board in MIG mode", f)
		}
	}
}

// A metric that nobody wants isn't read, unless another one needs its fields.
func TestFields(t *testing.T) {
	fields := Fields(func(metric string) bool { return metric == "hw.energy" })
	if want := []sample.Field{sample.PowerWatts, sample.EnergyMillijoules}; !slices.Equal(fields, want) {
		t.Errorf("got %v, want %v", fields, want)
	}
	// A field group of DCGM holds 127.
	if n := len(All()); n > 127 {
		t.Errorf("%d fields", n)
	}
}
