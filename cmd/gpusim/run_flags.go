// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/feed"
	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/scenario"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// runFlags are the flags of gpusim run.
type runFlags struct {
	simulationFlags
	endpoint    string
	connections int
	bundle      time.Duration
	speed       float64
	start       string
	begin       gpu.Time // of a start that is a time
	timeout     time.Duration
	collector   feed.Collector
}

// maxConnections is more than any collector gains by.
const maxConnections = 256

// flags returns the flags of gpusim run, which write to o.
func (o *runFlags) flags() *flag.FlagSet {
	f := flag.NewFlagSet("gpusim run", flag.ContinueOnError)
	o.register(f)
	f.StringVar(&o.endpoint, "endpoint", "127.0.0.1:4317", "OTLP/gRPC `address` of the collector")
	f.IntVar(&o.connections, "connections", 1, "how many connections send at once; a node always uses the same one")
	f.DurationVar(&o.bundle, "bundle", 0, "send what arrives within this time as one request (default: one for each node and collection)")
	f.Float64Var(&o.speed, "speed", 0, "how much faster than real time (default: as fast as the collector takes it)")
	f.StringVar(&o.start, "start", "", "when the world begins, as 2026-01-05T00:00:00Z; or now: it ends now (with --speed: nothing is told before it happens)")
	f.DurationVar(&o.timeout, "timeout", 0, "stop, and fail, after this time (default: never)")
	f.DurationVar(&o.collector.MaxGap, "max-gap", 90*time.Second, "max_gap of the collector")
	f.DurationVar(&o.collector.Settle, "settle", 15*time.Second, "settle_delay of the collector")
	return f
}

func parseRunFlags(args []string, stderr io.Writer) (runFlags, error) {
	var o runFlags
	err := parse(o.flags(), args, stderr, o.check)
	return o, err
}

func (o *runFlags) check() error {
	if err := o.simulationFlags.check(); err != nil {
		return err
	}
	switch {
	case o.connections < 1 || o.connections > maxConnections:
		return fmt.Errorf("--connections is %d: want 1 to %d", o.connections, maxConnections)
	case o.bundle < 0 || o.bundle > time.Minute:
		return fmt.Errorf("--bundle is %s: want 0s to 1m", o.bundle)
	case o.speed < 0 || o.speed > 1e6 || o.speed != o.speed:
		return fmt.Errorf("--speed is %g: want more than 0, as 60 for an hour in a minute, or 0", o.speed)
	case o.timeout < 0:
		return fmt.Errorf("--timeout is %s: want more than 0s", o.timeout)
	case o.collector.MaxGap <= 0 || o.collector.MaxGap > time.Hour:
		return fmt.Errorf("--max-gap is %s: want more than 0s, to 1h, as in the collector's configuration", o.collector.MaxGap)
	case o.collector.Settle < 0 || o.collector.Settle > time.Hour:
		return fmt.Errorf("--settle is %s: want 0s to 1h, as in the collector's configuration", o.collector.Settle)
	}
	if o.start == "now" {
		return nil
	}
	return o.checkStart("now, or ")
}

// checkStart says what is wrong with a start that is a time; or is what else
// the flag takes.
func (o *runFlags) checkStart(or string) error {
	if o.start == "" {
		return nil
	}
	start, err := time.Parse(time.RFC3339, o.start)
	if err != nil || !scenario.CanStart(start) {
		return fmt.Errorf("--start is %q: want %s%s", o.start, or, scenario.StartWanted)
	}
	o.begin = gpu.Time(start.UnixNano())
	return nil
}

// parse reads flags only, then checks them.
func parse(f *flag.FlagSet, args []string, stderr io.Writer, check func() error) error {
	f.SetOutput(stderr)
	if err := f.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return err
		}
		return errUsage // printed by the flag set
	}
	err := check()
	if rest := f.Args(); len(rest) > 0 {
		err = fmt.Errorf("%q isn't a flag; flags begin with --", rest[0])
	}
	if err != nil {
		fmt.Fprintf(stderr, "%s: %s\n", f.Name(), err)
		return errUsage
	}
	return nil
}
