// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package truth_test

import (
	"fmt"
	"slices"
	"time"

	"pgregory.net/rapid"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/world"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

const begin = 1_800_000_000 * gpu.Time(time.Second)

// at returns second s of a world.
func at(s float64) gpu.Time { return begin + gpu.Time(s*1000)*gpu.Time(time.Millisecond) }

// maker draws a world.
type maker struct {
	*rapid.T
	end   gpu.Time
	quiet time.Duration // without outages in the beginning
}

func (m maker) chance(percent int, what string) bool {
	return rapid.IntRange(1, 100).Draw(m.T, what) <= percent
}

// time draws a time between two, in steps that are rarely those of anything else.
func (m maker) time(from, to gpu.Time, what string) gpu.Time {
	step := rapid.SampledFrom([]time.Duration{time.Second, 250 * time.Millisecond, 1_234_567}).Draw(m.T, "step")
	n := int(to.Sub(from) / step)
	return from.Add(time.Duration(rapid.IntRange(0, max(n, 0)).Draw(m.T, what)) * step)
}

func (m maker) span(from, to gpu.Time, what string) world.Span {
	a, b := m.time(from, to, what), m.time(from, to, what)
	return world.Span{From: min(a, b), To: max(a, b) + 1}
}

func (m maker) activity(from, to gpu.Time) world.Activity {
	var steps []world.Step
	for at := from; at < to && len(steps) < 12; {
		length := rapid.SampledFrom([]time.Duration{
			20 * time.Millisecond, 330 * time.Millisecond, 5 * time.Second, 40 * time.Second, 200 * time.Second,
		}).Draw(m.T, "length")
		level := rapid.SampledFrom([]world.Level{0, 0, 5, 10, 333, 700, world.Full}).Draw(m.T, "level")
		at = at.Add(length)
		steps = append(steps, world.Step{Until: at, Level: level})
	}
	if len(steps) > 0 && steps[0].Until < from {
		steps = nil
	}
	return world.Steps(append([]world.Step{{Until: from}}, steps...)...)
}

func drawWorld(t *rapid.T) *world.World {
	seconds := rapid.SampledFrom([]int{60, 300, 1200}).Draw(t, "seconds")
	nodes := rapid.IntRange(1, 2).Draw(t, "nodes")
	m := maker{t, begin.Add(time.Duration(seconds) * time.Second), 0}
	if nodes > 1 { // one that is silent before its first step may be forgotten while the other goes on
		m.quiet = 90 * time.Second
	}
	w := &world.World{Start: begin, End: m.end}
	for i := range nodes {
		w.Nodes = append(w.Nodes, m.node(fmt.Sprintf("node-%d", i)))
	}
	return w
}

func (m maker) node(name string) *world.Node {
	n := &world.Node{Name: name, Cluster: "c"}
	for i := range rapid.IntRange(1, 2).Draw(m.T, "devices") {
		n.Devices = append(n.Devices, m.device(gpu.Device{ID: gpu.DeviceID(fmt.Sprintf("GPU-%s-%d", name, i))}))
	}
	if m.chance(40, "board") {
		m.board(n)
	}
	slots := rapid.Int64Range(1, 5).Draw(m.T, "slots")
	for i := range rapid.IntRange(0, 4).Draw(m.T, "pods") {
		n.Pods = append(n.Pods, m.pod(n, fmt.Sprintf("%s-pod-%d", name, i), slots))
	}
	m.outages(n)
	if m.chance(15, "clock") && !m.changes(n) {
		// Not so late that the newest set seems older than the newest sample.
		at := m.time(begin, m.end.Add(-40*time.Second), "clock")
		n.Clock = []world.ClockStep{{At: at, By: int64(rapid.SampledFrom([]time.Duration{
			-4 * time.Second, -1500 * time.Millisecond, 1, 3 * time.Second,
		}).Draw(m.T, "by"))}}
		if slices.ContainsFunc(n.Pods, func(p *world.Pod) bool { return len(p.Milestones) > 0 }) {
			n.Clock[0].By = max(n.Clock[0].By, 1) // set back, a clock tells the same milestone twice
		}
	}
	if m.chance(20, "hitch") {
		late := rapid.IntRange(0, 1).Draw(m.T, "late")
		n.Hitches = []world.Hitch{{Span: m.span(begin, m.end, "hitch"), Late: late, Twice: m.chance(50, "twice")}}
	}
	return n
}

// changes reports whether a board of a node is partitioned anew.
func (m maker) changes(n *world.Node) bool {
	return slices.ContainsFunc(n.Devices, func(d *world.Device) bool { return d.Life.To < m.end })
}

// outages draws times in which parts of the agent are away. After many minutes
// in which a node says nothing, or nobody knows its holders, a ledger has
// forgotten what came before (docs/ledger.md, section 9): they are shorter.
func (m maker) outages(n *world.Node) {
	var parts []world.Part
	for _, part := range []world.Part{world.Collector, world.Engine, world.Kubernetes} {
		if m.chance(15, "outage") {
			parts = append(parts, part)
		}
	}
	if m.changes(n) { // what was partitioned anew while nobody looked takes the slices of the oldest
		parts = slices.DeleteFunc(parts, func(p world.Part) bool { return p != world.Kubernetes })
	}
	for _, part := range parts {
		o := world.Outage{Span: m.span(min(begin.Add(m.quiet), m.end), m.end+5, "outage"), Part: part}
		switch {
		case len(parts) > 1:
			o.To = min(o.To, o.From.Add(150*time.Second))
		case part != world.Engine:
			o.To = min(o.To, o.From.Add(400*time.Second))
		}
		n.Outages = append(n.Outages, o)
	}
}

func (m maker) device(of gpu.Device) *world.Device {
	d := &world.Device{Device: of, Life: world.Span{From: begin, To: m.end}, Activity: m.activity(begin, m.end)}
	if m.chance(20, "lost") {
		d.Lost = []world.Span{m.span(begin, m.end+5, "lost")}
	}
	if m.chance(20, "closed") {
		reason := rapid.SampledFrom([]gpu.Reason{gpu.ReasonTaint, gpu.ReasonHealth}).Draw(m.T, "reason")
		d.Closed = []world.Closed{{Span: m.span(begin, m.end+5, "closed"), Reason: reason}}
	}
	for at := begin; m.chance(30, "memory"); at = m.time(at, m.end, "memory") {
		d.Memory = append(d.Memory, world.Memory{From: at, Bytes: uint64(rapid.SampledFrom([]int{0, 1 << 29, 1 << 30, 1 << 31}).Draw(m.T, "bytes"))})
	}
	return d
}

// board draws a board with instances, of which some follow others.
func (m maker) board(n *world.Node) {
	id := gpu.DeviceID("GPU-board-" + n.Name)
	board := m.device(gpu.Device{ID: id})
	board.Activity, board.Lost, board.Memory = nil, nil, nil
	n.Devices = append(n.Devices, board)
	sizes := rapid.SampledFrom([][]int{{7}, {3, 4}, {1, 2, 3}, {3, 3}, {1, 2}}).Draw(m.T, "slices")
	for i, of := range sizes {
		n.Devices = append(n.Devices, m.instance(n, id, i, of, world.Span{From: begin, To: m.end}))
	}
	if !m.chance(50, "changes") {
		return
	}
	// Where there is no room for both, it is known that the old ones are gone
	// before the new ones are there.
	change, pause := m.time(begin.Add(time.Second), m.end, "change"), 61*time.Second
	if len(sizes) == 2 && sizes[1] == 2 {
		pause = 0
	}
	for _, d := range n.Instances(id)[1:] {
		d.Life.To = change
	}
	if change.Add(pause) >= m.end {
		return
	}
	for i, d := range n.Instances(id)[1:] {
		n.Devices = append(n.Devices, m.instance(n, id, 10+i, d.Slices.N, world.Span{From: change.Add(pause), To: m.end}))
	}
}

func (m maker) instance(n *world.Node, board gpu.DeviceID, i, slices int, life world.Span) *world.Device {
	d := m.device(gpu.Device{
		ID: gpu.DeviceID(fmt.Sprintf("MIG-%s-%d", n.Name, i)), Parent: board, Slices: gpu.Slices{N: slices, Of: 7},
	})
	d.Life, d.Lost = life, nil
	return d
}

func (m maker) pod(n *world.Node, name string, slots int64) *world.Pod {
	p := &world.Pod{Holder: gpu.Holder{Namespace: "ns", Pod: name, PodUID: "uid-" + name, Container: "main"}}
	p.Workload.Class = rapid.SampledFrom([]gpu.Class{gpu.ClassBatch, gpu.ClassInference, gpu.ClassUnclassified}).Draw(m.T, "class")
	p.Processes = m.chance(50, "processes")
	if m.chance(30, "group") {
		p.Workload.Group = "group"
	}
	s := m.span(begin.Add(-20*time.Second), m.end.Add(20*time.Second), "hold")
	if m.chance(20, "short") {
		s.To = min(s.To, s.From.Add(7*time.Second))
	}
	for i, d := range n.Devices {
		if len(n.Instances(d.ID)) > 0 || !m.chance(50, "holds") {
			continue
		}
		h := world.Hold{Span: s, Device: d.ID, Sharing: gpu.Exclusive, Unseen: m.chance(20, "unseen")}
		switch {
		case d.Parent != "":
			h.Sharing = gpu.MIG
			h.From, h.To = max(h.From, d.Life.From), min(h.To, d.Life.To)
			back := slices.ContainsFunc(p.Holds, func(o world.Hold) bool { return o.To < h.From })
			if h.From >= h.To || back { // minutes later, its milestones may be forgotten
				continue
			}
		case i > 0:
			h.Sharing = rapid.SampledFrom([]gpu.Sharing{gpu.TimeSlicing, gpu.DRA, gpu.MPS}).Draw(m.T, "sharing")
			h.Slots = gpu.Slots{N: rapid.Int64Range(1, slots).Draw(m.T, "n"), Of: slots}
		}
		if p.Processes {
			h.Activity = m.activity(h.From, h.To)
		}
		p.Holds = append(p.Holds, h)
		if again := h.To.Add(30 * time.Second); m.chance(20, "again") && again < min(m.end, begin.Add(300*time.Second)) && d.Parent == "" {
			h.From, h.To = again, again.Add(time.Minute)
			p.Holds = append(p.Holds, h)
		}
	}
	if m.chance(60, "milestones") {
		m.milestones(p, s)
	}
	for range rapid.IntRange(0, 2).Draw(m.T, "metrics") {
		p.Metrics = append(p.Metrics, m.metric(p, s, len(p.Metrics)))
	}
	return p
}

func (m maker) milestones(p *world.Pod, s world.Span) {
	at := s.From
	for attempt := range rapid.IntRange(1, 2).Draw(m.T, "attempts") {
		for _, name := range []gpu.MilestoneName{
			gpu.Scheduled, gpu.PullStarted, gpu.BackoffStarted, gpu.ContainerStarted, gpu.FirstCUDA, gpu.Ready,
		} {
			if !m.chance(60, string(name)) {
				continue
			}
			of := world.Milestone{Name: name, Attempt: attempt, At: at}
			switch {
			case name == gpu.ContainerStarted:
				of.Container = rapid.SampledFrom([]string{"main", "side"}).Draw(m.T, "container")
			case name == gpu.Ready && m.chance(50, "probe"):
				of.Source = gpu.SourceProbe
			}
			p.Milestones = append(p.Milestones, of)
			at = m.time(at, min(at.Add(60*time.Second), s.To), "milestone")
		}
	}
	if m.chance(40, "deletion") {
		p.Milestones = append(p.Milestones, world.Milestone{Name: gpu.DeletionRequested, At: m.time(at, max(s.To, at), "deletion")})
	}
}

func (m maker) metric(p *world.Pod, s world.Span, i int) world.Metric {
	kind := rapid.SampledFrom([]gpu.OutputKind{gpu.OutputCounter, gpu.OutputCounter, gpu.DemandGauge, gpu.SleepGauge}).Draw(m.T, "kind")
	metric := world.Metric{
		Profile: gpu.OutputProfile{Metric: fmt.Sprintf("%s_%d", kind, i), Kind: kind, Unit: "{token}"},
		Join:    gpu.Join{PodUID: p.PodUID},
		Span:    s,
	}
	if kind == gpu.OutputCounter {
		metric.Profile.Window = rapid.SampledFrom([]time.Duration{20 * time.Second, 60 * time.Second}).Draw(m.T, "window")
	}
	if m.chance(30, "failing") {
		failing := m.span(s.From, s.To, "failing")
		failing.To = min(failing.To, failing.From.Add(400*time.Second)) // longer, and a ledger may forget it
		metric.Failing = []world.Span{failing}
	}
	var marks []world.Mark
	value, start := 0.0, s.From
	for at := s.From; at < s.To && len(marks) < 8; at = m.time(at+1, s.To, "mark") {
		switch rapid.IntRange(0, 4).Draw(m.T, "change") {
		case 0:
			value, start = 0, at
		case 1, 2:
			value++
		}
		marks = append(marks, world.Mark{At: at, Start: start, Value: value})
	}
	metric.Marks = func() func() (world.Mark, bool) {
		i := 0
		return func() (world.Mark, bool) {
			if i == len(marks) {
				return world.Mark{}, false
			}
			i++
			return marks[i-1], true
		}
	}
	return metric
}
