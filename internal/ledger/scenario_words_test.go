// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger_test

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// --- Batches -----------------------------------------------------------------

// merge returns all points in one batch.
func merge(events []point) gpu.Batch {
	var all gpu.Batch
	for _, e := range events {
		all.Samples = append(all.Samples, e.Samples...)
		all.Counters = append(all.Counters, e.Counters...)
		all.SeriesEnds = append(all.SeriesEnds, e.SeriesEnds...)
		all.Processes = append(all.Processes, e.Processes...)
		all.Memory = append(all.Memory, e.Memory...)
		all.Availability = append(all.Availability, e.Availability...)
		all.Statuses = append(all.Statuses, e.Statuses...)
		all.Allocations = append(all.Allocations, e.Allocations...)
		all.AllocationCounts = append(all.AllocationCounts, e.AllocationCounts...)
		all.PartitionCounts = append(all.PartitionCounts, e.PartitionCounts...)
		all.DeviceAllocations = append(all.DeviceAllocations, e.DeviceAllocations...)
		all.Milestones = append(all.Milestones, e.Milestones...)
		all.Outputs = append(all.Outputs, e.Outputs...)
	}
	return all
}

// batches groups events, which are in order of time, into batches: each ends
// at a multiple of the seconds.
func batches(events []point, seconds int) []gpu.Batch {
	var out []gpu.Batch
	for _, b := range inBatches(events, seconds) {
		out = append(out, merge(b))
	}
	return out
}

func inBatches(events []point, seconds int) [][]point {
	var out [][]point
	length := gpu.Time(seconds) * gpu.Time(time.Second)
	for len(events) > 0 {
		end := (events[0].at/length + 1) * length
		n := slices.IndexFunc(events, func(e point) bool { return e.at >= end })
		if n < 0 {
			n = len(events)
		}
		out = append(out, events[:n])
		events = events[n:]
	}
	return out
}

// --- Words -------------------------------------------------------------------

// String lists the points of a scenario, times as seconds.
func (s scenario) String() string {
	var b strings.Builder
	for _, e := range s.events {
		fmt.Fprintf(&b, "%s %s\n", stamp(e.at), words(e.Batch))
	}
	return b.String()
}

func stamp(t gpu.Time) string {
	if t == gpu.NoTime {
		return "-"
	}
	return fmt.Sprintf("%g", t.Sub(base).Seconds())
}

func words(b gpu.Batch) string {
	var w []string
	say := func(format string, args ...any) { w = append(w, fmt.Sprintf(format, args...)) }
	for _, s := range b.Samples {
		say("gauge %s %s=%g", deviceWords(s.Device), s.Engine, s.Value)
	}
	for _, c := range b.Counters {
		say("sum %s part %d = %d ns since %s", deviceWords(c.Device), c.Part, c.Nanos, stamp(c.Start))
	}
	for _, e := range b.SeriesEnds {
		say("end %s %s", e.Device.ID, e.Source)
	}
	for _, p := range b.Processes {
		say("process %s of %q on %s = %g", p.PID, p.Pod, p.Device, p.Value)
	}
	for _, m := range b.Memory {
		say("memory %s %d", m.Device, m.Bytes)
	}
	for _, a := range b.Availability {
		say("available %s %t %s", a.Device, a.Available, a.Reason)
	}
	for _, s := range b.Statuses {
		say("failed %s %t", s.Device, s.Failed)
	}
	for _, a := range b.Allocations {
		say("allocation %s %s begin %s ended %t %s", idOf(gpu.Device{ID: a.Device, Ref: a.Ref, Node: a.Node}),
			holderWords(a.Holder), stamp(a.Begin), a.Ended, shareWords(a))
	}
	for _, c := range b.AllocationCounts {
		say("set %s of %d", c.Node, c.Count)
	}
	for _, c := range b.PartitionCounts {
		say("partitions of %s = %d ended %t", c.Board.ID, c.Count, c.Ended)
	}
	for _, a := range b.DeviceAllocations {
		say("label %s slot %q %s", a.Device.ID, a.Slot, holderWords(a.Holder))
	}
	for _, m := range b.Milestones {
		say("milestone %s %s %q of attempt %d in %q at %s", m.Pod, m.Name, m.Source, m.Attempt, m.Container, stamp(m.At))
	}
	for _, o := range b.Outputs {
		say("%s %s %s %v = %g since %s ended %t (window %s)",
			o.Profile.Kind, o.Profile.Metric, o.Series, o.Join, o.Value, stamp(o.Start), o.Ended, o.Profile.Window)
	}
	return strings.Join(w, "; ")
}

func deviceWords(d gpu.Device) string {
	if d.Parent == "" {
		return string(d.ID)
	}
	return fmt.Sprintf("%s (%d of %d of %s)", d.ID, d.Slices.N, d.Slices.Of, d.Parent)
}

func holderWords(h gpu.Holder) string {
	return strings.TrimRight(fmt.Sprintf("%s/%s %s %s", h.Key(), h.Container, h.Workload.Class, h.Workload.Group), " /")
}

func shareWords(a gpu.Allocation) string {
	return fmt.Sprintf("%s %g (%d of %d)", a.Sharing, a.Share, a.Slots.N, a.Slots.Of)
}
