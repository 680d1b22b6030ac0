// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/drive"
	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/feed"
	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/replay"
	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/scenario"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// runScenario sends what an agent on each node of a scenario tells, and says
// how fast that went.
func runScenario(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	o, err := parseRunFlags(args, stderr)
	if err != nil {
		return err
	}
	s, err := o.load()
	if err != nil {
		return err
	}
	length := o.length(s)
	if s.Start, err = o.startOf(s, length, time.Now()); err != nil {
		return err
	}
	sim := o.of(s)
	d, closeAll, err := o.drive(sim)
	if err != nil {
		return err
	}
	defer closeAll()
	if o.speed > 0 {
		d.Pace = drive.Pace(s.Start, o.speed)
	}
	if o.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, o.timeout, fmt.Errorf("not done within --timeout %s", o.timeout))
		defer cancel()
	}
	m := newMonitor(stderr, d, s.Start, sim.span(), length)
	err = d.Run(ctx)
	fmt.Fprintln(stdout, m.stop())
	return err
}

// length is how long it takes in real time from the start of the world to the
// last that is sent.
func (o runFlags) length(s *scenario.Scenario) time.Duration {
	length := s.Duration
	if o.duration > 0 {
		length = min(length, o.duration)
	}
	return length + feed.Ending(settingsOf(s.Collection), o.collector)
}

// ahead is how far ahead of the clock a collector still takes a point for
// true: what is dated later is dropped, and nobody is told.
const ahead = 5 * time.Minute

// startOf returns when the world begins, in a replay that begins now.
func (o runFlags) startOf(s *scenario.Scenario, length time.Duration, now time.Time) (gpu.Time, error) {
	latest := drive.Start(now, length, o.speed)
	start := cmp.Or(o.begin, s.Start)
	if o.start == "now" {
		start = gpu.Time(latest.Truncate(time.Second).UnixNano())
	}
	if most := latest.Add(ahead); start > gpu.Time(most.UnixNano()) {
		return 0, fmt.Errorf("the world begins at %s and would be told before it happens: want a start at %s or before",
			time.Unix(0, int64(start)).UTC().Format(time.RFC3339), most.UTC().Format(time.RFC3339))
	}
	return start, nil
}

// mostBundled keeps a request well below the 4 MiB that a collector takes.
const mostBundled = 100

// drive deals the nodes to the connections. What it returns closes these.
func (o runFlags) drive(sim *simulation) (*drive.Drive, func(), error) {
	lanes := make([][]feed.Walk, min(o.connections, len(sim.nodes)))
	for i, n := range sim.nodes {
		lanes[i%len(lanes)] = append(lanes[i%len(lanes)], feed.Node(n, o.collector))
	}
	d := &drive.Drive{Known: feed.Instances(sim.world.Nodes)}
	var senders []*replay.Sender
	closeAll := func() {
		for _, s := range senders {
			_ = s.Close() // it has nothing left to send
		}
	}
	for _, walks := range lanes {
		sender, err := replay.Dial(o.endpoint)
		if err != nil {
			closeAll()
			return nil, nil, err
		}
		senders = append(senders, sender)
		walk := feed.Merge(walks...)
		if o.bundle > 0 {
			walk = feed.Bundle(walk, o.bundle, mostBundled)
		}
		d.Lanes = append(d.Lanes, &drive.Lane{Walk: walk, Send: sender.Insist})
	}
	return d, closeAll, nil
}

// perSecond returns a rate in whole numbers.
func perSecond(n int64, d time.Duration) int64 {
	if d <= 0 {
		return 0
	}
	return int64(math.Round(float64(n) / d.Seconds()))
}
