// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger_test

import (
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/internal/ledger"
)

// quietTime is longer than evidence is kept.
const quietTime = 9 * time.Minute

// TestPropOutputsAgain: outputs that come again are counted once, also after
// their streams were forgotten.
func TestPropOutputsAgain(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		f := drawFeatures(t)
		f.Sets, f.Host, f.Outputs = true, false, true
		f.Partitions = false // they would displace each other all the time
		s := drawScenarioWith(t, f)
		s.cfg.Workloads = rapid.Bool().Draw(t, "workloads")
		if *minimize && s.countedAgain() != "" {
			s = s.minimal(func(left scenario) bool { return left.countedAgain() != "" })
		}
		if diff := s.countedAgain(); diff != "" {
			t.Fatalf("(-once +again):\n%s%s", diff, s)
		}
	})
}

// countedAgain says where outputs grow if they come again after a quiet time.
func (s scenario) countedAgain() string {
	if len(s.events) == 0 {
		return ""
	}
	once, twice := ledger.New(s.cfg), ledger.New(s.cfg)
	observe := func(events []point) {
		for _, b := range batches(events, 10) {
			for _, l := range []*ledger.Ledger{once, twice} {
				l.Observe(b)
				due, _ := l.Due()
				l.Confirm(due)
			}
		}
	}
	end := wholeSecond(s.events[len(s.events)-1].at)
	observe(s.events)
	observe(s.quiet(end, quietTime))
	twice.Observe(gpu.Batch{Outputs: merge(s.events).Outputs})
	observe(s.quiet(end.Add(quietTime), time.Minute))
	once.Finish()
	twice.Finish()
	return gocmp.Diff(produced(slices.Values(once.Snapshot().Outputs)), produced(slices.Values(twice.Snapshot().Outputs)))
}

// quiet returns what follows after a time if all holders stay and do nothing.
func (s scenario) quiet(from gpu.Time, length time.Duration) (events []point) {
	now := s.last()
	for t := from.Add(10 * time.Second); t <= from.Add(length); t = t.Add(10 * time.Second) {
		e := point{t, gpu.Batch{
			Samples: slices.Clone(now.Samples), DeviceAllocations: slices.Clone(now.DeviceAllocations),
			Allocations: slices.Clone(now.Allocations), AllocationCounts: slices.Clone(now.AllocationCounts),
		}}
		for i := range e.Samples {
			e.Samples[i].Time = t
		}
		for i := range e.DeviceAllocations {
			e.DeviceAllocations[i].Time = t
		}
		for i := range e.Allocations {
			e.Allocations[i].Time = t
		}
		for i := range e.AllocationCounts {
			e.AllocationCounts[i].Time = t
		}
		events = append(events, e)
	}
	return events
}

// last returns a sample of each device, its newest label, and the newest set of
// each node.
func (s scenario) last() (now gpu.Batch) {
	samples, labels, counts := map[gpu.DeviceID]bool{}, map[gpu.DeviceID]bool{}, map[string]gpu.Time{}
	all := merge(s.events)
	for _, e := range s.events {
		if d, ok := e.sampled(); ok && !samples[d.ID] {
			samples[d.ID] = true
			now.Samples = append(now.Samples, gpu.Sample{Device: d, Source: gaugeSource})
		}
	}
	for _, a := range slices.Backward(all.DeviceAllocations) {
		if !labels[a.Device.ID] {
			labels[a.Device.ID] = true
			now.DeviceAllocations = append(now.DeviceAllocations, a)
		}
	}
	for _, c := range slices.Backward(all.AllocationCounts) {
		if _, newer := counts[c.Node]; !newer {
			counts[c.Node] = c.Time
			now.AllocationCounts = append(now.AllocationCounts, c)
		}
	}
	for _, a := range all.Allocations {
		if !a.Ended && counts[a.Node] == a.Time {
			now.Allocations = append(now.Allocations, a)
		}
	}
	return now
}
