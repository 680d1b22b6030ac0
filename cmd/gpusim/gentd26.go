// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/counters"
	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/recording"
	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/replay"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpupdata"
)

// gentd26 replays a cut of the recording and prints what the collector
// accounted.
func gentd26(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	o, err := parseOptions(args, stderr)
	if err != nil {
		return err
	}
	whole, err := recording.Read(o.data)
	if err != nil {
		return err
	}
	cut, err := whole.Cut(o.from, o.to)
	if err != nil {
		return err
	}
	if err := fresh(ctx, o.counters); err != nil {
		return err
	}
	if err := send(ctx, o, cut, stderr); err != nil {
		return err
	}
	accounts, err := accounted(ctx, o.counters)
	if err != nil && !(errors.Is(err, counters.ErrNone) && cut.Spanned() == 0) {
		return fmt.Errorf("%w; the collector's pipeline needs the gpu_accounting processor and the prometheus exporter, as in examples/recording/collector.yaml", err)
	}
	return report(stdout, o, cut, accounts)
}

// fresh checks that the collector can be read and has nothing of the
// recording yet: its ledger would take a second replay for late points.
func fresh(ctx context.Context, url string) error {
	_, err := accounted(ctx, url)
	switch {
	case errors.Is(err, counters.ErrNone):
		return nil
	case err != nil:
		return err
	default:
		return fmt.Errorf("the collector at %s has already accounted the node %s: start a new one for each replay", url, recording.Node)
	}
}

// accounted reads what the collector accounted of the recording.
func accounted(ctx context.Context, url string) ([]counters.Account, error) {
	export, err := counters.Fetch(ctx, url)
	if err != nil {
		return nil, err
	}
	accounts, err := export.Of(recording.Node)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", url, err)
	}
	return accounts, nil
}

func send(ctx context.Context, o options, cut recording.Recording, stderr io.Writer) error {
	sender, err := replay.Dial(o.endpoint)
	if err != nil {
		return err
	}
	defer sender.Close()
	ticks := append(cut.Ticks(), cut.Ending(o.settle)...)
	bar := newProgress(stderr, len(ticks))
	started := time.Now()
	for _, tick := range ticks {
		if err := sender.Send(ctx, gpupdata.Encode(tick.Batch)); err != nil {
			bar.stop()
			return err
		}
		bar.step()
	}
	bar.stop()
	fmt.Fprintf(stderr, "replayed %d batches in %.1f s\n", len(ticks), time.Since(started).Seconds())
	return nil
}

func writeJSON(file string, document []byte) error {
	if file == "" {
		return nil
	}
	if err := os.WriteFile(file, append(document, '\n'), 0o644); err != nil {
		return fmt.Errorf("--json: %w", err)
	}
	return nil
}
