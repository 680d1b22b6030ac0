// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package watch

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/world"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

const start = 1_800_000_000 * gpu.Time(time.Second)

// sec returns second s of the world.
func sec(s float64) gpu.Time { return start + gpu.Time(s*1000)*gpu.Time(time.Millisecond) }

func span(from, to float64) world.Span { return world.Span{From: sec(from), To: sec(to)} }

// watched is a minute of a node with one device, busy at a half.
func watched(s Settings, change func(*world.Node)) (*Node, *world.Device) {
	d := &world.Device{
		Device: gpu.Device{ID: "GPU-a"}, Life: span(0, 60),
		Activity: world.Steps(world.Step{Until: sec(60), Level: 500}),
	}
	n := &world.Node{Name: "n", Devices: []*world.Device{d}}
	change(n)
	return New(&world.World{Start: start, End: sec(60), Nodes: []*world.Node{n}}, n, s), d
}

var every10 = Settings{Interval: 10 * time.Second, Sample: time.Second, Scrape: 10 * time.Second}

func pointsOf(n *Node, d *world.Device) (points []Point) {
	next := n.Points(d)
	for p, ok := next(); ok; p, ok = next() {
		points = append(points, p)
	}
	return points
}

func TestTicks(t *testing.T) {
	n, _ := watched(every10, func(n *world.Node) {
		n.Outages = []world.Outage{{Span: span(20, 40), Part: world.Collector}}
		n.Clock = []world.ClockStep{{At: sec(45), By: -2e9}, {At: sec(55), By: 1e9}}
	})
	assert.Equal(t, Tick{sec(0), sec(0)}, n.Ticks[0])
	assert.Equal(t, Tick{sec(60), sec(59)}, n.Ticks[len(n.Ticks)-1])
	for _, tick := range n.Ticks[:len(n.Ticks)-1] {
		assert.False(t, span(20, 40).Has(tick.Real))
	}
}

// The sums of an engine that was away begin when it is back, and what was
// sampled while it was away is not read afterwards.
func TestPointsAfterAnOutage(t *testing.T) {
	n, d := watched(every10, func(n *world.Node) {
		n.Outages = []world.Outage{{Span: span(15.2, 29.9), Part: world.Engine}}
	})
	for _, p := range pointsOf(n, d) {
		assert.False(t, span(15.2, 29.9).Has(p.Time))
		if p.Time > sec(29.9) {
			assert.Equal(t, sec(29.9), p.Start)
		} else {
			assert.Equal(t, sec(0), p.Start)
		}
		assert.Equal(t, int64(p.Time-p.Start), p.Observed)
		assert.Equal(t, p.Observed/2, p.Active)
	}
}

func TestPointsOfALostDevice(t *testing.T) {
	n, d := watched(every10, func(n *world.Node) { n.Devices[0].Lost = []world.Span{span(5, 35)} })
	points := pointsOf(n, d)
	last := points[len(points)-1]
	assert.Equal(t, int64(30*time.Second), last.Observed)
	assert.Equal(t, int64(15*time.Second), last.Active)
	for _, p := range points {
		assert.False(t, span(5, 35).Has(p.Time))
	}
}

// An ideal observer has a point wherever the activity changes.
func TestIdealPoints(t *testing.T) {
	n, d := watched(Ideal(), func(n *world.Node) {
		n.Devices[0].Activity = world.Steps(world.Step{Until: sec(7), Level: 0}, world.Step{Until: sec(7.02), Level: world.Full})
	})
	active := map[gpu.Time]int64{}
	for _, p := range pointsOf(n, d) {
		active[p.Time] = p.Active
	}
	assert.Contains(t, active, sec(7))
	assert.Zero(t, active[sec(7)])
	assert.Equal(t, int64(20*time.Millisecond), active[sec(7.02)])
	assert.Equal(t, int64(20*time.Millisecond), active[sec(60)])
}

func TestProcesses(t *testing.T) {
	p := &world.Pod{Processes: true, Holds: []world.Hold{{
		Span: span(0, 60), Device: "GPU-a", Activity: world.Steps(world.Step{Until: sec(60), Level: 250}),
	}}}
	n, d := watched(every10, func(n *world.Node) { n.Pods = []*world.Pod{p} })
	points := pointsOf(n, d)
	assert.Empty(t, points[0].Processes, "no time has passed")
	assert.Equal(t, []Process{{p, 0.25}}, points[2].Processes)
}

func TestKnown(t *testing.T) {
	n, _ := watched(every10, func(n *world.Node) {
		n.Outages = []world.Outage{{Span: span(35, 45), Part: world.Kubernetes}}
		n.Clock = []world.ClockStep{{At: sec(1), By: 1e9}}
	})
	dated := &world.Hold{Span: span(5, 25)}
	known, ok := n.Known(dated)
	assert.True(t, ok && n.Dated(dated))
	assert.Equal(t, span(6, 26), known, "by the node's clock")

	unseen := &world.Hold{Span: span(5, 25), Unseen: true}
	known, ok = n.Known(unseen)
	assert.True(t, ok && !n.Dated(unseen))
	assert.Equal(t, sec(6), known.From)
	assert.True(t, known.To > sec(11) && known.To <= sec(26))

	assert.False(t, n.Dated(&world.Hold{Span: span(5, 40)}), "nobody watched")
	_, ok = n.Known(&world.Hold{Span: span(36, 37)})
	assert.False(t, ok)
	last := n.Tells(&world.Hold{Span: span(5, 70)})
	assert.Equal(t, len(n.Ticks), last)
	assert.True(t, n.HasSet(n.Ticks[n.Tells(&world.Hold{Span: span(5, 40)})]))
}

func TestScrapes(t *testing.T) {
	marks := func() func() (world.Mark, bool) {
		i := 0
		return func() (world.Mark, bool) {
			i++
			return world.Mark{At: sec(float64(i)), Start: sec(0), Value: float64(i)}, i <= 60
		}
	}
	m := world.Metric{Span: span(0, 40), Failing: []world.Span{span(12, 25)}, Marks: marks}
	p := &world.Pod{Metrics: []world.Metric{m}}
	n, _ := watched(every10, func(n *world.Node) { n.Pods = []*world.Pod{p} })
	scrapes := n.Scrapes(p, &m)
	for i, s := range scrapes {
		assert.False(t, span(12, 25).Has(s.Time))
		assert.Equal(t, i == len(scrapes)-1, s.Ended)
		assert.GreaterOrEqual(t, n.Ticks[s.Tick].Real, s.Time)
		if !s.Ended {
			assert.InDelta(t, s.Time.Sub(sec(0)).Seconds(), s.Value, 1)
			assert.LessOrEqual(t, s.Time, sec(40))
		}
	}
}
