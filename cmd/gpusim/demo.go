// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/counters"
	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/feed"
	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/sink"
)

// demoFlags are the flags of gpusim demo.
type demoFlags struct {
	runFlags
	counters string
	sink     string
}

// demo replays a scenario, prints the account that a collector made of it and
// compares it with what the rules make of what was told.
func demo(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	o := demoFlags{runFlags: runFlags{
		connections: 1,
		collector:   feed.Collector{MaxGap: 90 * time.Second, Settle: 15 * time.Second}, // the defaults
	}}
	f := flag.NewFlagSet("gpusim demo", flag.ContinueOnError)
	o.register(f)
	f.StringVar(&o.endpoint, "endpoint", "127.0.0.1:4317", "OTLP/gRPC `address` of the collector")
	countersFlag(f, &o.counters)
	f.StringVar(&o.sink, "sink", "127.0.0.1:4319", "`address` to which the collector's otlp_grpc exporter sends")
	if err := parse(f, args, stderr, o.simulationFlags.check); err != nil {
		return err
	}
	s, err := o.load()
	if err != nil {
		return err
	}
	if s.Start, err = o.startOf(s, o.length(s), time.Now()); err != nil {
		return err
	}
	sim := o.of(s)
	truth := sync.OnceValue(sim.truth)
	go truth() // takes seconds, in which the collector works
	exports, err := o.replay(ctx, sim, stderr)
	if err != nil {
		return err
	}
	return reportDemo(stdout, o, sim, truth(), exports)
}

// exports are what the collector exported, in two ways.
type exports struct {
	prometheus, otlp counters.Export
}

// replay lets a collector account the simulation.
func (o demoFlags) replay(ctx context.Context, sim *simulation, stderr io.Writer) (e exports, err error) {
	before, err := counters.Fetch(ctx, o.counters)
	if err != nil {
		return e, err
	}
	if len(before.Accounts) > 0 {
		return e, fmt.Errorf("the collector at %s has already accounted something: start a new one for each replay", o.counters)
	}
	received, err := sink.Listen(o.sink)
	if err != nil {
		return e, err
	}
	defer received.Close()
	if err := o.send(ctx, sim, stderr); err != nil {
		return e, err
	}
	if e.otlp, err = received.Export(); err != nil {
		return e, err
	}
	e.prometheus, err = counters.Fetch(ctx, o.counters)
	return e, err
}

func (o demoFlags) send(ctx context.Context, sim *simulation, stderr io.Writer) error {
	d, closeAll, err := o.drive(sim)
	if err != nil {
		return err
	}
	defer closeAll()
	m := newMonitor(stderr, d, sim.world.Start, sim.span(), o.length(sim.scenario))
	err = d.Run(ctx)
	fmt.Fprintln(stderr, m.stop())
	return err
}
