// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package dcgmreceiver

import (
	"context"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/collector/receiver/receiverhelper"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/dcgm"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/engine"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/points"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/session"
)

// dcgmReceiver sends what the session has added up, at every collection.
type dcgmReceiver struct {
	cfg      *Config
	next     consumer.Metrics
	own      *telemetry
	obs      *receiverhelper.ObsReport
	open     engine.Opener
	now      func() gpu.Time
	disabled map[string]bool

	// What follows belongs to whoever collects: the loop, after it Shutdown.
	session *session.Session
	writer  *points.Writer
	unsent  []pmetric.Metrics // batches that were refused, and told an end

	stopLoop, stopSession context.CancelFunc
	loop, engine          chan struct{} // closed when they have ended
}

func newReceiver(set receiver.Settings, cfg *Config, next consumer.Metrics) (*dcgmReceiver, error) {
	obs, err := receiverhelper.NewObsReport(receiverhelper.ObsReportSettings{
		ReceiverID: set.ID, Transport: "dcgm", ReceiverCreateSettings: set,
	})
	if err != nil {
		return nil, err
	}
	return &dcgmReceiver{
		cfg: cfg, next: next, obs: obs, own: newTelemetry(set.TelemetrySettings), now: clock(time.Now), disabled: cfg.disabled(),
		open:   func(ctx context.Context) (engine.Client, error) { return dcgm.Open(ctx, cfg.engine()) },
		writer: points.NewWriter(cfg.Node, cfg.ClusterName),
	}, nil
}

// Start begins to collect. An engine that is away is no reason not to.
func (r *dcgmReceiver) Start(_ context.Context, host component.Host) error { //nolint:contextcheck // what runs outlives the context of the start
	if err := r.begin(host); err != nil { //nolint:contextcheck // likewise
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	r.stopLoop, r.loop = cancel, make(chan struct{})
	go func() {
		defer close(r.loop)
		r.collectEvery(ctx, r.cfg.CollectionInterval)
	}()
	return nil
}

// begin lets the session run.
func (r *dcgmReceiver) begin(host component.Host) error {
	c := r.cfg.session()
	c.Open, c.Changed, c.Called = r.open, r.own.look, r.own.called
	r.session = session.New(c)
	if err := r.own.start(host, r.session.State); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	r.stopSession, r.engine = cancel, make(chan struct{})
	go func() {
		defer close(r.engine)
		r.session.Run(ctx)
	}()
	return nil
}

// How long Shutdown waits for an engine that hangs, and for the last batch.
const (
	releaseWithin = 8 * time.Second
	flushWithin   = time.Second
)

// Shutdown stops everything that Start began, and sends what was sampled since
// the last collection. Only a call that hangs in DCGM's library outlives it:
// nobody can end that, and with it the connection is given back.
func (r *dcgmReceiver) Shutdown(ctx context.Context) error {
	if r.stopSession == nil {
		return nil
	}
	if r.stopLoop != nil {
		r.stopLoop()
		<-r.loop
	}
	state := r.session.State()
	r.own.stopping()
	r.stopSession()
	if !wait(ctx, r.engine, releaseWithin) {
		r.own.set.Logger.Warn("the host engine hangs: the connection to it isn't given back before it wakes or this process ends")
	}
	r.stopSession = nil
	ctx, cancel := context.WithTimeout(ctx, flushWithin)
	defer cancel()
	r.collect(ctx, state)
	return r.own.stop()
}

// wait waits until done is closed, and reports whether it is.
func wait(ctx context.Context, done <-chan struct{}, within time.Duration) bool {
	timer := time.NewTimer(within)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-ctx.Done():
	case <-timer.C:
	}
	return false
}

func (r *dcgmReceiver) collectEvery(ctx context.Context, interval time.Duration) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		r.collect(ctx, r.session.State())
	}
}

// clock returns the time, never the same twice and never an earlier one.
func clock(now func() time.Time) func() gpu.Time {
	last := gpu.NoTime
	return func() gpu.Time {
		last = max(last+1, gpu.Time(now().UnixNano()))
		return last
	}
}
