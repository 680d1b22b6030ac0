// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/sink"
	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/world"
)

// dcgmFlags are the flags of gpusim dcgm.
type dcgmFlags struct {
	simulationFlags
	endpoint, sink, script string
	off                    int
}

// driveDCGM lets the stand-in for DCGM measure what a scenario says, as it
// happens, tells a collector the rest, and holds its account to the truth.
func driveDCGM(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	o := dcgmFlags{simulationFlags: simulationFlags{scenario: "dcgm"}}
	f := flag.NewFlagSet("gpusim dcgm", flag.ContinueOnError)
	o.register(f)
	f.StringVar(&o.endpoint, "endpoint", "127.0.0.1:4317", "OTLP/gRPC `address` of the collector, for what DCGM doesn't know: allocations and outputs")
	f.StringVar(&o.sink, "sink", "127.0.0.1:4319", "`address` to which the collector's otlp_grpc exporter sends")
	f.StringVar(&o.script, "script", os.Getenv("DCGM_STANDIN_SCRIPT"), "`file` that the stand-in reads (default: DCGM_STANDIN_SCRIPT)")
	f.IntVar(&o.off, "off", 0, "a fault: measure so many thousandths too much wherever something runs")
	if err := parse(f, args, stderr, o.check); err != nil {
		return err
	}
	s, err := o.load()
	if err != nil {
		return err
	}
	received, err := sink.Listen(o.sink)
	if err != nil {
		return err
	}
	defer received.Close()
	// Each write is an event: the stand-in reads while the file grows.
	file, err := os.OpenFile(o.script, os.O_CREATE|os.O_TRUNC|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("open the script of the stand-in for DCGM: %w", err)
	}
	defer file.Close()
	p := &dcgmPlay{flags: o, scenario: s, received: received, script: file, stderr: stderr}
	sim, err := p.run(ctx)
	if err != nil {
		return err
	}
	export, err := received.Export()
	if err != nil {
		return err
	}
	return reportDCGM(stdout, sim, export)
}

func (o *dcgmFlags) check() error {
	switch {
	case o.script == "":
		return errors.New("--script is missing: name the file that the stand-in for DCGM reads")
	case o.off < 0 || o.off > int(world.Full):
		return fmt.Errorf("--off is %d: want 0 to %d", o.off, world.Full)
	case o.kind == "gauges":
		return errors.New("--kind is gauges: DCGM takes samples, and the collector adds all of them up")
	}
	return o.simulationFlags.check()
}
