// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger_test

import (
	"cmp"
	"fmt"
	"slices"
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
	LabelSlots  bool // by slots of the device
	Host        bool
	MissingSets bool
	NoBegins    bool
	EarlyBegins bool // holders are seen later than they begin
	DatedEnds   bool
	Overlaps    bool
	Bad         bool // allocations that say nothing
	Slots       bool // shared devices
	Changes     bool // of slots and kinds, from set to set
	Processes   bool
	Containers  bool // several of one pod
	Unresolved  bool // allocations without a device
	Partitions  bool
	Groups      bool
	Outputs     bool
	OutputEnds  bool
	Modes       bool // demand, sleep, memory
	Health      bool // availability, status
	Milestones  bool // of the end
	Starts      bool // milestones of start-ups
	Threshold   bool // activity that is exactly the idle threshold
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
	f.Bad = flag("bad") && flag("bad too")
	f.Sets = !(flag("no sets") && flag("no sets too") && flag("no sets at all"))
	f.Host = !f.Sets && flag("host")
	f.Labels = f.Sets && flag("labels") && flag("labels too")
	f.LabelSlots = f.Labels && flag("label slots")
	f.Starts = flag("starts")
	f.Groups = flag("groups")
	f.Threshold = flag("threshold")
	f.Partitions = flag("partitions") && flag("partitions too")
	if f.Sets && !f.Labels {
		f.Slots = flag("slots")
		f.Changes = f.Slots && flag("changes")
		f.Processes = f.Slots && flag("processes")
		f.Containers = flag("containers")
		f.Unresolved = flag("unresolved") && flag("unresolved too")
	}
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
	if f.Threshold {
		g.cfg.IdleThreshold = pick(g, 0.2, 0.01, 1./3)
	}
	g.length = 60 + g.intn(128)
	if g.chance(1) && !f.Partitions {
		g.length += 150 // less than the time after which unused evidence is forgotten
	}
	devices := 1 + g.intn(3)
	if f.Partitions {
		devices = 1 + g.intn(2)
	}
	nodes := 1 + g.intn(2)
	for i := range devices {
		g.devices = append(g.devices, gpu.Device{
			ID: gpu.DeviceID(fmt.Sprintf("GPU-%d", i)), Node: fmt.Sprintf("node-%d", i%nodes), Cluster: "c", Model: "H200",
		})
	}
	for _, d := range g.devices {
		if f.Partitions && g.chance(10) {
			g.board(d)
		} else {
			g.device(d)
		}
	}
	if f.Unresolved {
		g.unresolved(nodes)
	}
	if f.Sets && !f.Host {
		for i := range nodes {
			g.node(fmt.Sprintf("node-%d", i))
		}
		g.pods()
		if f.Processes {
			g.processes()
		}
	}
	slices.SortStableFunc(g.events, func(a, b point) int { return cmp.Compare(a.at, b.at) })
	return scenario{cfg: g.cfg, events: oneStart(g.events)}
}

// oneStart drops the halves of pairs that have another start than one of their
// device and time: no source starts twice at once.
func oneStart(events []point) []point {
	starts := map[string]gpu.Time{}
	return slices.DeleteFunc(events, func(e point) bool {
		if len(e.Counters) == 0 {
			return false
		}
		c := e.Counters[0]
		key := fmt.Sprint(c.Device.ID, c.Time, c.Engine)
		if _, known := starts[key]; !known {
			starts[key] = c.Start
		}
		return starts[key] != c.Start
	})
}

// generator draws one scenario.
type generator struct {
	features

	t       *rapid.T
	cfg     ledger.Config
	length  int          // seconds
	devices []gpu.Device // also partitions, and those that only a reference names
	tenancy []tenancy
	events  []point
	windows [3]time.Duration // of the output metrics
}

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
