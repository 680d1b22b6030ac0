// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

//go:build restart

package restart

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpupdata"
)

// batch is one request: what the node's device agent or its pod agent saw in
// one interval.
type batch struct {
	number  int
	from    gpu.Time   // the batch changes nothing earlier
	samples []gpu.Time // of the steady device
	sets    []gpu.Time // of allocations
	metrics pmetric.Metrics
}

// markerMetric carries the number of a batch to the sink. The processor doesn't
// know it, so it passes.
const markerMetric = "restart.batch"

// simulate returns the requests of the hour, in order: two agents take turns.
func simulate(t *testing.T, seed uint64) []batch {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 1))
	w := newWorld(random)
	devices, pods := newDeviceAgent(&w, random), podAgent{world: &w, produced: map[string]float64{}}
	var batches []batch
	add := func(from time.Duration, b gpu.Batch) {
		n := len(batches)
		batches = append(batches, batch{
			number: n, from: epoch.Add(from), samples: steadySamples(b), sets: setTimes(b), metrics: encode(n, b),
		})
	}
	for from := time.Duration(0); from < hour; from += interval {
		add(from, devices.watch(from, from+interval))
		// A rise in it proves what was active a window before.
		add(from-interval/2-window, pods.watch(from-interval/2, from+interval/2))
	}
	require.NotEmpty(t, batches)
	return batches
}

func encode(number int, b gpu.Batch) pmetric.Metrics {
	md := gpupdata.Encode(b)
	m := md.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty().Metrics().AppendEmpty()
	m.SetName(markerMetric)
	m.SetEmptyGauge().DataPoints().AppendEmpty().SetIntValue(int64(number))
	return md
}

func steadySamples(b gpu.Batch) (times []gpu.Time) {
	for _, s := range b.Samples {
		if s.Device.ID == steadyDevice && s.Engine == gpu.EngineAny {
			times = append(times, s.Time)
		}
	}
	return times
}

func setTimes(b gpu.Batch) (times []gpu.Time) {
	for _, c := range b.AllocationCounts {
		times = append(times, c.Time)
	}
	return times
}

// merge makes one request of each size successive ones: the same points in
// other batches.
func merge(batches []batch, size int) []batch {
	var merged []batch
	for _, b := range batches {
		if b.number%size == 0 {
			b.number = len(merged)
			copied := pmetric.NewMetrics()
			b.metrics.CopyTo(copied)
			b.metrics = copied
			merged = append(merged, b)
			continue
		}
		copied := pmetric.NewMetrics()
		b.metrics.CopyTo(copied)
		copied.ResourceMetrics().MoveAndAppendTo(merged[len(merged)-1].metrics.ResourceMetrics())
	}
	return merged
}
