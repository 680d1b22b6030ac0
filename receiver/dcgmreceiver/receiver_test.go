// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package dcgmreceiver

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/receiver/receivertest"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpupdata"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/engine"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/metadata"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/session"
)

// host notes what components report.
type host struct {
	component.Host
	mu     sync.Mutex
	events []string
}

func (h *host) Report(e *componentstatus.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	text := e.Status().String()
	if e.Err() != nil {
		text += ": " + e.Err().Error()
	}
	h.events = append(h.events, text)
}

func (h *host) reported() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := h.events
	h.events = nil
	return out
}

// rig is a receiver with a fake engine, in a bubble of synctest: its time passes
// when everybody sleeps.
type rig struct {
	*dcgmReceiver
	t    *testing.T
	f    *fakeEngine
	sink *consumertest.MetricsSink
	host *host
	full atomic.Bool // the next consumer refuses
}

// inBubble runs a test with a receiver that was started.
func inBubble(t *testing.T, f *fakeEngine, change func(*Config), test func(*testing.T, *rig)) {
	t.Helper()
	r := newRig(t, f, change) // its settings can't be made in a bubble
	synctest.Test(t, func(t *testing.T) {
		r.t = t
		time.Sleep(time.Until(time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC))) // bubbles begin in 2000
		require.NoError(t, r.Start(t.Context(), r.host))
		t.Cleanup(func() {
			require.NoError(t, r.Shutdown(t.Context()))
			require.NoError(t, r.Shutdown(t.Context()), "a second shutdown is fine")
		})
		test(t, r)
	})
}

func newRig(t *testing.T, f *fakeEngine, change func(*Config)) *rig {
	t.Helper()
	cfg := validConfig()
	if change != nil {
		change(cfg)
	}
	r := &rig{t: t, f: f, sink: new(consumertest.MetricsSink), host: &host{Host: componenttest.NewNopHost()}}
	next, err := consumer.NewMetrics(r.consume)
	require.NoError(t, err)
	created, err := NewFactory().CreateMetrics(t.Context(), receivertest.NewNopSettings(metadata.Type), cfg, next)
	require.NoError(t, err)
	r.dcgmReceiver = created.(*dcgmReceiver)
	r.open = f.open
	return r
}

func (r *rig) consume(ctx context.Context, md pmetric.Metrics) error {
	if r.full.Load() {
		return errors.New("full")
	}
	return r.sink.ConsumeMetrics(ctx, md)
}

// pass lets time pass, and returns what was sent meanwhile.
func (r *rig) pass(d time.Duration) []pmetric.Metrics {
	r.t.Helper()
	r.sink.Reset()
	time.Sleep(d)
	synctest.Wait()
	return r.sink.AllMetrics()
}

// decoded reads a batch as the ledger does, and what it says of the source.
func decoded(t *testing.T, md pmetric.Metrics) (gpu.Batch, string) {
	t.Helper()
	b, drops := gpupdata.NewDecoder(gpupdata.Settings{}).Decode(md, gpu.NoTime)
	require.Empty(t, drops)
	for _, rm := range md.ResourceMetrics().All() {
		for _, m := range rm.ScopeMetrics().At(0).Metrics().All() {
			if m.Name() != gpupdata.MetricSourceUp {
				continue
			}
			p := m.Gauge().DataPoints().At(0)
			if p.IntValue() == 1 {
				return b, "up"
			}
			reason, _ := p.Attributes().Get(gpupdata.AttrSourceReason)
			return b, reason.Str()
		}
	}
	return b, "no heartbeat"
}

// observed returns what the last batches say that samples cover of a device.
func observed(t *testing.T, all []pmetric.Metrics, id gpu.DeviceID) time.Duration {
	t.Helper()
	var newest time.Duration
	for _, md := range all {
		b, _ := decoded(t, md)
		for _, c := range b.Counters {
			if c.Device.ID == id && c.Part == gpu.ObservedPart && c.Engine == gpu.EngineAny {
				newest = max(newest, time.Duration(c.Nanos))
			}
		}
	}
	return newest
}

func (r *rig) requireSource(all []pmetric.Metrics, batches int, want string) {
	r.t.Helper()
	require.Len(r.t, all, batches)
	_, got := decoded(r.t, all[len(all)-1])
	require.Equal(r.t, want, got)
}

func ok(boards int) *fakeEngine {
	f := &fakeEngine{}
	for range boards {
		f.statuses = append(f.statuses, engine.OK)
	}
	return f
}

func TestFactory(t *testing.T) {
	require.Equal(t, "dcgm", NewFactory().Type().String())
	require.Equal(t, metadata.MetricsStability, NewFactory().MetricsStability())
}

func TestShutdownWithoutStart(t *testing.T) {
	r := newRig(t, ok(1), nil)
	require.NoError(t, r.Shutdown(t.Context()))
	require.NoError(t, r.Shutdown(t.Context()))
}

// TestEverySampleCounts, up to the last before the end.
func TestEverySampleCounts(t *testing.T) {
	f := ok(2)
	inBubble(t, f, nil, func(t *testing.T, r *rig) {
		all := r.pass(64 * time.Second)
		r.requireSource(all, 6, "up")
		require.GreaterOrEqual(t, observed(t, all, "GPU-1"), 54*time.Second)
		r.sink.Reset()
		require.NoError(t, r.Shutdown(t.Context()))
		all = r.sink.AllMetrics()
		r.requireSource(all, 1, "up")
		require.Equal(t, 64*time.Second, observed(t, all, "GPU-0"))
		require.Equal(t, 1, f.closed)
		require.Empty(t, r.host.reported())
	})
}

// TestHeartbeat: a batch at each collection, whatever is away, and one report of
// each change.
func TestHeartbeat(t *testing.T) {
	for reason, test := range map[session.Reason]struct {
		refusal error
		remedy  string
	}{
		session.NotBuilt:    {engine.ErrNotBuilt, "otelcol-gpu-dcgm"},
		session.NoLibrary:   {fmt.Errorf("%w: no such file", engine.ErrNoLibrary), "datacenter-gpu-manager-4-core"},
		session.Unreachable: {errors.New("nobody listens"), "start nv-hostengine"},
		session.Refused:     {engine.ErrInUse, "one dcgm receiver"},
	} {
		f := ok(1)
		f.refusal = test.refusal
		inBubble(t, f, nil, func(t *testing.T, r *rig) {
			r.requireSource(r.pass(121*time.Second), 12, string(reason))
			reported := r.host.reported()
			require.Len(t, reported, 1, "said once")
			require.Contains(t, reported[0], "StatusRecoverableError: no GPU is observed ("+string(reason)+"): "+test.refusal.Error())
			require.Contains(t, reported[0], test.remedy)
			f.change(func() { f.refusal = nil })
			r.requireSource(r.pass(60*time.Second), 6, "up")
			require.Equal(t, []string{"StatusOK"}, r.host.reported())
		})
	}
}

// TestNoGPU is no fault.
func TestNoGPU(t *testing.T) {
	inBubble(t, ok(0), nil, func(t *testing.T, r *rig) {
		all := r.pass(31 * time.Second)
		r.requireSource(all, 3, "up")
		require.Equal(t, 1, all[0].DataPointCount(), "the heartbeat")
		require.Empty(t, r.host.reported())
	})
}

// TestEngineDies: nothing of it is told as new, and the series go on when
// another one is there.
func TestEngineDies(t *testing.T) {
	f := ok(1)
	inBubble(t, f, nil, func(t *testing.T, r *rig) {
		before := observed(t, r.pass(31*time.Second), "GPU-0")
		f.change(func() { f.fault, f.refusal = engine.ErrGone, errors.New("nobody listens") })
		all := r.pass(60 * time.Second)
		r.requireSource(all, 6, "unreachable")
		b, _ := decoded(t, all[5])
		require.Empty(t, append(b.Samples, gpu.Sample{})[1:], "a dead engine's samples are told")
		require.Empty(t, b.Statuses)
		reported := r.host.reported()
		require.Len(t, reported, 2)
		require.Contains(t, reported[0], "(gone)")
		f.change(func() { f.fault, f.refusal = nil, nil })
		after := observed(t, r.pass(60*time.Second), "GPU-0")
		require.Greater(t, after, before)
		require.Less(t, after, 100*time.Second, "the time without an engine is observed")
		require.Equal(t, []string{"StatusOK"}, r.host.reported())
		require.EqualValues(t, 1, r.own.read().Reconnects)
	})
}

// TestEngineHangs: no batch waits for it, and nothing is lost.
func TestEngineHangs(t *testing.T) {
	f := ok(1)
	inBubble(t, f, nil, func(t *testing.T, r *rig) {
		r.pass(31 * time.Second)
		wake := make(chan struct{})
		f.change(func() { f.hang = wake })
		r.requireSource(r.pass(60*time.Second), 6, "hung")
		require.Len(t, r.host.reported(), 1)
		f.change(func() { f.hang = nil })
		close(wake)
		all := r.pass(20 * time.Second)
		r.requireSource(all, 2, "up")
		require.GreaterOrEqual(t, observed(t, all, "GPU-0"), 100*time.Second)
		require.Equal(t, []string{"StatusOK"}, r.host.reported())
	})
}

// TestShutdownOfAHungEngine doesn't wait until it wakes.
func TestShutdownOfAHungEngine(t *testing.T) {
	f := ok(1)
	inBubble(t, f, nil, func(t *testing.T, r *rig) {
		r.pass(31 * time.Second)
		wake := make(chan struct{})
		f.change(func() { f.hang = wake })
		r.pass(20 * time.Second)
		before := time.Now()
		require.NoError(t, r.Shutdown(t.Context()))
		require.LessOrEqual(t, time.Since(before), 10*time.Second)
		require.Equal(t, 0, f.closed)
		close(wake)
		<-r.engine
		require.Equal(t, 1, f.closed)
	})
}

// TestDeviceIsLost, and comes back.
func TestDeviceIsLost(t *testing.T) {
	f := ok(2)
	inBubble(t, f, nil, func(t *testing.T, r *rig) {
		before := observed(t, r.pass(31*time.Second), "GPU-1")
		f.change(func() { f.statuses[1] = engine.Lost })
		all := r.pass(60 * time.Second)
		b, source := decoded(t, all[5])
		require.Equal(t, "up", source)
		require.Len(t, b.Statuses, 2)
		require.True(t, b.Statuses[1].Failed)
		require.LessOrEqual(t, observed(t, all, "GPU-1"), before+11*time.Second)
		require.GreaterOrEqual(t, observed(t, all, "GPU-0"), 80*time.Second)
		require.Equal(t, map[string]int64{"ok": 1, "lost": 1}, r.own.read().Devices)
		f.change(func() { f.statuses[1] = engine.OK })
		require.Greater(t, observed(t, r.pass(60*time.Second), "GPU-1"), before+40*time.Second)
	})
}

// TestRefusedBatch: an end that it told is told again, within bounds.
func TestRefusedBatch(t *testing.T) {
	f := ok(2)
	f.names = []string{"GPU-a", "GPU-b"}
	inBubble(t, f, nil, func(t *testing.T, r *rig) {
		r.pass(31 * time.Second)
		r.full.Store(true)
		for i := range 20 { // another board each time
			f.change(func() { f.names = []string{"GPU-a", fmt.Sprintf("GPU-%d", i)} })
			r.pass(20 * time.Second)
		}
		require.Len(t, r.unsent, mostUnsent)
		r.full.Store(false)
		all := r.pass(10 * time.Second)
		require.Len(t, all, 1)
		b, _ := decoded(t, all[0])
		ends := map[gpu.DeviceID]bool{}
		for _, e := range b.SeriesEnds {
			ends[e.Device.ID] = true
		}
		require.Len(t, ends, mostUnsent)
		require.True(t, ends["GPU-18"])
		require.Empty(t, r.unsent)
	})
}

func TestMetricIsLeftOut(t *testing.T) {
	off := false
	inBubble(t, ok(1), func(c *Config) {
		c.Metrics = map[string]MetricConfig{gpupdata.MetricActivity: {Enabled: &off}, gpupdata.MetricSourceUp: {Enabled: &off}}
	}, func(t *testing.T, r *rig) {
		all := r.pass(31 * time.Second)
		b, source := decoded(t, all[2])
		require.Empty(t, b.Samples)
		require.NotEmpty(t, b.Counters)
		require.Equal(t, "no heartbeat", source)
		require.Equal(t, 1, all[2].ResourceMetrics().Len(), "no empty resource")
	})
}
