// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package truth_test

import (
	"fmt"
	"strings"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/world"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

func rel(t gpu.Time) string { return fmt.Sprintf("%.9f", float64(t-begin)/1e9) }

func spans(all ...world.Span) string {
	var out []string
	for _, s := range all {
		out = append(out, "("+rel(s.From)+","+rel(s.To)+"]")
	}
	return strings.Join(out, " ")
}

// show describes a world, with times in seconds.
func show(w *world.World) string {
	var b strings.Builder
	p := func(f string, a ...any) { fmt.Fprintf(&b, f+"\n", a...) }
	p("end %s", rel(w.End))
	for _, n := range w.Nodes {
		p("node %s outages:", n.Name)
		for _, o := range n.Outages {
			p("  %s %s", o.Part, spans(o.Span))
		}
		for _, c := range n.Clock {
			p("  clock %s %d", rel(c.At), c.By)
		}
		for _, d := range n.Devices {
			p(" device %s parent %q %v life %s lost %s closed %d mem %d", d.ID, d.Parent, d.Slices, spans(d.Life), spans(d.Lost...), len(d.Closed), len(d.Memory))
			for walk, ok := d.Activity.Walk(), true; ok; {
				var s world.Step
				if s, ok = walk(); ok {
					p("   until %s: %d", rel(s.Until), s.Level)
				}
			}
		}
		for _, o := range n.Pods {
			p(" pod %s group %q class %v processes %v", o.PodUID, o.Workload.Group, o.Workload.Class, o.Processes)
			for _, h := range o.Holds {
				p("   holds %s %s %s %v unseen %v", h.Device, spans(h.Span), h.Sharing, h.Slots, h.Unseen)
			}
			for _, m := range o.Milestones {
				p("   %s #%d %s %s at %s", m.Name, m.Attempt, m.Container, m.Source, rel(m.At))
			}
			for _, m := range o.Metrics {
				p("   metric %s %v window %v join %v %s failing %s", m.Profile.Metric, m.Profile.Kind, m.Profile.Window, m.Join, spans(m.Span), spans(m.Failing...))
				next := m.Marks()
				for k, ok := next(); ok; k, ok = next() {
					p("      %s start %s = %v", rel(k.At), rel(k.Start), k.Value)
				}
			}
		}
	}
	return b.String()
}
