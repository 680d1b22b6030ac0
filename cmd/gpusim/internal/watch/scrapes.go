// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package watch

import (
	"slices"
	"sort"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/world"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// Scrape is a point of an application metric, with told times.
type Scrape struct {
	Tick        int // the collection with which it arrives
	Time, Start gpu.Time
	Value       float64
	Ended       bool // the target is gone; Value is void
}

// Scrapes returns the points of an application metric, in order of time. The
// scrape of a target is the first of its name.
func (n *Node) Scrapes(pod *world.Pod, m *world.Metric) []Scrape {
	s := scraper{node: n, next: m.Marks()}
	s.mark, s.more = s.next()
	for _, t := range n.scrapeTimes(pod, m) {
		if t > m.To {
			s.end(t)
			break
		}
		if t > m.From && !world.Within(m.Failing, t) {
			s.scrape(t)
		}
	}
	return s.scrapes
}

type scraper struct {
	node    *Node
	next    func() (world.Mark, bool)
	mark    world.Mark // the next that wasn't passed
	more    bool
	current world.Mark // the newest that was
	any     bool
	scrapes []Scrape
}

func (s *scraper) scrape(t gpu.Time) {
	for s.more && s.mark.At <= t {
		s.current, s.any = s.mark, true
		s.mark, s.more = s.next()
	}
	if s.any {
		s.add(Scrape{Time: t, Start: s.current.Start, Value: s.current.Value})
	}
}

func (s *scraper) end(t gpu.Time) {
	if s.any {
		s.add(Scrape{Time: t, Start: s.current.Start, Ended: true})
	}
}

func (s *scraper) add(p Scrape) {
	n := s.node
	p.Tick = sort.Search(len(n.Ticks), func(i int) bool { return n.Ticks[i].Real >= p.Time })
	p.Time, p.Start = n.Told(p.Time), n.Told(p.Start)
	s.scrapes = append(s.scrapes, p)
}

// scrapeTimes returns the real times at which a metric is scraped while the
// collector runs.
func (n *Node) scrapeTimes(pod *world.Pod, m *world.Metric) []gpu.Time {
	var times []gpu.Time
	for _, t := range n.scrapeGrid(pod, m) {
		if !n.away(world.Collector, t) {
			times = append(times, t)
		}
	}
	return times
}

func (n *Node) scrapeGrid(pod *world.Pod, m *world.Metric) []gpu.Time {
	grid := append(n.every(n.Settings.Scrape, pod.Key()), n.end)
	if !n.Settings.Ideal {
		return grid
	}
	next := m.Marks()
	for mark, ok := next(); ok; mark, ok = next() {
		if mark.At > n.start && mark.At < n.end {
			grid = append(grid, mark.At)
		}
	}
	slices.Sort(grid)
	return grid
}
