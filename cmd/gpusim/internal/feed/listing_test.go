// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package feed

import (
	"fmt"
	"strings"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// listing writes what is delivered, a line for each point, with times in
// seconds of the world.
func listing(deliveries []Delivery) string {
	var out strings.Builder
	for _, d := range deliveries {
		fmt.Fprintf(&out, "%s\n", at(d.Real))
		for _, line := range lines(d.Batch) {
			fmt.Fprintf(&out, "  %s\n", line)
		}
	}
	return out.String()
}

func at(t gpu.Time) string {
	if t == gpu.NoTime {
		return "-"
	}
	return fmt.Sprintf("%g", t.Sub(start).Seconds())
}

func lines(b gpu.Batch) (lines []string) {
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	for _, s := range b.Samples {
		add("sample %s@%s %s %s %g", s.Device.ID, s.Device.Node, s.Source, at(s.Time), s.Value)
	}
	for _, c := range b.Counters {
		add("counter %s@%s %s %d %s..%s %s", c.Device.ID, c.Device.Node, c.Source, c.Part, at(c.Start), at(c.Time), time.Duration(c.Nanos))
	}
	for _, e := range b.SeriesEnds {
		add("end %s %s %s", e.Device.ID, e.Source, at(e.Time))
	}
	for _, p := range b.Processes {
		add("process %s %s pid %s %s %g", p.Device, p.Pod, p.PID, at(p.Time), p.Value)
	}
	for _, m := range b.Memory {
		add("memory %s %s %d", m.Device, at(m.Time), m.Bytes)
	}
	for _, s := range b.Statuses {
		add("status %s %s failed=%t", s.Device, at(s.Time), s.Failed)
	}
	for _, c := range b.PartitionCounts {
		add("instances %s %s %d over=%t", c.Board.ID, at(c.Time), c.Count, c.Ended)
	}
	return append(lines, setLines(b)...)
}

func setLines(b gpu.Batch) (lines []string) {
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	for _, a := range b.Allocations {
		add("allocation %s@%s/%s of %s %s %g %d/%d %s..%s ended=%t",
			a.Device, a.Node, a.Cluster, a.Holder.Key(), a.Sharing, a.Share, a.Slots.N, a.Slots.Of, at(a.Begin), at(a.Time), a.Ended)
	}
	for _, c := range b.AllocationCounts {
		add("allocations %s/%s %s %d", c.Node, c.Cluster, at(c.Time), c.Count)
	}
	for _, a := range b.Availability {
		add("available %s %s %t %s", a.Device, at(a.Time), a.Available, a.Reason)
	}
	for _, m := range b.Milestones {
		add("milestone %s %s %s %d %q %q %s", m.Pod, at(m.Time), m.Name, m.Attempt, m.Container, m.Source, at(m.At))
	}
	for _, o := range b.Outputs {
		add("output %s of %s {%s} %s..%s %g ended=%t",
			o.Profile.Metric, o.Join.PodUID, o.Series, at(o.Start), at(o.Time), o.Value, o.Ended)
	}
	return lines
}
