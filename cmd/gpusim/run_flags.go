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
)

// runFlags are the flags of gpusim run.
type runFlags struct {
	simulationFlags
	endpoint    string
	connections int
	bundle      time.Duration
	speed       float64
	start       string
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
	if err := parse(o.flags(), args, stderr); err != nil {
		return o, err
	}
	if err := o.check(); err != nil {
		fmt.Fprintln(stderr, "gpusim run:", err)
		return o, errUsage
	}
	return o, nil
}

func (o *runFlags) check() error {
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
	if _, err := time.Parse(time.RFC3339, o.start); err != nil && o.start != "" && o.start != "now" {
		return fmt.Errorf("--start is %q: want now, or a time as 2026-01-05T00:00:00Z", o.start)
	}
	return nil
}

// parse reads flags only.
func parse(f *flag.FlagSet, args []string, stderr io.Writer) error {
	f.SetOutput(stderr)
	if err := f.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return err
		}
		return errUsage // printed by the flag set
	}
	if rest := f.Args(); len(rest) > 0 {
		fmt.Fprintf(stderr, "%s: %q isn't a flag; flags begin with --\n", f.Name(), rest[0])
		return errUsage
	}
	return nil
}
