// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger_test

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// --- Pods --------------------------------------------------------------------

// pods draws what the pods themselves say.
func (g *generator) pods() {
	var done []string
	for i := range g.windows {
		g.windows[i] = time.Duration(pick(g, 10, 5, 3)) * time.Second
	}
	for _, h := range g.tenancy {
		if slices.Contains(done, h.holder.Key()) {
			continue
		}
		done = append(done, h.holder.Key())
		from, to := secondOf(h.begin), secondOf(h.end)
		if g.Outputs {
			for i := range g.intn(3) {
				g.output(g.join(h), i, from, g.lasts(to))
			}
		}
		if g.Modes {
			g.gauge(g.join(h), gpu.DemandGauge, from, g.lasts(to))
			g.gauge(g.join(h), gpu.SleepGauge, from, to)
		}
		if g.Milestones && g.chance(10) {
			g.ending(h)
		}
		if g.Starts && g.chance(12) {
			g.starting(h)
		}
	}
	if g.Groups {
		g.travelled()
	}
}

// travelled draws what ranks on other nodes say of their group.
func (g *generator) travelled() {
	for i := range g.intn(3) {
		group := pick(g, "group-a", "group-b")
		from := g.intn(g.length)
		join := pick(g, gpu.Join{PodUID: fmt.Sprint("rank-", i), Group: group}, gpu.Join{Group: group})
		if g.Outputs && g.chance(10) {
			g.output(join, i, from, from+g.intn(90))
		}
		if g.Modes && g.chance(6) {
			g.gauge(join, gpu.DemandGauge, from, from+g.intn(90))
		}
	}
}

func secondOf(t gpu.Time) int { return int((t - base) / gpu.Time(time.Second)) }

// join draws how an application of a holder names it.
func (g *generator) join(t tenancy) gpu.Join {
	h := t.holder
	j := gpu.Join{Namespace: h.Namespace, Pod: h.Pod}
	switch {
	case h.PodUID != "" && g.chance(8):
		j = gpu.Join{PodUID: h.PodUID, PodIP: "ignored"}
	case g.chance(8):
		j = gpu.Join{PodIP: h.PodIP}
	case g.Groups && g.chance(4) && t.device.ID != "":
		j = gpu.Join{Device: t.device.ID}
	}
	if g.Groups && g.chance(4) {
		j.Group = h.Workload.Group
	}
	return j
}

// lasts returns until when a pod that holds up to a second tells something: in a
// group, who has its name may go on.
func (g *generator) lasts(to int) int {
	if g.Groups && g.chance(2) {
		to += 5 + g.intn(64)
	}
	return to
}

// output draws one output metric of a pod.
func (g *generator) output(join gpu.Join, n, from, to int) {
	p := gpu.Output{
		Profile: gpu.OutputProfile{
			Metric: fmt.Sprintf("output-%d", n), Kind: gpu.OutputCounter, Unit: "{token}",
			Window: g.windows[n],
		},
		Join: join,
	}
	for series := range 1 + g.intn(2) {
		p.Series = fmt.Sprint("series-", series)
		p.Start = pick(g, gpu.NoTime, sec(float64(from)))
		p.Value = float64(g.intn(4))
		last := gpu.NoTime
		for at := from + g.intn(10); at < to+g.intn(6) && at < g.length; at += g.wait(1, 7) {
			p.Time = g.instant(at)
			g.advance(&p, last)
			g.add(p.Time, gpu.Batch{Outputs: []gpu.Output{p}})
			last = p.Time
		}
	}
}

// advance draws the next value of an output series.
func (g *generator) advance(p *gpu.Output, last gpu.Time) {
	if p.Ended = g.OutputEnds && g.chance(1); p.Ended {
		return
	}
	switch g.intn(8) {
	case 0, 1, 2:
		p.Value += float64(1 + g.intn(5))
	case 3:
		p.Value = float64(g.intn(3))
	case 4:
		if last != gpu.NoTime {
			p.Start = pick(g, last, p.Time, last.Add(-time.Second))
			p.Value += float64(g.intn(3))
		}
	}
}

func (g *generator) gauge(join gpu.Join, kind gpu.OutputKind, from, to int) {
	for series := range g.intn(3) {
		p := gpu.Output{Profile: gpu.OutputProfile{Metric: kind.String(), Kind: kind}, Join: join, Series: strconv.Itoa(series)}
		for at := from + g.intn(10); at < to && at < g.length; at += g.wait(3, 15) {
			p.Time = g.instant(at)
			p.Value = float64(g.intn(2))
			p.Ended = g.OutputEnds && g.chance(1)
			g.add(p.Time, gpu.Batch{Outputs: []gpu.Output{p}})
		}
	}
}

// ending draws the milestones of a pod's end.
func (g *generator) ending(h tenancy) {
	at := h.end.Add(-time.Duration(g.intn(12)) * time.Second)
	for _, name := range []gpu.MilestoneName{gpu.DeletionRequested, gpu.ContainersFinished, gpu.Failed} {
		if g.chance(8) {
			at = at.Add(time.Duration(g.intn(3)) * time.Second)
			g.milestone(gpu.Milestone{Pod: h.holder.Key(), Name: name, At: at})
		}
	}
}

// milestone tells a milestone, or tells it twice.
func (g *generator) milestone(m gpu.Milestone) {
	m.Time = m.At.Add(time.Duration(g.intn(8)) * time.Second)
	if oldest := sec(0); m.Time < oldest { // it was told when the scenario began
		m.Time = oldest.Add(time.Duration(g.intn(20)) * time.Second)
	}
	g.add(m.Time, gpu.Batch{Milestones: []gpu.Milestone{m}})
	if g.chance(1) {
		m.Time = m.Time.Add(time.Duration(g.intn(20)) * time.Second)
		m.At = m.At.Add(time.Duration(g.intn(10)-4) * time.Second)
		m.Time = max(m.Time, m.At)
		g.add(m.Time, gpu.Batch{Milestones: []gpu.Milestone{m}})
	}
}

// starting draws the milestones of a pod's starts: of one, or of one after
// another.
func (g *generator) starting(h tenancy) {
	from := h.begin
	for attempt := range 1 + g.intn(3) {
		at := from
		for _, stage := range gpu.StartTable() {
			at = at.Add(time.Duration(g.intn(6)) * time.Second)
			if !g.chance(8) {
				continue
			}
			m := gpu.Milestone{Pod: h.holder.Key(), Name: stage.Milestone, Attempt: attempt, At: at}
			m.Container = pick(g, "main", "main", "side", "")
			if m.Name == gpu.Ready {
				g.ready(&m)
			}
			g.milestone(m)
		}
		from = at.Add(time.Duration(g.intn(40)) * time.Second)
	}
}

// ready draws how a container gets ready: a probe tells so, or it is as soon as
// it runs, now or so long ago that its start can't last any longer.
func (g *generator) ready(m *gpu.Milestone) {
	if g.chance(5) {
		m.Source = gpu.SourceProbe
		return
	}
	m.Source = pick(g, "", "kubelet")
	if g.chance(6) {
		m.At = m.At.Add(time.Duration(g.intn(60))*time.Second - longestStart)
	}
}
