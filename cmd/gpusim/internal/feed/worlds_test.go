// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package feed

import (
	"math"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/watch"
	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/world"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

const start = 1_800_000_000 * gpu.Time(time.Second)

// sec returns second s of a world.
func sec(s float64) gpu.Time { return start.Add(time.Duration(math.Round(s*1e6)) * time.Microsecond) }

func span(from, to float64) world.Span { return world.Span{From: sec(from), To: sec(to)} }

// all are the deliveries of a walk.
func all(w Walk) (deliveries []Delivery) {
	for d, ok := w(); ok; d, ok = w() {
		deliveries = append(deliveries, d)
	}
	return deliveries
}

var collector = Collector{MaxGap: 90 * time.Second, Settle: 15 * time.Second}

// every returns settings for collections that are so far apart.
func every(interval time.Duration) watch.Settings {
	return watch.Settings{Interval: interval, Sample: time.Second, Scrape: interval}
}

// worldOf returns a world of n seconds.
func worldOf(n float64, nodes ...*world.Node) *world.World {
	return &world.World{Start: start, End: sec(n), Nodes: nodes}
}

// plain returns a device that is there all the time.
func plain(id gpu.DeviceID, seconds float64, a world.Activity) *world.Device {
	return &world.Device{Device: gpu.Device{ID: id, Model: "H100"}, Life: span(0, seconds), Activity: a}
}

// instance returns an instance of board GPU-b of n of 7 slices.
func instance(id gpu.DeviceID, n int, life world.Span, a world.Activity) *world.Device {
	of := gpu.Device{ID: id, Parent: "GPU-b", Slices: gpu.Slices{N: n, Of: 7}, Model: "H100"}
	return &world.Device{Device: of, Life: life, Activity: a}
}

// holds returns a pod that holds devices exclusively.
func holds(name string, s world.Span, ids ...gpu.DeviceID) *world.Pod {
	p := &world.Pod{Holder: gpu.Holder{Namespace: "ns", Pod: name, PodUID: "uid-" + name, Container: "main"}}
	for _, id := range ids {
		h := world.Hold{Span: s, Device: id, Sharing: gpu.Exclusive}
		if id[:4] == "MIG-" {
			h.Sharing = gpu.MIG
		}
		p.Holds = append(p.Holds, h)
	}
	return p
}

// busy is an activity at a level in a span.
func busy(from, to float64, level world.Level) world.Activity {
	return world.Steps(world.Step{Until: sec(from)}, world.Step{Until: sec(to), Level: level})
}

// eventful is a world of 300 s in which everything happens that can.
func eventful() *world.World {
	a := plain("GPU-a", 300, busy(35, 200, 500))
	a.Memory = []world.Memory{{From: sec(20), Bytes: 1 << 30}}
	a.Closed = []world.Closed{{Span: span(200, 250), Reason: gpu.ReasonTaint}}
	s := plain("GPU-s", 300, busy(0, 300, 700))
	s.Lost = []world.Span{span(80, 125)}
	pod := holds("a", span(12.5, 190), "GPU-a")
	pod.Milestones = []world.Milestone{
		{Name: gpu.Scheduled, At: sec(12)},
		{Name: gpu.ContainerStarted, Container: "main", At: sec(20)},
		{Name: gpu.Ready, Source: gpu.SourceProbe, At: sec(40)},
		{Name: gpu.DeletionRequested, At: sec(170)},
	}
	pod.Metrics = []world.Metric{tokens(pod, span(40, 190))}
	left, right := holds("left", span(0, 300), "GPU-s"), holds("right", span(60, 400), "GPU-s")
	for i, p := range []*world.Pod{left, right} {
		p.Processes = true
		p.Holds[0].Sharing, p.Holds[0].Slots = gpu.TimeSlicing, gpu.Slots{N: int64(i + 1), Of: 4}
		p.Holds[0].Activity = busy(0, 300, 350)
	}
	gone := holds("gone", span(230, 236), "GPU-a")
	gone.Holds[0].Unseen = true
	return worldOf(300,
		&world.Node{
			Name: "one", Cluster: "c", Devices: []*world.Device{a, s}, Pods: []*world.Pod{pod, left, right, gone},
			Outages: []world.Outage{{Span: span(100, 115), Part: world.Engine}, {Span: span(210, 225), Part: world.Collector}},
			Hitches: []world.Hitch{{Span: span(50, 61), Late: 1}, {Span: span(140, 155), Twice: true}},
		},
		&world.Node{
			Name: "two", Cluster: "c", Clock: []world.ClockStep{{At: sec(130), By: -2e9}},
			Devices: []*world.Device{
				{Device: gpu.Device{ID: "GPU-b", Model: "H100"}, Life: span(0, 300)},
				instance("MIG-1", 3, span(0, 150), busy(10, 120, 1000)),
				instance("MIG-2", 2, span(0, 300), busy(10, 300, 100)),
				instance("MIG-3", 4, span(150, 300), nil),
			},
			Pods: []*world.Pod{holds("m", span(20, 140), "MIG-1"), holds("n", span(155, 300), "MIG-2", "MIG-3")},
		})
}

// tokens is a counter that rises by 1 each second.
func tokens(p *world.Pod, s world.Span) world.Metric {
	return world.Metric{
		Profile: gpu.OutputProfile{Metric: "tokens", Kind: gpu.OutputCounter, Unit: "{token}", Window: time.Minute},
		Join:    gpu.Join{PodUID: p.PodUID, Namespace: p.Namespace, Pod: p.Pod},
		Span:    s,
		Marks: func() func() (world.Mark, bool) {
			at := s.From
			return func() (world.Mark, bool) {
				at = at.Add(time.Second)
				return world.Mark{At: at, Start: s.From, Value: at.Sub(s.From).Seconds()}, at < s.To
			}
		},
	}
}
