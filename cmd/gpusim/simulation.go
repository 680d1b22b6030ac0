// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"flag"
	"fmt"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/feed"
	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/scenario"
	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/watch"
	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/world"
)

// simulationFlags name a world and say how closely it is watched. What is 0
// is as the scenario says.
type simulationFlags struct {
	scenario string
	duration time.Duration
	nodes    int
	interval time.Duration
	kind     string
}

func (o *simulationFlags) register(f *flag.FlagSet) {
	f.StringVar(&o.scenario, "scenario", cmp.Or(o.scenario, "demo"), "`name` of a scenario or a file with one")
	f.DurationVar(&o.duration, "duration", 0, "how long it lasts (default: as the scenario says)")
	f.IntVar(&o.nodes, "nodes", 0, "how many nodes it has (default: as the scenario says)")
	f.DurationVar(&o.interval, "interval", 0, "time between two collections (default: as the scenario says)")
	f.StringVar(&o.kind, "kind", "", "what is told of devices, `sums|gauges` (default: as the scenario says)")
}

// simulation is a world as it is watched.
type simulation struct {
	scenario *scenario.Scenario
	world    *world.World
	nodes    []*watch.Node
}

// check says what is wrong with the flags whatever the scenario is.
func (o *simulationFlags) check() error {
	switch {
	case o.duration < 0:
		return fmt.Errorf("--duration is %s: want more than 0", o.duration)
	case o.nodes < 0 || o.nodes > scenario.MaxNodes:
		return fmt.Errorf("--nodes is %d: want 1 to %d", o.nodes, scenario.MaxNodes)
	case o.kind != "" && o.kind != "sums" && o.kind != "gauges":
		return fmt.Errorf("--kind is %q: want sums or gauges", o.kind)
	}
	if o.interval == 0 {
		return nil
	}
	return scenario.CheckInterval("--interval", o.interval)
}

// load reads the scenario and changes it as the flags say.
func (o simulationFlags) load() (*scenario.Scenario, error) {
	s, err := scenario.Load(o.scenario)
	if err == nil && o.nodes > 0 {
		s, err = s.Scale(o.nodes)
	}
	if err != nil {
		return nil, err
	}
	return s.Watch(o.interval, o.kind)
}

// of makes the world of a scenario that load returned.
func (o simulationFlags) of(s *scenario.Scenario) *simulation {
	sim := &simulation{scenario: s, world: s.World()}
	if o.duration > 0 {
		cut(sim.world, o.duration)
	}
	for _, n := range sim.world.Nodes {
		sim.nodes = append(sim.nodes, watch.New(sim.world, n, settingsOf(s.Collection)))
	}
	return sim
}

func settingsOf(c scenario.Collection) watch.Settings {
	return watch.Settings{Interval: c.Interval, Sample: c.Sample, Scrape: c.Scrape, Gauges: c.Kind == "gauges"}
}

// walk is what a collector gets of the simulation.
func (s *simulation) walk(c feed.Collector) feed.Walk {
	walks := make([]feed.Walk, 0, len(s.nodes))
	for _, n := range s.nodes {
		walks = append(walks, feed.Node(n, c))
	}
	return feed.Merge(walks...)
}

func (s *simulation) span() time.Duration { return s.world.End.Sub(s.world.Start) }

// cut ends a world early.
func cut(w *world.World, after time.Duration) {
	w.End = min(w.End, w.Start.Add(after))
	for _, n := range w.Nodes {
		for _, d := range n.Devices {
			d.Life.To = min(d.Life.To, w.End)
		}
	}
}
