// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger_test

import (
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// TestPropDepth: another engine's integral is what the oracle makes of a device
// that had these samples.
func TestPropDepth(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		f := drawFeatures(t)
		f.Both, f.Conflicts = false, false
		s := drawScenarioWith(t, f)
		if *minimize && s.diffOfDepth(t) != "" {
			s = s.minimal(func(s scenario) bool { return s.diffOfDepth(t) != "" })
		}
		if diff := s.diffOfDepth(t); diff != "" {
			t.Fatalf("(-want +got):\n%s%s", diff, s)
		}
	})
}

// diffOfDepth says where the depth of the oracle and the ledger differ.
func (s scenario) diffOfDepth(t *rapid.T) string {
	deep := s.withDepth()
	want := totals{}
	oracle := newOracle(s.cfg, merge(s.events))
	oracle.deep = true
	for key, depth := range oracle.run(true).Depth {
		want.add(who{device: key.Device, holder: key.Holder}, "depth", depth)
	}
	got := totals{}
	for _, a := range deep.observe(batches(deep.events, 10), true).Accounts {
		for _, d := range a.Depth {
			if d.Engine != gpu.EngineTensor {
				t.Fatalf("depth of %s", d.Engine)
			}
			got.add(who{device: idOf(a.Device), holder: holderOf(a)}, "depth", d.Nanos)
		}
	}
	return gocmp.Diff(want, got)
}

// withDepth returns the scenario with what its samples say said of the tensor
// engine; the engine itself is always idle.
func (s scenario) withDepth() scenario {
	var events []point
	for _, e := range s.events {
		deep := point{at: e.at}
		for _, g := range e.Samples {
			g.Engine = gpu.EngineTensor
			deep.Samples = append(deep.Samples, g)
			e.Samples = slices.Clone(e.Samples)
			e.Samples[0].Value = 0
		}
		for _, c := range e.Counters {
			c.Engine = gpu.EngineTensor
			deep.Counters = append(deep.Counters, c)
			if c.Part == gpu.ActivityPart {
				e.Counters = slices.Clone(e.Counters)
				e.Counters[0].Nanos = 0
			}
		}
		events = append(events, e)
		if len(deep.Samples)+len(deep.Counters) > 0 {
			events = append(events, deep)
		}
	}
	return scenario{s.cfg, events}
}
