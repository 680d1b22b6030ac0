// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger_test

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"pgregory.net/rapid"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/internal/ledger"
)

// base is second 0 of every scenario.
const base = 1_800_000_000 * gpu.Time(time.Second)

// sec returns second s of the scenario.
func sec(s float64) gpu.Time { return base.Add(time.Duration(s * float64(time.Second))) }

// point is one point of any kind.
type point struct {
	at gpu.Time // of the point
	gpu.Batch
}

// scenario is a life of a few devices: its points, by time.
type scenario struct {
	cfg    ledger.Config
	events []point
}

// features are what a scenario may have. The zero value is the dullest one.
type features struct {
	SubSecond   bool
	Sums        bool // sum pairs, else gauges
	Both        bool // gauges beside sum pairs
	Resets      bool // of sums
	Conflicts   bool
	DropOuts    bool
	Silence     bool // stretches without points
	Ends        bool // of devices, with later lives
	Sets        bool // allocation sets, else nothing is known
	Labels      bool // holders from labels instead
	Host        bool
	MissingSets bool
	NoBegins    bool
	EarlyBegins bool // holders are seen later than they begin
	DatedEnds   bool
	Overlaps    bool
	Shared      bool // allocations that aren't exclusive
	Outputs     bool
	OutputEnds  bool
	Modes       bool // demand, sleep, memory
	Health      bool // availability, status
	Milestones  bool
}

// drawFeatures draws any combination but Ends, simple ones first.
func drawFeatures(t *rapid.T) features {
	flag := func(name string) bool { return rapid.Bool().Draw(t, name) }
	f := features{
		SubSecond:   flag("sub-second"),
		Sums:        flag("sums"),
		Resets:      flag("resets"),
		Conflicts:   flag("conflicts"),
		DropOuts:    flag("drop-outs"),
		Silence:     flag("silence"),
		MissingSets: flag("missing sets"),
		NoBegins:    flag("no begins"),
		EarlyBegins: flag("early begins"),
		DatedEnds:   flag("dated ends"),
		Overlaps:    flag("overlaps"),
		Outputs:     flag("outputs"),
		OutputEnds:  flag("output ends"),
		Modes:       flag("modes"),
		Health:      flag("health"),
		Milestones:  flag("milestones"),
	}
	f.Both = f.Sums && flag("both")
	f.Shared = flag("shared") && flag("shared too")
	f.Sets = !(flag("no sets") && flag("no sets too") && flag("no sets at all"))
	f.Host = !f.Sets && flag("host")
	f.Labels = f.Sets && flag("labels") && flag("labels too")
	return f
}

// scenarioConfig returns a configuration that makes things happen fast.
func scenarioConfig() ledger.Config {
	cfg := ledger.DefaultConfig()
	cfg.MaxGap = 20 * time.Second
	cfg.SettleDelay = 5 * time.Second
	cfg.IdleGrace = 15 * time.Second
	cfg.EmitInterval = 10 * time.Second
	cfg.IdleThreshold = 0.0517 // which no quotient of nice numbers meets
	cfg.ResidentThreshold = 1 << 30
	cfg.MaxAccounts = 4096
	return cfg
}

// drawScenario draws a scenario in which devices don't end.
func drawScenario(t *rapid.T) scenario { return drawScenarioWith(t, drawFeatures(t)) }

func drawScenarioWith(t *rapid.T, f features) scenario {
	g := &generator{t: t, features: f, cfg: scenarioConfig()}
	g.cfg.Host = f.Host
	g.cfg.Labels = f.Labels
	g.length = 60 + g.intn(128)
	if g.chance(1) {
		g.length += 200
	}
	devices := 1 + g.intn(3)
	nodes := 1 + g.intn(2)
	for i := range devices {
		g.devices = append(g.devices, gpu.Device{
			ID: gpu.DeviceID(fmt.Sprintf("GPU-%d", i)), Node: fmt.Sprintf("node-%d", i%nodes), Cluster: "c", Model: "H200",
		})
	}
	for i := range g.devices {
		g.device(g.devices[i])
	}
	if f.Sets && !f.Host {
		for i := range nodes {
			g.node(fmt.Sprintf("node-%d", i))
		}
		g.pods()
	}
	slices.SortStableFunc(g.events, func(a, b point) int { return cmp.Compare(a.at, b.at) })
	return scenario{cfg: g.cfg, events: g.events}
}

// generator draws one scenario.
type generator struct {
	features

	t       *rapid.T
	cfg     ledger.Config
	length  int // seconds
	devices []gpu.Device
	tenancy []tenancy
	events  []point
}

// tenancy is the truth about who holds a device.
type tenancy struct {
	device     gpu.Device
	holder     gpu.Holder
	begin, end gpu.Time
	seen       gpu.Time // sets name it from here on
	noBegin    bool
	sharing    gpu.Sharing
	share      float64
}

func (h tenancy) shared() bool { return h.sharing != gpu.Exclusive || h.share != 1 }

// intn draws from [0, n), evenly, and shrinks to 0.
func (g *generator) intn(n int) int {
	v := 0
	for limit := 1; limit < n; limit *= 2 {
		v *= 2
		if rapid.Bool().Draw(g.t, "bit") {
			v++
		}
	}
	return v % n
}

// chance is true in n of 16 cases, and shrinks to false.
func (g *generator) chance(n int) bool { return g.intn(16) >= 16-n }

// instant returns an instant in second s.
func (g *generator) instant(s int) gpu.Time {
	at := base.Add(time.Duration(s) * time.Second)
	if !g.SubSecond || !g.chance(6) {
		return at
	}
	if g.chance(8) {
		return at.Add(time.Duration(1+g.intn(9)) * 100 * time.Millisecond)
	}
	return at.Add(time.Duration(1 + g.intn(999_999_999)))
}

// wait returns the seconds to the next point of a stream.
func (g *generator) wait(least, most int) int {
	s := least + g.intn(most-least+1)
	if g.Silence && g.chance(1) {
		s += g.intn(64)
	}
	return s
}

func (g *generator) add(at gpu.Time, b gpu.Batch) { g.events = append(g.events, point{at, b}) }

func pick[T any](g *generator, of ...T) T { return of[g.intn(len(of))] }

// --- Devices ---------------------------------------------------------------

func (g *generator) device(d gpu.Device) {
	s := &sampler{g: g, device: d}
	end := g.length
	if g.Ends {
		end = g.length/4 + g.intn(g.length)
	}
	if g.chance(15) { // else it has no samples at all
		s.run(g.intn(10), end)
	}
	if g.Ends && s.any {
		from := s.stop()
		if from < g.length && g.chance(8) {
			s.run(from, g.length)
		}
	}
	if g.Modes {
		for at := g.intn(16); at < g.length; at += g.wait(3, 15) {
			t := g.instant(at)
			g.add(t, gpu.Batch{Memory: []gpu.Memory{{Device: d.ID, Time: t, Bytes: pick[uint64](g, 0, 1<<29, 1<<30, 2<<30)}}})
		}
	}
	if g.Health {
		g.health(d)
	}
}

func (g *generator) health(d gpu.Device) {
	for at := g.intn(30); at < g.length; at += g.wait(3, 34) {
		t := g.instant(at)
		a := gpu.Availability{Device: d.ID, Time: t, Available: g.chance(8)}
		if !a.Available {
			a.Reason = pick(g, gpu.Unavailable.Reasons()...)
		}
		g.add(t, gpu.Batch{Availability: []gpu.Availability{a}})
	}
	for at := g.intn(30); at < g.length; at += g.wait(3, 34) {
		t := g.instant(at)
		g.add(t, gpu.Batch{Statuses: []gpu.Status{{Device: d.ID, Time: t, Failed: g.chance(8)}}})
	}
}

// sampler draws the samples of a device.
type sampler struct {
	g      *generator
	device gpu.Device

	any              bool
	last             gpu.Time
	lastSecond       int
	gauges, sums     bool // which kinds had points since the last end
	lastPair, start  gpu.Time
	observed, active int64
	hasPair          bool
}

const (
	gaugeSource = "util"
	sumSource   = "prof"
)

// run draws samples in [from, to) seconds.
func (s *sampler) run(from, to int) {
	g := s.g
	sumsFrom, gaugesFrom := from, from
	for at := from; at < to; at += g.wait(1, 7) {
		if g.DropOuts && g.chance(2) {
			continue
		}
		t := g.instant(at)
		if g.Sums && at >= sumsFrom {
			s.pair(t)
			if g.Both && g.chance(1) {
				sumsFrom = at + g.intn(64)
			}
		}
		if (!g.Sums || g.Both) && at >= gaugesFrom {
			s.gauge(t)
			if g.Both && g.chance(1) {
				gaugesFrom = at + g.intn(64)
			}
		}
		s.lastSecond = at
		if g.Ends && g.chance(1) {
			s.end(pick(g, gaugeSource, sumSource), t.Add(pick[time.Duration](g, 0, 0, time.Second, 2*time.Second)))
		}
	}
}

// end ends a series, which may go on.
func (s *sampler) end(source string, t gpu.Time) {
	end := gpu.SeriesEnd{Device: s.device, Engine: gpu.EngineAny, Source: source, Time: t}
	s.g.add(t, gpu.Batch{SeriesEnds: []gpu.SeriesEnd{end}})
}

func (s *sampler) saw(t gpu.Time) {
	s.any = true
	s.last = max(s.last, t)
}

func (s *sampler) gauge(t gpu.Time) {
	s.saw(t)
	s.gauges = true
	sample := gpu.Sample{Device: s.device, Engine: gpu.EngineAny, Source: gaugeSource, Time: t, Value: s.value()}
	s.g.add(t, gpu.Batch{Samples: []gpu.Sample{sample}})
	if s.g.Conflicts && s.g.chance(2) {
		sample.Value = s.value()
		s.g.add(t, gpu.Batch{Samples: []gpu.Sample{sample}})
	}
}

func (s *sampler) value() float64 {
	return pick(s.g, 0, 0.01, 0.2, 1, 0.03, 1./3, 0.999, 0.7)
}

func (s *sampler) pair(t gpu.Time) {
	g := s.g
	s.saw(t)
	s.sums = true
	passed := 3 * int64(time.Second)
	if s.hasPair {
		passed = int64(t - s.lastPair)
	} else {
		s.start = t.Add(-time.Duration(passed))
	}
	if g.Resets && s.hasPair && g.chance(2) {
		s.reset(t)
		passed = int64(t - max(s.start, s.lastPair))
	}
	observed := passed
	if g.chance(4) {
		observed = pick(g, 0, passed/2, passed*9/10, passed*11/10, passed-1)
	}
	s.observed += observed
	s.active += int64(s.value() * float64(observed))
	if g.chance(1) {
		s.active += observed
	}
	s.hasPair, s.lastPair = true, t
	s.half(t, gpu.ActivityPart, s.active)
	s.half(t, gpu.ObservedPart, s.observed)
}

// half draws one half of a pair: with conflicts, it may come with a smaller
// value too, or not at all.
func (s *sampler) half(t gpu.Time, part gpu.CounterPart, nanos int64) {
	half := gpu.Counter{
		Device: s.device, Engine: gpu.EngineAny, Source: sumSource, Part: part, Start: s.start, Time: t, Nanos: nanos,
	}
	if !s.g.Conflicts || !s.g.chance(1) {
		s.g.add(t, gpu.Batch{Counters: []gpu.Counter{half}})
		return
	}
	if s.g.Labels || s.g.chance(8) { // a label comes with a sample
		s.g.add(t, gpu.Batch{Counters: []gpu.Counter{half}})
		half.Nanos -= half.Nanos / 4
		s.g.add(t, gpu.Batch{Counters: []gpu.Counter{half}})
	}
}

func (s *sampler) reset(t gpu.Time) {
	switch s.g.intn(4) {
	case 0: // from the last pair on
		s.start = s.lastPair
	case 1: // later
		s.start = s.lastPair.Add(t.Sub(s.lastPair) / 2)
	case 2: // earlier
		s.start = s.lastPair.Add(-time.Second)
	case 3: // the sums fall, the start doesn't tell
	}
	s.observed, s.active = 0, 0
}

// stop ends the device's series and returns the second from which it may live
// again.
func (s *sampler) stop() int {
	at := s.last
	later := s.g.intn(8)
	if later > 0 {
		at = s.g.instant(s.lastSecond + later)
	}
	for _, source := range []string{gaugeSource, sumSource} {
		if source == gaugeSource && !s.gauges || source == sumSource && !s.sums {
			continue
		}
		s.end(source, at)
	}
	s.gauges, s.sums, s.hasPair, s.observed, s.active = false, false, false, 0, 0
	return s.lastSecond + later + 1 + s.g.intn(64)
}

// --- Holders ---------------------------------------------------------------

func (g *generator) node(node string) {
	for _, d := range g.devices {
		if d.Node == node {
			g.tenants(d)
		}
	}
	if g.Labels {
		g.labels(node)
	} else {
		g.sets(node)
	}
}

// tenants draws who holds a device.
func (g *generator) tenants(d gpu.Device) {
	for at := g.intn(32) - 8; at < g.length; {
		end := at + 5 + g.intn(90)
		h := tenancy{device: d, begin: g.instant(at), end: g.instant(end)}
		h.seen = h.begin
		if g.EarlyBegins {
			h.seen = h.begin.Add(time.Duration(g.intn(12)) * time.Second)
		}
		h.noBegin = g.NoBegins && g.chance(5)
		h.sharing, h.share = gpu.Exclusive, 1
		if g.Shared && g.chance(4) {
			h.sharing = pick[gpu.Sharing](g, "time_slicing", gpu.Exclusive)
			h.share = pick(g, 0.5, 1)
		}
		h.holder = g.holder(d)
		g.tenancy = append(g.tenancy, h)
		at = end
		if g.Overlaps && g.chance(8) {
			at -= g.intn(16)
		} else {
			at += g.intn(20)
		}
	}
}

// holder draws the next pod: a new one, or one that holds another device of
// the node.
func (g *generator) holder(d gpu.Device) gpu.Holder {
	if g.chance(3) {
		for _, other := range g.tenancy {
			if other.device.Node == d.Node && other.device.ID != d.ID && !g.holds(d, other.holder) {
				return other.holder
			}
		}
	}
	n := len(g.tenancy)
	h := gpu.Holder{
		Namespace: "ns", Pod: fmt.Sprintf("pod-%d", n), PodIP: fmt.Sprintf("10.0.0.%d", n), Container: "main",
		Workload: gpu.Workload{Kind: "job", Name: fmt.Sprintf("job-%d", n/2), Class: gpu.Class(g.intn(4))},
	}
	if !g.chance(2) {
		h.PodUID = fmt.Sprintf("uid-%02d", (n*7)%50) // not in order of time
	}
	return h
}

func (g *generator) holds(d gpu.Device, h gpu.Holder) bool {
	return slices.ContainsFunc(g.tenancy, func(t tenancy) bool {
		return t.device.ID == d.ID && t.holder.Key() == h.Key()
	})
}

// sets draws the allocation sets of a node.
func (g *generator) sets(node string) {
	var times []gpu.Time
	for at := g.intn(16); at < g.length; at += g.wait(3, 10) {
		times = append(times, g.instant(at))
	}
	for _, t := range times {
		g.set(node, t)
	}
	if !g.DatedEnds {
		return
	}
	for _, h := range g.tenancy {
		if h.device.Node == node && !h.shared() && !slices.Contains(times, h.end) && g.chance(8) {
			a := g.allocation(h, h.end)
			a.Ended = true
			g.add(h.end, gpu.Batch{Allocations: []gpu.Allocation{a}})
		}
	}
}

func (g *generator) set(node string, t gpu.Time) {
	count := 0
	missing := -1
	if g.MissingSets && g.chance(3) {
		missing = 0
	}
	for _, h := range g.tenancy {
		if h.device.Node != node || t < h.seen || h.end <= t {
			continue
		}
		if count++; count-1 != missing {
			g.add(t, gpu.Batch{Allocations: []gpu.Allocation{g.allocation(h, t)}})
		}
	}
	if missing == 0 && count == 0 {
		return
	}
	g.add(t, gpu.Batch{AllocationCounts: []gpu.AllocationCount{{Node: node, Cluster: "c", Time: t, Count: count}}})
}

func (g *generator) allocation(h tenancy, t gpu.Time) gpu.Allocation {
	a := gpu.Allocation{
		Device: h.device.ID, Node: h.device.Node, Cluster: "c", Holder: h.holder,
		Sharing: h.sharing, Share: h.share, Time: t, Begin: h.begin,
	}
	if h.noBegin {
		a.Begin = gpu.NoTime
	}
	return a
}

// labels writes the holder on the samples of a device.
func (g *generator) labels(node string) {
	for _, e := range slices.Clone(g.events) {
		var d gpu.Device
		switch {
		case len(e.Samples) > 0:
			d = e.Samples[0].Device
		case len(e.Counters) > 0 && e.Counters[0].Part == gpu.ObservedPart:
			d = e.Counters[0].Device
		}
		if d.Node != node || slices.ContainsFunc(g.events, func(f point) bool {
			return f.at == e.at && len(f.DeviceAllocations) > 0 && f.DeviceAllocations[0].Device.ID == d.ID
		}) {
			continue
		}
		a := gpu.DeviceAllocation{Device: d, Time: e.at}
		for _, h := range g.tenancy {
			if h.device.ID == d.ID && h.seen <= e.at && e.at < h.end {
				a.Holder = h.holder
			}
		}
		g.add(e.at, gpu.Batch{DeviceAllocations: []gpu.DeviceAllocation{a}})
	}
}

// --- Pods --------------------------------------------------------------------

// pods draws what the pods themselves say.
func (g *generator) pods() {
	var done []string
	for _, h := range g.tenancy {
		if slices.Contains(done, h.holder.Key()) {
			continue
		}
		done = append(done, h.holder.Key())
		from, to := secondOf(h.begin), secondOf(h.end)
		if g.Outputs && !h.shared() {
			for i := range g.intn(3) {
				g.output(h.holder, i, from, to)
			}
		}
		if g.Modes {
			g.gauge(h.holder, gpu.DemandGauge, from, to)
			g.gauge(h.holder, gpu.SleepGauge, from, to)
		}
		if g.Milestones && g.chance(10) {
			g.milestone(h)
		}
	}
}

func secondOf(t gpu.Time) int { return int((t - base) / gpu.Time(time.Second)) }

func (g *generator) join(h gpu.Holder) gpu.Join {
	switch {
	case h.PodUID != "" && g.chance(10):
		return gpu.Join{PodUID: h.PodUID, PodIP: "ignored"}
	case g.chance(8):
		return gpu.Join{PodIP: h.PodIP}
	}
	return gpu.Join{Namespace: h.Namespace, Pod: h.Pod}
}

// output draws one output metric of a pod.
func (g *generator) output(h gpu.Holder, n, from, to int) {
	p := gpu.Output{
		Profile: gpu.OutputProfile{
			Metric: fmt.Sprintf("output-%d", n), Kind: gpu.OutputCounter, Unit: "{token}",
			Window: time.Duration(pick(g, 10, 5, 3)) * time.Second,
		},
		Join: g.join(h),
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

func (g *generator) gauge(h gpu.Holder, kind gpu.OutputKind, from, to int) {
	for series := range g.intn(3) {
		p := gpu.Output{Profile: gpu.OutputProfile{Metric: kind.String(), Kind: kind}, Join: g.join(h), Series: strconv.Itoa(series)}
		for at := from + g.intn(10); at < to && at < g.length; at += g.wait(3, 15) {
			p.Time = g.instant(at)
			p.Value = float64(g.intn(2))
			p.Ended = g.OutputEnds && g.chance(1)
			g.add(p.Time, gpu.Batch{Outputs: []gpu.Output{p}})
		}
	}
}

func (g *generator) milestone(h tenancy) {
	at := h.end.Add(-time.Duration(g.intn(12)) * time.Second)
	for _, name := range []gpu.MilestoneName{gpu.DeletionRequested, gpu.ContainersFinished, "ready"} {
		if g.chance(8) {
			at = at.Add(time.Duration(g.intn(3)) * time.Second)
			t := at.Add(time.Duration(g.intn(6)) * time.Second)
			g.add(t, gpu.Batch{Milestones: []gpu.Milestone{{Pod: h.holder.Key(), Name: name, At: at, Time: t}}})
		}
	}
}

// --- Batches -----------------------------------------------------------------

// merge returns all points in one batch.
func merge(events []point) gpu.Batch {
	var all gpu.Batch
	for _, e := range events {
		all.Samples = append(all.Samples, e.Samples...)
		all.Counters = append(all.Counters, e.Counters...)
		all.SeriesEnds = append(all.SeriesEnds, e.SeriesEnds...)
		all.Memory = append(all.Memory, e.Memory...)
		all.Availability = append(all.Availability, e.Availability...)
		all.Statuses = append(all.Statuses, e.Statuses...)
		all.Allocations = append(all.Allocations, e.Allocations...)
		all.AllocationCounts = append(all.AllocationCounts, e.AllocationCounts...)
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
		say("gauge %s %s=%g", s.Device.ID, s.Engine, s.Value)
	}
	for _, c := range b.Counters {
		say("sum %s part %d = %d ns since %s", c.Device.ID, c.Part, c.Nanos, stamp(c.Start))
	}
	for _, e := range b.SeriesEnds {
		say("end %s %s", e.Device.ID, e.Source)
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
		say("allocation %s %s begin %s ended %t %s", a.Device, a.Holder.Key(), stamp(a.Begin), a.Ended, a.Sharing)
	}
	for _, c := range b.AllocationCounts {
		say("set %s of %d", c.Node, c.Count)
	}
	for _, a := range b.DeviceAllocations {
		say("label %s %s", a.Device.ID, a.Holder.Key())
	}
	for _, m := range b.Milestones {
		say("milestone %s %s at %s", m.Pod, m.Name, stamp(m.At))
	}
	for _, o := range b.Outputs {
		say("%s %s %s %v = %g since %s ended %t (window %s)",
			o.Profile.Kind, o.Profile.Metric, o.Series, o.Join, o.Value, stamp(o.Start), o.Ended, o.Profile.Window)
	}
	return strings.Join(w, "; ")
}
