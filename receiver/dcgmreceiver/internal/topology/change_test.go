// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package topology

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/engine"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/sample"
)

func names(c Change) string {
	var parts []string
	for _, group := range []struct {
		name    string
		devices []Device
	}{{"added", c.Added}, {"gone", c.Gone}, {"lost", c.Lost}, {"back", c.Back}} {
		for _, d := range group.devices {
			parts = append(parts, group.name+" "+d.UUID)
		}
	}
	return strings.Join(parts, ", ")
}

func TestDiff(t *testing.T) {
	base, _ := Build(world())
	for name, test := range map[string]struct {
		change func(*[]engine.GPU, *[]engine.Instance, map[sample.Entity]Facts)
		want   string
	}{
		"nothing": {func(*[]engine.GPU, *[]engine.Instance, map[sample.Entity]Facts) {}, ""},
		"a board more": {func(g *[]engine.GPU, _ *[]engine.Instance, f map[sample.Entity]Facts) {
			*g = append(*g, engine.GPU{ID: 2, Status: engine.OK})
			f[gpu(2)] = Facts{UUID: "GPU-c"}
		}, "added GPU-c"},
		"a board less": {func(g *[]engine.GPU, _ *[]engine.Instance, _ map[sample.Entity]Facts) { *g = (*g)[1:] }, "gone GPU-a"},
		"a lost board": {func(g *[]engine.GPU, _ *[]engine.Instance, _ map[sample.Entity]Facts) {
			(*g)[1].Status = engine.Lost
		}, "lost GPU-b, lost MIG-z, lost MIG-x, lost MIG-y"},
		"instances of other ids": {func(_ *[]engine.GPU, i *[]engine.Instance, f map[sample.Entity]Facts) {
			*i = (*i)[3:]
			f[ci(9)] = Facts{UUID: "MIG-new"}
		}, "added MIG-new, gone MIG-z, gone MIG-x, gone MIG-y"},
		"ids that moved": {func(_ *[]engine.GPU, _ *[]engine.Instance, f map[sample.Entity]Facts) {
			f[ci(7)], f[ci(8)] = f[ci(8)], f[ci(7)]
		}, "added MIG-y, added MIG-x, gone MIG-x, gone MIG-y"},
		"out of MIG mode": {func(_ *[]engine.GPU, i *[]engine.Instance, f map[sample.Entity]Facts) {
			*i = nil
			f[gpu(1)] = Facts{UUID: "GPU-b"}
		}, "added GPU-b, gone GPU-b, gone MIG-z, gone MIG-x, gone MIG-y"},
	} {
		gpus, instances, facts := world()
		test.change(&gpus, &instances, facts)
		now, _ := Build(gpus, instances, facts)
		c := Diff(base, now)
		if got := names(c); got != test.want {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
		// Each look back undoes it.
		if back := Diff(now, base); len(back.Added) != len(c.Gone) || len(back.Gone) != len(c.Added) || len(back.Back) != len(c.Lost) {
			t.Errorf("%s, undone: %q", name, names(back))
		}
	}
}

func TestSupportIsOfAnEntityAndAField(t *testing.T) {
	s := NewSupport()
	fields := []sample.Field{sample.Util, sample.PowerWatts}
	s.Learn(gpu(1), sample.Util, sample.NotSupported)
	s.Learn(gpu(1), sample.PowerWatts, sample.Blank) // not now
	if got := s.Served(gpu(1), fields); !slices.Equal(got, fields[1:]) {
		t.Errorf("got %v", got)
	}
	if got := s.Served(gpu(0), fields); !slices.Equal(got, fields) {
		t.Errorf("of another entity: %v", got)
	}
	s.Forget(gpu(1))
	if got := s.Served(gpu(1), fields); !slices.Equal(got, fields) {
		t.Errorf("of a new entity of that id: %v", got)
	}
}

// What a probe finds is served together, and nothing can be added to it.
func TestPropProbe(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fields := rapid.SliceOfNDistinct(rapid.Uint16Range(1001, 1012), 0, 8, rapid.ID[uint16]).Draw(t, "fields")
		broken := rapid.SliceOf(rapid.Uint16Range(1001, 1012)).Draw(t, "broken")
		together := rapid.IntRange(1, 8).Draw(t, "together") // more need several passes
		serves := func(fields []sample.Field) bool {
			return len(fields) <= together && !slices.ContainsFunc(fields, func(f sample.Field) bool { return slices.Contains(broken, uint16(f)) })
		}
		var asking []sample.Field
		for _, f := range fields {
			asking = append(asking, sample.Field(f))
		}
		s := NewSupport()
		got, err := s.Probe(gpu(0), asking, func(f []sample.Field) (bool, error) { return serves(f), nil })
		if err != nil || !serves(got) {
			t.Fatalf("%v isn't served (%v)", got, err)
		}
		for _, f := range asking {
			if !slices.Contains(got, f) && serves(append(slices.Clone(got), f)) {
				t.Fatalf("%v lacks %d", got, f)
			}
		}
		if again, _ := s.Probe(gpu(0), asking, func(f []sample.Field) (bool, error) { return serves(f), nil }); !slices.Equal(again, got) {
			t.Fatalf("asked again: %v, before %v", again, got)
		}
	})
}

func TestProbeEndsWithAnError(t *testing.T) {
	want := errors.New("gone")
	s := NewSupport()
	_, err := s.Probe(gpu(0), []sample.Field{1001}, func([]sample.Field) (bool, error) { return false, want })
	if !errors.Is(err, want) || len(s.Served(gpu(0), []sample.Field{1001})) != 1 {
		t.Errorf("got %v", err)
	}
}
