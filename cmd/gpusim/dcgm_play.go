// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/drive"
	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/feed"
	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/hostengine"
	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/replay"
	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/scenario"
	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/sink"
	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/world"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// dcgmPlay plays a scenario in real time: DCGM's clock is that of the machine.
type dcgmPlay struct {
	flags    dcgmFlags
	scenario *scenario.Scenario
	received *sink.Sink
	script   io.Writer
	stderr   io.Writer

	mu     sync.Mutex // guards engine
	engine *hostengine.Engine
}

// patience is how long a collector may take for what takes it a few seconds.
const patience = 30 * time.Second

// run plays the scenario from the moment at which the collector observes every
// device until all that was held is accounted.
func (p *dcgmPlay) run(ctx context.Context) (*simulation, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	var parts sync.WaitGroup
	defer func() { cancel(nil); parts.Wait() }()
	beside := func(part func() error) {
		parts.Go(func() {
			if err := part(); err != nil {
				cancel(err) // only the first counts
			}
		})
	}
	if err := p.observed(ctx, beside); err != nil {
		return nil, err
	}
	sim, err := p.begin(time.Now().Truncate(time.Second).Add(2 * time.Second))
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	p.engine.Play(sim.world)
	p.mu.Unlock()
	last := lastHeld(sim.world)
	fmt.Fprintf(p.stderr, "The collector observes %d devices. What they do now takes %s.\n",
		len(measured(sim)), last.Sub(sim.world.Start).Round(time.Second))
	beside(func() error { return p.tell(ctx, sim) })
	return sim, p.wait(ctx, sim.span()+patience, "not all that was held is accounted",
		func(s sink.Progress) bool { return reached(sim, s.Settled, last) })
}

// observed starts the engine, with its devices at rest, and waits until the
// collector has a sample of each.
func (p *dcgmPlay) observed(ctx context.Context, beside func(func() error)) error {
	sim, err := p.begin(time.Now().Add(time.Hour)) // nothing happens yet
	if err != nil {
		return err
	}
	now := gpu.Time(time.Now().Truncate(time.Second).UnixNano())
	p.engine = hostengine.New(sim.world)
	p.engine.Off = world.Level(p.flags.off)
	if err := p.write(p.engine.Open(now)); err != nil {
		return err
	}
	beside(func() error { return p.poll(ctx, now) })
	return p.wait(ctx, patience, "not every device is observed",
		func(s sink.Progress) bool { return reached(sim, s.Observed, now) })
}

// begin returns the simulation with another start.
func (p *dcgmPlay) begin(start time.Time) (*simulation, error) {
	s := *p.scenario
	s.Start = gpu.Time(start.UnixNano())
	sim := p.flags.of(&s)
	if err := hostengine.Check(sim.world); err != nil {
		return nil, fmt.Errorf("scenario %s: %w", s.Name, err)
	}
	return sim, nil
}

func (p *dcgmPlay) wait(ctx context.Context, d time.Duration, missing string, enough func(sink.Progress) bool) error {
	ctx, cancel := context.WithTimeoutCause(ctx, d, fmt.Errorf("%s within %s: does the collector read the stand-in, and send to --sink?", missing, d))
	defer cancel()
	return p.received.Until(ctx, enough)
}

// poll lets the engine measure again and again, from t on.
func (p *dcgmPlay) poll(ctx context.Context, t gpu.Time) error {
	pace := drive.Pace(gpu.Time(time.Now().UnixNano()), 1)
	for {
		t = t.Add(p.scenario.Collection.Sample)
		if err := pace(ctx, t); err != nil {
			return err
		}
		p.mu.Lock()
		lines := p.engine.Poll(t)
		p.mu.Unlock()
		if err := p.write(lines); err != nil {
			return err
		}
	}
}

func (p *dcgmPlay) write(lines []byte) error {
	if _, err := p.script.Write(lines); err != nil {
		return fmt.Errorf("write the script of the stand-in for DCGM: %w", err)
	}
	return nil
}

// tell tells the collector who holds the devices, and what the pods produce.
func (p *dcgmPlay) tell(ctx context.Context, sim *simulation) error {
	sender, err := replay.Dial(p.flags.endpoint)
	if err != nil {
		return err
	}
	defer sender.Close()
	walk := feed.Kubernetes(feed.Node(sim.nodes[0], feed.Collector{}))
	d := &drive.Drive{
		Known: feed.Instances(sim.world.Nodes),
		Pace:  drive.Pace(gpu.Time(time.Now().UnixNano()), 1),
		Lanes: []*drive.Lane{{Walk: walk, Send: func(ctx context.Context, metrics pmetric.Metrics) (int, error) {
			// What is under way when the play ends isn't torn off.
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
			defer cancel()
			return sender.Insist(ctx, metrics)
		}}},
	}
	return d.Run(ctx)
}

// measured returns the devices of which an activity is measured: all but boards
// in MIG mode.
func measured(sim *simulation) []*world.Device {
	n := sim.world.Nodes[0]
	return slices.DeleteFunc(slices.Clone(n.Devices), func(d *world.Device) bool { return len(n.Instances(d.ID)) > 0 })
}

// reached reports whether each of them has come as far as t.
func reached(sim *simulation, come map[gpu.DeviceID]gpu.Time, t gpu.Time) bool {
	return !slices.ContainsFunc(measured(sim), func(d *world.Device) bool { return come[d.ID] < t })
}

// lastHeld returns when the last hold ends.
func lastHeld(w *world.World) gpu.Time {
	last := w.Start
	for _, p := range w.Nodes[0].Pods {
		for _, h := range p.Holds {
			last = max(last, h.To)
		}
	}
	return last
}
