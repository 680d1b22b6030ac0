// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package dcgmreceiver

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.uber.org/zap"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/metadata"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/session"
)

// remedies say what to do about an engine that gives nothing.
var remedies = map[session.Reason]string{
	session.NotBuilt:    "use otelcol-gpu-dcgm, the build for nodes with NVIDIA GPUs (make build-dcgm), or take this receiver out",
	session.NoLibrary:   "install datacenter-gpu-manager-4-core, or name libdcgm.so.4 in library_path",
	session.Unreachable: "start nv-hostengine there, or set endpoint; mode: embedded runs an engine in this process",
	session.Gone:        "it is connected to again as soon as it is back; if it dies again and again, look into its log",
	session.Hung:        "it is waited for; if it doesn't wake, restart nv-hostengine",
	session.Refused:     "see the error; the collector and nv-hostengine need the same release of DCGM, and one dcgm receiver per collector is all that DCGM allows",
}

// telemetry is what the component says of itself.
type telemetry struct {
	set   component.TelemetrySettings
	meter *metadata.Meter
	state func() session.State // never waits for the engine

	mu       sync.Mutex // guards what follows; held before the session's lock
	host     component.Host
	stopped  bool
	known    session.Reason // as was told
	told     bool           // that something is amiss
	failures map[string]int64
	ledger   tally
}

func newTelemetry(set component.TelemetrySettings) *telemetry {
	return &telemetry{set: set, known: session.Starting, failures: map[string]int64{}, ledger: newTally()}
}

func (t *telemetry) start(host component.Host, state func() session.State) (err error) {
	t.host, t.state = host, state
	t.meter, err = metadata.Register(t.set, t.read)
	return err
}

func (t *telemetry) stop() error { return t.meter.Unregister() }

// stopping says that what the engine does from now on is nobody's concern.
func (t *telemetry) stopping() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stopped = true
}

// called notes how long the engine took to answer.
func (t *telemetry) called(call string, took time.Duration) {
	t.meter.Called(context.Background(), call, took)
}

// look sees how it stands with the engine, and says so if that has changed.
func (t *telemetry) look() {
	t.mu.Lock()
	defer t.mu.Unlock()
	state := t.state()
	if t.stopped || state.Reason == t.known || state.Reason == session.Stopped {
		return
	}
	t.known = state.Reason
	if state.Up() {
		t.recovered()
		return
	}
	t.failures[string(state.Reason)]++
	remedy := remedies[state.Reason]
	t.set.Logger.Warn("the host engine of DCGM gives nothing", zap.String("reason", string(state.Reason)),
		zap.Error(state.Err), zap.String("remedy", remedy))
	t.told = true
	componentstatus.ReportStatus(t.host, componentstatus.NewRecoverableErrorEvent(
		fmt.Errorf("no GPU is observed (%s): %w: %s", state.Reason, state.Err, remedy)))
}

// recovered says that the engine gives samples. The caller holds the lock.
func (t *telemetry) recovered() {
	if !t.told {
		return
	}
	t.told = false
	t.set.Logger.Info("the host engine of DCGM gives samples again")
	componentstatus.ReportStatus(t.host, componentstatus.NewEvent(componentstatus.StatusOK))
}

// collected takes note of what a collection read.
func (t *telemetry) collected(accounts []session.Account, state session.State, at gpu.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, change := range t.ledger.add(accounts, state.Lacks, at) {
		t.set.Logger.Info("a device isn't what it was", zap.String("device", change.device),
			zap.String("before", change.before), zap.String("now", change.now))
	}
}

// read returns everything that the component says of itself.
func (t *telemetry) read() metadata.Telemetry {
	t.mu.Lock()
	defer t.mu.Unlock()
	state := t.state()
	out := metadata.Telemetry{
		EngineUp: state.Up(), Reconnects: state.Reconnects, Failures: maps.Clone(t.failures),
		Devices: maps.Clone(t.ledger.devices), Unusable: maps.Clone(t.ledger.unusable),
		Dropped: t.ledger.drops.sum(), Events: t.ledger.events.sum(),
	}
	out.Coverage, out.Covered = t.ledger.coverage()
	if t.ledger.newest != 0 {
		out.Age, out.Aged = max(time.Since(time.Unix(0, int64(t.ledger.newest))), 0), true
	}
	return out
}
