// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpuaccountingprocessor

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpupdata"
)

// fleet is the i-th collection of a node with a device that pods share, one
// whose holders come and go, and a board with two instances.
func fleet(i int) gpu.Batch {
	now := second(float64(10 * i))
	instance := func(id gpu.DeviceID, n int) gpu.Device {
		return gpu.Device{ID: id, Parent: "GPU-3", Slices: gpu.Slices{N: n, Of: 7}, Node: "n1", Cluster: "c1"}
	}
	var b gpu.Batch
	for j, d := range []gpu.Device{
		{ID: "GPU-1", Node: "n1", Cluster: "c1"},
		{ID: "GPU-2", Node: "n1", Cluster: "c1"},
		instance("MIG-1", 3), instance("MIG-2", 2),
	} {
		b.Samples = append(b.Samples, gpu.Sample{Device: d, Source: "prof", Time: now, Value: float64((i+j)%4) / 3})
	}
	holds := func(d gpu.DeviceID, pod string, sharing gpu.Sharing, share float64, slots gpu.Slots) {
		b.Allocations = append(b.Allocations, gpu.Allocation{
			Device: d, Node: "n1", Cluster: "c1", Holder: gpu.Holder{Namespace: "ml", Pod: pod, PodUID: pod},
			Sharing: sharing, Share: share, Slots: slots, Time: now, Begin: second(0),
		})
	}
	holds("GPU-1", "a", gpu.TimeSlicing, 0.25, gpu.Slots{N: 1, Of: 4})
	holds("GPU-1", "b", gpu.TimeSlicing, 0.5, gpu.Slots{N: 2, Of: 4})
	holds("MIG-1", "c", gpu.MIG, 1, gpu.Slots{})
	if i%7 < 4 {
		holds("GPU-2", fmt.Sprint("d", i/7), gpu.Exclusive, 1, gpu.Slots{})
	}
	b.AllocationCounts = []gpu.AllocationCount{{Node: "n1", Cluster: "c1", Time: now, Count: len(b.Allocations)}}
	b.PartitionCounts = []gpu.PartitionCount{{
		Board: gpu.Device{ID: "GPU-3", Node: "n1", Cluster: "c1"}, Time: now, Count: 2,
	}}
	return b
}

// watcher keeps what every batch with derived points says of the ledger, also
// of those that it refuses.
type watcher struct {
	err   error
	sends []map[string]pmetric.NumberDataPoint // the last point of each gpu.ledger.*
}

var _ consumer.Metrics = (*watcher)(nil)

func (*watcher) Capabilities() consumer.Capabilities { return consumer.Capabilities{} }

func (w *watcher) ConsumeMetrics(_ context.Context, md pmetric.Metrics) error {
	if derived, _, _ := gpupdata.DecodeDerived(md); isDue(derived) {
		w.sends = append(w.sends, healthPoints(md))
	}
	return w.err
}

func (w *watcher) last() map[string]pmetric.NumberDataPoint { return w.sends[len(w.sends)-1] }

func healthPoints(md pmetric.Metrics) map[string]pmetric.NumberDataPoint {
	said := map[string]pmetric.NumberDataPoint{}
	eachPoints(md, func(name string, points pmetric.NumberDataPointSlice) {
		switch name {
		case gpupdata.MetricLedgerError, gpupdata.MetricLedgerLag,
			gpupdata.MetricLedgerCoverage, gpupdata.MetricLedgerClamped:
			for _, p := range points.All() {
				said[name] = p
			}
		}
	})
	return said
}

func eachPoints(md pmetric.Metrics, f func(string, pmetric.NumberDataPointSlice)) {
	for _, rm := range md.ResourceMetrics().All() {
		for _, sm := range rm.ScopeMetrics().All() {
			for _, m := range sm.Metrics().All() {
				switch m.Type() {
				case pmetric.MetricTypeSum:
					f(m.Name(), m.Sum().DataPoints())
				case pmetric.MetricTypeGauge:
					f(m.Name(), m.Gauge().DataPoints())
				}
			}
		}
	}
}

// requireError requires that the self-check of a send found so much.
func requireError(t *testing.T, want time.Duration, said map[string]pmetric.NumberDataPoint) {
	t.Helper()
	require.Contains(t, said, gpupdata.MetricLedgerError)
	require.InDelta(t, want.Seconds(), said[gpupdata.MetricLedgerError].DoubleValue(), 1e-12)
}

// TestTrueSendsHaveNoError: whatever is shared, partitioned and ends, whichever
// sends fail, and whatever comes again.
func TestTrueSendsHaveNoError(t *testing.T) {
	for name, fails := range map[string]func(i int) bool{
		"all arrive":       func(int) bool { return false },
		"the first fail":   func(i int) bool { return i < 6 },
		"every other":      func(i int) bool { return i%2 == 0 },
		"most of them":     func(i int) bool { return i%5 != 0 },
		"while pods leave": func(i int) bool { return i%7 >= 3 },
	} {
		for _, granularity := range []string{granularityPod, granularityWorkload} {
			t.Run(name+", by "+granularity, func(t *testing.T) {
				w, cfg := new(watcher), testConfig()
				cfg.Granularity = granularity
				p := start(t, cfg, w)
				for i := range 40 {
					w.err = nil
					if fails(i) {
						w.err = errDisk
					}
					_ = p.ConsumeMetrics(t.Context(), gpupdata.Encode(fleet(i)))
					_ = p.ConsumeMetrics(t.Context(), gpupdata.Encode(fleet(i/2)))
				}
				w.err = nil
				require.NoError(t, p.Shutdown(t.Context()))
				require.Greater(t, len(w.sends), 38)
				for _, said := range w.sends {
					requireError(t, 0, said)
					require.Len(t, said, 4)
				}
			})
		}
	}
}

// TestPlantedFaults: what goes wrong between the ledger and the wire is told,
// with the amount that is missing or too much since the last accepted send.
func TestPlantedFaults(t *testing.T) {
	idle := func(p pmetric.NumberDataPoint) bool { return attribute(p, gpupdata.AttrState) == "idle" }
	for name, tt := range map[string]struct {
		tamper             func(pmetric.NumberDataPointSlice)
		want, afterFailure time.Duration
	}{
		// A quarter of every 10 s is active, the rest is idle.
		"a series dropped": {
			tamper: func(points pmetric.NumberDataPointSlice) { points.RemoveIf(idle) },
			want:   -7500 * time.Millisecond, afterFailure: -15 * time.Second,
		},
		"a share doubled": { // of the 30 s, and 40 s, that there are
			tamper: func(points pmetric.NumberDataPointSlice) {
				for _, p := range points.All() {
					if !idle(p) {
						p.SetDoubleValue(2 * p.DoubleValue())
					}
				}
			},
			want: 7500 * time.Millisecond, afterFailure: 10 * time.Second,
		},
		"all counted twice": {
			tamper: func(points pmetric.NumberDataPointSlice) {
				for i := range points.Len() {
					p := points.AppendEmpty()
					points.At(i).CopyTo(p)
					p.Attributes().PutStr(gpupdata.AttrPodUID, "other")
				}
			},
			want: 30 * time.Second, afterFailure: 40 * time.Second,
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, failed := range []int{0, 1} {
				w := new(watcher)
				p := start(t, testConfig(), w)
				i := 0
				next := func(err error) {
					w.err = err
					for sends := len(w.sends); len(w.sends) == sends; i++ {
						require.ErrorIs(t, p.ConsumeMetrics(t.Context(), gpupdata.Encode(tick(float64(10*i), 0.25, 0))), err)
					}
				}
				next(nil)
				next(nil)
				requireError(t, 0, w.last())
				p.tamper = onTime(tt.tamper)
				want := tt.want
				for range failed {
					next(errDisk)
					requireError(t, want, w.last())
					want = tt.afterFailure
				}
				next(nil)
				requireError(t, want, w.last())
			}
		})
	}
}

// onTime has a fault of the points of gpu.time.
func onTime(fault func(pmetric.NumberDataPointSlice)) func(pmetric.Metrics) {
	return func(md pmetric.Metrics) {
		eachPoints(md, func(name string, points pmetric.NumberDataPointSlice) {
			if name == gpupdata.MetricTime {
				fault(points)
			}
		})
	}
}

func attribute(p pmetric.NumberDataPoint, key string) string {
	v, _ := p.Attributes().Get(key)
	return v.AsString()
}

// TestAnErrorIsLoggedOnce, and no true send logs one.
func TestAnErrorIsLoggedOnce(t *testing.T) {
	core, logs := observer.New(zap.ErrorLevel)
	set := componenttest.NewNopTelemetrySettings()
	set.Logger = zap.New(core)
	p := newAccounting(set, testConfig(), new(watcher), wallClock)
	require.NoError(t, p.Start(t.Context(), componenttest.NewNopHost()))
	for i := range 5 {
		consume(t, p, tick(float64(10*i), 0.25, 0))
	}
	require.Empty(t, logs.All())
	p.tamper = onTime(func(points pmetric.NumberDataPointSlice) {
		points.At(0).SetDoubleValue(points.At(0).DoubleValue() + 1e-9)
	})
	for i := 5; i < 9; i++ {
		consume(t, p, tick(float64(10*i), 0.25, 0))
	}
	require.NoError(t, p.Shutdown(t.Context()))
	require.Len(t, logs.All(), 1)
	require.Contains(t, logs.All()[0].Message, "don't add up to the time that passed")
	said := logs.All()[0].ContextMap()
	require.Equal(t, "n1", said["node"])
	require.Equal(t, time.Nanosecond, said["error"])
	require.Contains(t, said["remedy"], "report it")
}

// TestCoverage: the part that isn't unobserved, since the last accepted send.
func TestCoverage(t *testing.T) {
	w, cfg := new(watcher), testConfig()
	cfg.Outputs = nil
	p := start(t, cfg, w)
	coverage := func() float64 { return w.last()[gpupdata.MetricLedgerCoverage].DoubleValue() }
	for _, s := range []float64{0, 30, 60} {
		consume(t, p, free(s))
	}
	require.InDelta(t, 1, coverage(), 0)
	w.err = errDisk
	require.ErrorIs(t, p.ConsumeMetrics(t.Context(), gpupdata.Encode(free(180))), errDisk) // max_gap is 90 s
	require.InDelta(t, 0, coverage(), 0)
	w.err = nil
	consume(t, p, free(220))
	require.InDelta(t, 0.25, coverage(), 0, "40 of 160 s")
}

// TestClamped: holders that are told late. After a restart their counter goes on;
// but of the first send no error and no coverage is claimed: what ended before
// is unknown.
func TestClamped(t *testing.T) {
	w, n := new(watcher), newNode(t)
	type clamped struct {
		start, time gpu.Time
		seconds     float64
		said        int
	}
	takes := func(b gpu.Batch) clamped {
		n.next = w
		n.consume(b)
		p := w.last()[gpupdata.MetricLedgerClamped]
		return clamped{gpu.Time(p.StartTimestamp()), gpu.Time(p.Timestamp()), p.DoubleValue(), len(w.last())}
	}
	n.start().consume(free(0))
	require.Equal(t, clamped{second(0), second(10), 0, 4}, takes(free(10)))
	require.Equal(t, clamped{second(0), second(20), 0, 4}, takes(free(20)))
	n.consume(tick(30, 0, 0)) // its holder began at 0, up to 20 all is settled
	require.Equal(t, clamped{second(0), second(30), 20, 4}, takes(tick(40, 0, 0)))
	require.Equal(t, clamped{second(0), second(40), 20, 4}, takes(tick(50, 0, 0)))
	n.start()
	require.Equal(t, clamped{second(0), second(50), 20, 2}, takes(tick(60, 0, 0)))
	late := tick(70, 0, 0)
	late.Allocations[0].Holder.PodUID, late.Allocations[0].Holder.Pod = "uid-1", "chat-1"
	require.Equal(t, clamped{second(0), second(70), 70, 4}, takes(late))
	requireError(t, 0, w.last())
}
