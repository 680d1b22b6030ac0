// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Gpusim feeds a collector with GPU telemetry whose account is known, and
// prints what the collector made of it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
)

// command is one of gpusim's subcommands.
type command struct {
	name    string
	summary string
	run     func(ctx context.Context, args []string, stdout, stderr io.Writer) error
}

var commands = []command{
	{"demo", "replay a day of a small cluster, print where its GPU time went, check it", demo},
	{"run", "send what a scenario tells to a collector", runScenario},
	{"check", "compare what a collector exported of a scenario's time with the truth", check},
	{"dcgm", "drive the stand-in for DCGM, print the account of a collector that reads it, check it", driveDCGM},
	{"gentd26", "replay the GenTD26 recording, print where its GPU time went", gentd26},
}

// errUsage says that the command line is wrong and that this was printed.
var errUsage = errors.New("wrong usage")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run returns the exit code: 0, 1 for a failure, 2 for a wrong command line.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	if len(args) == 0 {
		usage(stderr)
		return 2
	}
	for _, c := range commands {
		if c.name == args[0] {
			return exitCode(c.run(ctx, args[1:], stdout, stderr), stderr)
		}
	}
	usage(stderr)
	if args[0] == "-h" || args[0] == "--help" || args[0] == "help" {
		return 0
	}
	fmt.Fprintf(stderr, "\ngpusim: there is no command %q\n", args[0])
	return 2
}

func exitCode(err error, stderr io.Writer) int {
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return 0
	case errors.Is(err, errUsage):
		return 2
	default:
		fmt.Fprintln(stderr, "gpusim:", err)
		return 1
	}
}

func usage(out io.Writer) {
	fmt.Fprintln(out, "gpusim COMMAND [flags]; gpusim COMMAND --help prints its flags")
	for _, c := range commands {
		fmt.Fprintf(out, "  %-10s %s\n", c.name, c.summary)
	}
}
