// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpuaccountingprocessor

import (
	"context"
	"errors"
	"math"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/config/configoptional"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpupdata"
)

// epoch is second 0 of the tests; their wall clock stands an hour later.
const epoch = 1_700_000_000 * gpu.Time(time.Second)

func wallClock() time.Time { return time.Unix(0, int64(epoch.Add(time.Hour))) }

func second(s float64) gpu.Time { return epoch + gpu.Time(s*1e9) }

// tick is one collection of one node: a device at the given activity, held by
// one pod whose output counter stands at tokens.
func tick(s, activity, tokens float64) gpu.Batch {
	device := gpu.Device{ID: "GPU-1", Node: "n1", Cluster: "c1"}
	pod := gpu.Holder{
		Namespace: "ml", Pod: "chat-0", PodUID: "uid-0", Container: "vllm",
		Workload: gpu.Workload{Kind: "Deployment", Name: "chat", Class: gpu.ClassInference},
	}
	return gpu.Batch{
		Samples: []gpu.Sample{{Device: device, Source: "prof", Time: second(s), Value: activity}},
		Memory:  []gpu.Memory{{Device: device.ID, Time: second(s), Bytes: 20 << 30}},
		Allocations: []gpu.Allocation{{
			Device: device.ID, Node: "n1", Cluster: "c1", Holder: pod,
			Sharing: gpu.Exclusive, Share: 1, Time: second(s), Begin: second(0),
		}},
		AllocationCounts: []gpu.AllocationCount{{Node: "n1", Cluster: "c1", Time: second(s), Count: 1}},
		Outputs: []gpu.Output{{
			Profile: gpu.OutputProfile{Metric: "tokens"}, Join: gpu.Join{PodUID: "uid-0"},
			Start: second(-100), Time: second(s), Value: tokens,
		}},
	}
}

func testConfig() *Config {
	cfg := createDefaultConfig().(*Config)
	cfg.SettleDelay = 0
	cfg.EvidenceWindow = 10 * time.Second
	cfg.Outputs = []OutputConfig{{Metric: "tokens", Unit: "{token}"}}
	return cfg
}

func start(t *testing.T, cfg *Config, next consumer.Metrics) *accounting {
	t.Helper()
	p := newAccounting(componenttest.NewNopTelemetrySettings(), cfg, next, wallClock)
	require.NoError(t, p.Start(t.Context(), componenttest.NewNopHost()))
	t.Cleanup(func() { require.NoError(t, p.Shutdown(context.WithoutCancel(t.Context()))) })
	return p
}

func consume(t *testing.T, p *accounting, b gpu.Batch) {
	t.Helper()
	require.NoError(t, p.ConsumeMetrics(t.Context(), gpupdata.Encode(b)))
}

// accounts returns the newest published accounts, by pod UID ("" is the
// device's own).
func accounts(t *testing.T, sink *consumertest.MetricsSink) map[string]gpu.Account {
	t.Helper()
	newest := map[string]gpu.Account{}
	for _, md := range sink.AllMetrics() {
		derived, _, _ := gpupdata.DecodeDerived(md)
		for _, a := range derived.Accounts {
			newest[a.Holder.PodUID] = a
		}
	}
	return newest
}

func TestPublishesWhatTheLedgerSettles(t *testing.T) {
	sink := new(consumertest.MetricsSink)
	p := start(t, testConfig(), sink)
	for i := range 4 {
		consume(t, p, tick(float64(10*i), 0.25, float64(i/2)))
	}
	got := accounts(t, sink)["uid-0"]
	require.Equal(t, second(20), got.Time)
	require.Equal(t, 20*time.Second, got.Allocated)
	require.Equal(t, 5*time.Second, got.Active)
	require.Equal(t, 2500*time.Millisecond, got.Productive, "the rise at 20 proves (10, 20]")
}

func TestFailedSendIsDueAgain(t *testing.T) {
	sink := new(consumertest.MetricsSink)
	next := &flaky{Metrics: sink}
	p := start(t, testConfig(), next)
	for i := range 3 {
		consume(t, p, tick(float64(10*i), 0.25, 0))
	}
	sink.Reset()
	next.err = errors.New("backend is away")
	batch := tick(30, 0.25, 0)
	require.ErrorIs(t, p.ConsumeMetrics(t.Context(), gpupdata.Encode(batch)), next.err)
	require.Empty(t, sink.AllMetrics())

	next.err = nil
	consume(t, p, batch) // the sender tries again
	got := accounts(t, sink)["uid-0"]
	require.Equal(t, second(20), got.Time)
	require.Equal(t, 20*time.Second, got.Allocated, "a batch that came twice counts once")
}

// flaky fails while err is set.
type flaky struct {
	consumer.Metrics
	err error
}

func (f *flaky) ConsumeMetrics(ctx context.Context, md pmetric.Metrics) error {
	if f.err != nil {
		return f.err
	}
	return f.Metrics.ConsumeMetrics(ctx, md)
}

func TestShutdownPublishesTheRest(t *testing.T) {
	sink := new(consumertest.MetricsSink)
	cfg := testConfig()
	cfg.SettleDelay = 15 * time.Second
	p := start(t, cfg, sink)
	for i := range 3 {
		consume(t, p, tick(float64(10*i), 0.25, float64(i)))
	}
	require.Empty(t, accounts(t, sink), "the window of the last output isn't over")
	require.NoError(t, p.Shutdown(t.Context()))
	require.Equal(t, 20*time.Second, accounts(t, sink)["uid-0"].Allocated)
}

func TestOnlyOneDerivedBatchIsUnderWay(t *testing.T) {
	next := &blocking{entered: make(chan struct{}), release: make(chan struct{})}
	p := start(t, testConfig(), next)
	for i := range 2 {
		consume(t, p, tick(float64(10*i), 1, 0))
	}
	next.setBlock(true)
	var wg sync.WaitGroup
	wg.Go(func() { consume(t, p, tick(20, 1, 0)) })
	<-next.entered // a batch with derived points is on its way

	next.setBlock(false)
	consume(t, p, tick(30, 1, 0))
	require.Zero(t, next.lastDerived(), "it overtakes, so it carries none")

	close(next.release)
	wg.Wait()
	consume(t, p, tick(40, 1, 0))
	require.Positive(t, next.lastDerived(), "what was due then is due now")
}

// blocking holds up batches while block is set, and remembers how many derived
// accounts the last batch that it let pass at once had.
type blocking struct {
	mu               sync.Mutex
	block            bool
	derived          int
	entered, release chan struct{}
}

func (*blocking) Capabilities() consumer.Capabilities { return consumer.Capabilities{} }

func (b *blocking) ConsumeMetrics(_ context.Context, md pmetric.Metrics) error {
	b.mu.Lock()
	block := b.block
	if !block {
		derived, _, _ := gpupdata.DecodeDerived(md)
		b.derived = len(derived.Accounts)
	}
	b.mu.Unlock()
	if block {
		close(b.entered)
		<-b.release
	}
	return nil
}

func (b *blocking) setBlock(block bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.block = block
}

func (b *blocking) lastDerived() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.derived
}

func TestManyProducers(t *testing.T) {
	sink := new(consumertest.MetricsSink)
	cfg := testConfig()
	cfg.SettleDelay = time.Minute // they overtake each other
	p := start(t, cfg, sink)
	var wg sync.WaitGroup
	for producer := range 4 {
		wg.Go(func() {
			for i := range 25 {
				consume(t, p, tick(float64(4*i+producer), 0.5, 0))
			}
		})
	}
	wg.Wait()
	require.NoError(t, p.Shutdown(t.Context()))
	got := accounts(t, sink)["uid-0"]
	require.Equal(t, got.Time.Sub(got.Start), got.Allocated)
}

func TestForwardInputs(t *testing.T) {
	tests := map[string][]string{
		"none":   nil,
		"device": {"gpu.activity", "hw.gpu.memory.usage", "tokens"},
		"all":    {"gpu.activity", "hw.gpu.memory.usage", "tokens", "gpu.allocation", "gpu.node.allocations"},
	}
	for forward, want := range tests {
		t.Run(forward, func(t *testing.T) {
			sink := new(consumertest.MetricsSink)
			cfg := testConfig()
			cfg.ForwardInputs = forward
			consume(t, start(t, cfg, sink), tick(0, 0, 0))
			require.ElementsMatch(t, want, metricNames(sink))
		})
	}
}

func metricNames(sink *consumertest.MetricsSink) (names []string) {
	for _, md := range sink.AllMetrics() {
		for _, rm := range md.ResourceMetrics().All() {
			for _, sm := range rm.ScopeMetrics().All() {
				for _, m := range sm.Metrics().All() {
					names = append(names, m.Name())
				}
			}
		}
	}
	return names
}

func TestPriceMovesCost(t *testing.T) {
	cost := func(amount float64) float64 {
		sink := new(consumertest.MetricsSink)
		cfg := testConfig()
		if amount > 0 {
			cfg.Price = configoptional.Some(PriceConfig{Amount: amount, Currency: "EUR", Per: "hour"})
		}
		p := start(t, cfg, sink)
		for i := range 4 {
			consume(t, p, tick(float64(10*i), 0.25, 0))
		}
		return lastSum(sink, "gpu.cost")
	}
	require.InDelta(t, 1.74/3600*20, cost(1.74), 1e-8)
	require.InDelta(t, 1.01*cost(1.74), cost(1.74*1.01), 1e-8)
	require.True(t, math.IsNaN(cost(0)), "no price, no cost")
}

// lastSum adds up the newest points of a metric; NaN if there are none.
func lastSum(sink *consumertest.MetricsSink, name string) float64 {
	newest, sum := uint64(0), math.NaN()
	for _, md := range sink.AllMetrics() {
		for _, rm := range md.ResourceMetrics().All() {
			for _, sm := range rm.ScopeMetrics().All() {
				for _, m := range sm.Metrics().All() {
					if m.Name() != name {
						continue
					}
					for _, p := range m.Sum().DataPoints().All() {
						if uint64(p.Timestamp()) > newest {
							newest, sum = uint64(p.Timestamp()), 0
						}
						if uint64(p.Timestamp()) == newest {
							sum += p.DoubleValue()
						}
					}
				}
			}
		}
	}
	return sum
}
