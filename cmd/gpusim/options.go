// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/recording"
	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/table"
)

// options are the flags of gpusim gentd26.
type options struct {
	data         string
	from, to     time.Duration
	endpoint     string
	counters     string
	settle       time.Duration
	price        table.Price
	perContainer bool
	top          int
	json         string
}

func parseOptions(args []string, stderr io.Writer) (options, error) {
	o := options{to: recording.End}
	var price, currency string
	f := flag.NewFlagSet("gpusim gentd26", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.StringVar(&o.data, "data", "", "`folder` of the recording")
	f.Func("from", "replay from this many `seconds` after the first sample of the whole recording", secondsFlag(&o.from))
	f.Func("to", "replay up to this many `seconds` after it (default: to the end)", secondsFlag(&o.to))
	f.StringVar(&o.endpoint, "endpoint", "127.0.0.1:4317", "OTLP/gRPC `address` of the collector")
	f.StringVar(&o.counters, "counters", "http://127.0.0.1:8889/metrics", "`URL` of the collector's prometheus exporter")
	f.DurationVar(&o.settle, "settle", 15*time.Second, "settle_delay of the collector")
	f.StringVar(&price, "price", "", "what one GPU costs per hour, as 1.74 (default: no cost)")
	f.StringVar(&currency, "currency", "EUR", "currency `code` of the price")
	f.BoolVar(&o.perContainer, "per-container", false, "print a row for every container")
	f.IntVar(&o.top, "top", 10, "how many of the largest holders to print")
	f.StringVar(&o.json, "json", "", "write the figures to this `file`, too, in nanoseconds")
	if err := f.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return o, err
		}
		return o, errUsage // printed by the flag set
	}
	err := o.check(f.Args(), price, currency)
	if err != nil {
		fmt.Fprintln(stderr, "gpusim gentd26:", err)
		return o, errUsage
	}
	return o, nil
}

func (o *options) check(rest []string, price, currency string) (err error) {
	switch {
	case len(rest) > 0:
		return fmt.Errorf("%q isn't a flag; flags begin with --", rest[0])
	case o.data == "":
		return errors.New("--data is missing: name the folder of the recording")
	case o.settle < 0 || o.settle > time.Hour:
		return fmt.Errorf("--settle is %s: want 0s to 1h, as in the collector's configuration", o.settle)
	case o.top < 0:
		return fmt.Errorf("--top is %d: want 0 or more", o.top)
	case price != "":
		if o.price, err = table.ParsePrice(price, currency); err != nil {
			return fmt.Errorf("--price %q: %w", price, err)
		}
	}
	return nil
}

func secondsFlag(d *time.Duration) func(string) error {
	return func(text string) (err error) {
		*d, err = recording.ParseSeconds(text)
		return err
	}
}
