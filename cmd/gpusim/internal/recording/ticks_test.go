// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package recording

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

func TestTicksSamples(t *testing.T) {
	ticks := tiny(t).Ticks()
	require.Len(t, ticks, 5)
	times := make([]gpu.Time, 0, len(ticks))
	for _, tick := range ticks {
		times = append(times, tick.Time)
	}
	assert.Equal(t, []gpu.Time{sec(0), sec(57), sec(114), sec(171), sec(228)}, times)
	assert.Equal(t, []gpu.Sample{
		{Device: device(alpha), Engine: gpu.EngineAny, Source: "util", Time: sec(57), Value: 0.5},
		{Device: device(beta), Engine: gpu.EngineAny, Source: "util", Time: sec(57), Value: 0.1},
	}, ticks[1].Batch.Samples)
	assert.Equal(t, gpu.Device{
		ID: "GPU-00112233-4455-6677-8899-aabbccddeeff", Node: "gentd26", Cluster: "gentd26",
	}, device(alpha))
}

func TestTicksMemory(t *testing.T) {
	ticks := tiny(t).Ticks()
	assert.Empty(t, ticks[2].Batch.Memory)
	assert.Equal(t, []gpu.Memory{{Device: alpha.Device(), Time: sec(124), Bytes: 8 << 30}}, ticks[3].Batch.Memory,
		"between two ticks: with the later one; a container without samples has no device")
	assert.Empty(t, ticks[4].Batch.Memory, "after the last tick")
}

func TestTicksAllocations(t *testing.T) {
	ticks := tiny(t).Ticks()
	for i, want := range [][]Container{{alpha}, {alpha, beta}, {alpha, beta}, {alpha, beta}, {alpha}} {
		batch := ticks[i].Batch
		assert.Equal(t, []gpu.AllocationCount{
			{Node: "gentd26", Cluster: "gentd26", Time: ticks[i].Time, Count: len(want)},
		}, batch.AllocationCounts)
		require.Len(t, batch.Allocations, len(want), "tick %d", i)
		for j, c := range want {
			assert.Equal(t, c.Device(), batch.Allocations[j].Device)
			assert.Equal(t, ticks[i].Time, batch.Allocations[j].Time)
		}
	}
	assert.Equal(t, gpu.Allocation{
		Device: beta.Device(), Node: "gentd26", Cluster: "gentd26",
		Holder: gpu.Holder{
			Namespace: "gentd26", Pod: "container-ffeeddccbbaa",
			PodUID:   "ffeeddcc-bbaa-9988-7766-554433221100",
			Workload: gpu.Workload{Class: gpu.ClassInference},
		},
		Sharing: gpu.Exclusive, Share: 1, Time: sec(171), Begin: sec(57),
	}, ticks[3].Batch.Allocations[1])
}

func TestTicksOutputs(t *testing.T) {
	var outputs []gpu.Output
	for _, tick := range tiny(t).Ticks() {
		for _, o := range tick.Batch.Outputs {
			assert.Equal(t, tick.Time, o.Time)
			outputs = append(outputs, o)
		}
	}
	require.Len(t, outputs, 4, "of alpha only, at its samples")
	for i, want := range []struct {
		at    int64
		value float64
	}{{0, 0}, {57, 57 * 0.125}, {114, 57 * 0.125}, {228, 57 * 0.375}} {
		assert.Equal(t, gpu.Output{
			Profile: Output,
			Join:    gpu.Join{PodUID: alpha.UUID(), Namespace: "gentd26", Pod: "container-001122334455"},
			Start:   sec(0), Time: sec(want.at), Value: want.value,
		}, outputs[i])
	}
}

func TestEnding(t *testing.T) {
	ending := tiny(t).Ending(15 * time.Second)
	require.Len(t, ending, 5)
	for i, tick := range ending {
		at := sec(228).Add(time.Duration(i+1) * Step)
		assert.Equal(t, at, tick.Time)
		assert.Equal(t, []gpu.AllocationCount{{Node: "gentd26", Cluster: "gentd26", Time: at}}, tick.Batch.AllocationCounts)
		if i > 0 {
			assert.Empty(t, tick.Batch.SeriesEnds)
		}
	}
	assert.Equal(t, []gpu.SeriesEnd{
		{Device: device(alpha), Engine: gpu.EngineAny, Source: "util", Time: sec(228)},
		{Device: device(beta), Engine: gpu.EngineAny, Source: "util", Time: sec(228)},
	}, ending[0].Batch.SeriesEnds, "beta ended before, its device stays until the end")
}

func TestEndingSettles(t *testing.T) {
	r := tiny(t)
	for _, settle := range []time.Duration{0, 15 * time.Second, 56 * time.Second, 57 * time.Second, time.Hour} {
		ending := r.Ending(settle)
		newest := ending[len(ending)-1].Time
		taken := 0 // steps that are taken and past all that could hold back
		for _, tick := range ending {
			if tick.Time.Sub(sec(228)) > MaxGap && tick.Time <= newest.Add(-settle) {
				taken++
			}
		}
		assert.Positive(t, taken, settle)
	}
}
