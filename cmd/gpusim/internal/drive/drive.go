// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Package drive sends what a collector gets of a world: on several lanes at
// once, as fast as the collector takes it or at a multiple of real time.
package drive

import (
	"context"
	"sync"
	"sync/atomic"

	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/feed"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpupdata"
)

// Send sends one request and returns how often it had to be sent again.
type Send func(ctx context.Context, metrics pmetric.Metrics) (retries int, err error)

// Lane is what is sent one request after another. What arrives of a node is on
// one lane, so that its order is kept.
type Lane struct {
	Walk feed.Walk
	Send Send
	at   atomic.Int64 // the real time of the newest delivery that was sent
}

// Drive sends on all its lanes.
type Drive struct {
	Lanes []*Lane
	// Known are the MIG instances: see feed.Instances.
	Known map[gpu.DeviceID]gpu.Device
	// Pace returns when a delivery of real time t is due. Nil: at once.
	Pace func(ctx context.Context, t gpu.Time) error

	points, requests, retries atomic.Int64
}

// Totals are what was sent so far.
type Totals struct {
	Points, Requests, Retries int64
	Real                      gpu.Time // everything up to then
}

// Totals returns what was sent so far. It may be called at any time.
func (d *Drive) Totals() Totals {
	t := Totals{d.points.Load(), d.requests.Load(), d.retries.Load(), gpu.Forever}
	for _, l := range d.Lanes {
		t.Real = min(t.Real, gpu.Time(l.at.Load()))
	}
	return t
}

// Run sends everything. The first error stops all lanes.
func (d *Drive) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var lanes sync.WaitGroup
	for _, l := range d.Lanes {
		lanes.Go(func() {
			if err := d.run(ctx, l); err != nil {
				cancel(err) // only the first counts
			}
		})
	}
	lanes.Wait()
	return context.Cause(ctx)
}

func (d *Drive) run(ctx context.Context, l *Lane) error {
	for next, ok := l.Walk(); ok; next, ok = l.Walk() {
		if d.Pace != nil {
			if err := d.Pace(ctx, next.Real); err != nil {
				return err
			}
		}
		metrics := gpupdata.EncodeKnowing(next.Batch, d.Known)
		points := metrics.DataPointCount()
		retries, err := l.Send(ctx, metrics)
		d.retries.Add(int64(retries))
		if err != nil {
			return err
		}
		d.points.Add(int64(points))
		d.requests.Add(1)
		l.at.Store(int64(next.Real))
	}
	l.at.Store(int64(gpu.Forever)) // it holds nothing back
	return nil
}
