// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"slices"
	"strconv"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/world"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// addMetrics gives a pod its application metrics. They can be scraped while
// its container runs and is loaded.
func (b *builder) addMetrics(s *podSpec, pod *world.Pod, devices []*deviceBuilder, l *life, o occurrence) {
	up := span(l.attempts[0].loaded, min(l.finished, b.end))
	for i := range s.Metrics {
		m := &s.Metrics[i]
		if empty(up) || m.First && !o.first {
			continue
		}
		kind, _ := gpu.ParseOutputKind(m.Kind)
		metric := world.Metric{
			Profile: gpu.OutputProfile{Metric: m.Name, Kind: kind, Unit: m.Unit, Window: m.Window},
			Join:    m.joinTo(pod, devices[0].device.ID), Span: up,
			Failing: joined(append(l.down(), after(l.created, m.Failing)...)),
		}
		parts := make([]world.Marks, len(l.attempts))
		for n := range l.attempts {
			parts[n] = b.marksOf(m, l, n, b.words(s, o), devices[0].device.Lost)
		}
		metric.Marks = chained(parts)
		pod.Metrics = append(pod.Metrics, metric)
	}
}

// down returns the times between the attempts, in which nobody answers.
func (l *life) down() (spans []world.Span) {
	for n, a := range l.attempts[1:] {
		spans = append(spans, span(l.attempts[n].end, min(a.loaded, a.end)))
	}
	return spans
}

func after(t gpu.Time, spans []spanSpec) (out []world.Span) {
	for _, s := range spans {
		out = append(out, span(t.Add(s.At), t.Add(s.At+s.For)))
	}
	return out
}

func (m *metricSpec) joinTo(pod *world.Pod, device gpu.DeviceID) (j gpu.Join) {
	switch m.Join {
	case "name":
		j.Namespace, j.Pod = pod.Namespace, pod.Pod
	case "ip":
		j.PodIP = pod.PodIP
	case "device":
		j.Device = device
	default:
		j.PodUID = pod.PodUID
	}
	if m.Group {
		j.Group = pod.Workload.Group
	}
	return j
}

// marksOf returns the changes of a metric in the nth attempt, nil if the
// attempt never gets that far.
func (b *builder) marksOf(m *metricSpec, l *life, n int, of seedWords, lost []world.Span) world.Marks {
	work := l.work(n, of, b.end)
	if empty(work.Span) {
		return nil
	}
	first := world.Mark{At: work.From, Start: l.attempts[n].began}
	if m.When != nil {
		return marksWhen(first, work.To, float64(m.Value), joined(after(l.created, m.When)))
	}
	activity := except(activityOf([]run{work}), joined(append(slices.Clone(lost), after(l.created, m.Flat)...)))
	if m.Kind != "output" {
		return marksWhile(first, work.To, m, activity)
	}
	return marksCount(first, work.To, m, activity)
}

// check says what is wrong with a metric.
func (m *metricSpec) check(group, path string) error {
	counts, shows := m.Rate > 0 || m.Every > 0, m.When != nil || m.WhileActive
	switch output := m.Kind == "output"; {
	case output && (m.Rate > 0) == (m.Every > 0):
		return mistake(path+".rate", m.Rate, "exactly one of rate and every, for a metric of kind output")
	case output && shows:
		return mistake(path+".kind", m.Kind, "demand or sleep, for a metric with when or while_active")
	case !output && (m.When != nil) == m.WhileActive:
		return mistake(path+".when", strconv.Itoa(len(m.When))+" entries", "exactly one of when and while_active, for a metric of kind %s", m.Kind)
	case !output && (counts || m.Flat != nil):
		return mistake(path+".kind", m.Kind, "output, for a metric with rate, every or flat")
	case m.Group && group == "":
		return mistake(path+".group", m.Group, "false, or a group in the pod's workload")
	}
	return nil
}

// chained walks marks one after another.
func chained(parts []world.Marks) world.Marks {
	parts = slices.DeleteFunc(parts, func(m world.Marks) bool { return m == nil })
	return func() func() (world.Mark, bool) {
		left := parts
		var walk func() (world.Mark, bool)
		return func() (world.Mark, bool) {
			for len(left) > 0 {
				if walk == nil {
					walk = left[0]()
				}
				if m, ok := walk(); ok {
					return m, true
				}
				walk, left = nil, left[1:]
			}
			return world.Mark{}, false
		}
	}
}
