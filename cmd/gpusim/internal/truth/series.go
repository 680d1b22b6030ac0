// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package truth

import (
	"cmp"
	"slices"
	"sort"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/watch"
	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/world"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// series is what is told of one application metric.
type series struct {
	profile gpu.OutputProfile
	join    gpu.Join
	points  []watch.Scrape // by time
}

func (n *node) seriesOf(p *pod) (all []*series) {
	for i := range p.Metrics {
		if s := newSeries(n.Node, p.Pod, &p.Metrics[i]); len(s.points) > 0 {
			all = append(all, s)
		}
	}
	return all
}

// groupSeriesOf returns the metrics of another node that name a group which n
// has a pod of.
func (n *node) groupSeriesOf(other *watch.Node) (all []*series) {
	for _, p := range other.Pods {
		for i := range p.Metrics {
			m := &p.Metrics[i]
			if m.Join.Group == "" || !n.hasGroup(m.Join.Group) {
				continue
			}
			if s := newSeries(other, p, m); len(s.points) > 0 {
				all = append(all, s)
			}
		}
	}
	return all
}

func (n *node) hasGroup(name string) bool {
	return slices.ContainsFunc(n.pods, func(p *pod) bool { return p.Workload.Group == name })
}

func newSeries(n *watch.Node, p *world.Pod, m *world.Metric) *series {
	s := &series{profile: m.Profile, join: m.Join, points: n.Scrapes(p, m)}
	// What no collection tells isn't known; the end of a counter isn't a value.
	s.points = slices.DeleteFunc(s.points, func(p watch.Scrape) bool {
		return p.Tick >= len(n.Ticks) || p.Ended && s.profile.Kind == gpu.OutputCounter
	})
	slices.SortStableFunc(s.points, func(a, b watch.Scrape) int { return cmp.Compare(a.Time, b.Time) })
	return s
}

// after returns the index of the first point later than t.
func (s *series) after(t gpu.Time) int {
	return sort.Search(len(s.points), func(i int) bool { return s.points[i].Time > t })
}

// rise returns by how much a counter rose at its i-th point.
func (s *series) rise(i int) float64 {
	p, q := s.points[i-1], s.points[i]
	if q.Value < p.Value || q.Start != p.Start && q.Start >= p.Time && q.Start != q.Time {
		return q.Value
	}
	return q.Value - p.Value
}

// eachMark calls f for the points in (from, to] that show whether the counter
// rose, until f returns false.
func (s *series) eachMark(from, to gpu.Time, f func(t gpu.Time, rose bool) bool) {
	for i := max(s.after(from), 1); i < len(s.points) && s.points[i].Time <= to; i++ {
		if !f(s.points[i].Time, s.rise(i) > 0) {
			return
		}
	}
}

// rose reports whether the counter is told to have risen in (from, to].
func (s *series) rose(from, to gpu.Time) (rose bool) {
	if s.profile.Kind != gpu.OutputCounter {
		return false
	}
	s.eachMark(from, to, func(_ gpu.Time, r bool) bool { rose = rose || r; return !rose })
	return rose
}

// above reports whether a gauge was above 0 at t.
func (s *series) above(t gpu.Time, maxGap time.Duration) bool {
	i := s.after(t) - 1
	return i >= 0 && !s.points[i].Ended && s.points[i].Value > 0 && t.Sub(s.points[i].Time) <= maxGap
}

// proven says what the activity of a pod is in a piece that begins at t, in
// which nothing changes, as known at k.
func proven(of []*series, group string, t, k gpu.Time, maxGap time.Duration) gpu.Condition {
	scraped, flat, productive := false, false, false
	for _, s := range of {
		if s.profile.Kind != gpu.OutputCounter || s.after(k) == 0 {
			continue
		}
		scraped = true
		s.eachMark(t, k, func(at gpu.Time, rose bool) bool {
			flat = flat || at.Add(-maxGap) <= t
			productive = productive || rose && at.Add(-s.profile.Window) <= t
			return !productive && at.Add(-max(maxGap, s.profile.Window)) <= t
		})
	}
	switch {
	case productive:
		return gpu.Condition{State: gpu.Productive}
	case flat:
		return gpu.Condition{State: gpu.Unproven, Reason: gpu.ReasonOutputFlat}
	case scraped:
		return gpu.Condition{State: gpu.Unproven, Reason: gpu.ReasonNotScraped}
	case group != "":
		return gpu.Condition{State: gpu.Unproven, Reason: gpu.ReasonGroupUnknown}
	default:
		return gpu.Condition{State: gpu.Unproven, Reason: gpu.ReasonNoAppMetric}
	}
}
