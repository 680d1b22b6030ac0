// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

//go:build dcgm

package blackbox

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/standin"
)

const (
	gpu0 = gpu.DeviceID("GPU-00000000-0000-0000-0000-000000000000")
	gpu1 = gpu.DeviceID("GPU-00000000-0000-0000-0000-000000000001")
)

// observes waits until samples of a device cover a second more than now.
func (w *world) observes(id gpu.DeviceID) {
	w.t.Helper()
	var before time.Duration
	w.read(func(v *view) { before = v.engine(id, "prof").observed })
	w.until(w.t, "samples cover a second more of "+string(id), func(v *view) bool {
		return v.engine(id, "prof").observed >= before+time.Second
	})
}

// source waits until the heartbeat says so.
func (w *world) source(want string) {
	w.t.Helper()
	w.until(w.t, "the source: "+want, func(v *view) bool { return v.source == want })
}

// batches waits for some more, and holds that none of them told of a device.
func (w *world) batches(n int) {
	w.t.Helper()
	var before, told int
	points := func(v *view) (sum int) {
		for _, s := range v.series {
			sum += s.points
		}
		return sum
	}
	w.read(func(v *view) { before, told = v.batches, points(v) })
	w.until(w.t, "the next batches", func(v *view) bool { return v.batches >= before+n })
	w.read(func(v *view) { require.Equal(w.t, told, points(v), "old values are told as new") })
}

// requireLoad holds that a device was busy for a part of the time exactly, so
// that no value of another, and none twice, is in its sums.
func (w *world) requireLoad(id gpu.DeviceID, part float64) {
	w.t.Helper()
	w.read(func(v *view) {
		s := v.engine(id, "prof")
		require.Positive(w.t, s.observed, id)
		require.InDelta(w.t, part*s.observed.Seconds(), s.active.Seconds(), 1e-6, "%s: %+v", id, s)
		require.InDelta(w.t, part, s.value, 0, id)
	})
}

// TestEngineIsKilled, and another one is there later, which gives our old ids to
// another client.
func TestEngineIsKilled(t *testing.T) {
	w := newWorld(t)
	w.board(0, standin.A100, 0.5)
	w.board(1, standin.A100, 0.25)
	w.run()
	w.observes(gpu1)
	w.requireHealthy("StatusOK")

	var before series
	w.say("die")
	w.source("unreachable")
	w.read(func(v *view) { before = v.engine(gpu0, "prof") })
	w.batches(2)
	w.requireHealthy("no GPU is observed (unreachable)")
	w.say("start")
	w.say("group theirs gpu 1")
	w.source("up")
	w.observes(gpu0)
	w.observes(gpu1)
	w.requireLoad(gpu0, 0.5)
	w.requireLoad(gpu1, 0.25)
	w.read(func(v *view) {
		after := v.engine(gpu0, "prof")
		require.Equal(t, before.start, after.start, "the series goes on")
		hole := after.time.Sub(after.start) - after.observed
		require.GreaterOrEqual(t, hole, 2*time.Second, "nobody saw the time without an engine")
		require.Less(t, v.widest, 10*time.Second, "a batch each second")
	})
	w.stop()
}

// TestEngineRestarts at once: it isn't away for a batch.
func TestEngineRestarts(t *testing.T) {
	w := newWorld(t)
	w.board(0, standin.A100, 0.5)
	w.run()
	for range 3 {
		w.observes(gpu0)
		w.say("die")
		w.say("start")
	}
	w.observes(gpu0)
	w.requireLoad(gpu0, 0.5)
	w.stop()
	require.Contains(t, w.log.String(), "the host engine of DCGM gives samples again")
}

// TestEngineHangs: batches come meanwhile, and nothing is lost.
func TestEngineHangs(t *testing.T) {
	w := newWorld(t)
	w.board(0, standin.A100, 0.5)
	w.run()
	w.observes(gpu0)
	w.say("hang 60000000")
	w.source("hung")
	w.batches(2)
	w.requireHealthy("no GPU is observed (hung)")
	w.say("hang 0")
	w.source("up")
	w.observes(gpu0)
	w.requireLoad(gpu0, 0.5)
	w.read(func(v *view) {
		s := v.engine(gpu0, "prof")
		require.Equal(t, s.time.Sub(s.start), s.observed, "nothing is missing")
	})
	w.stop()
}

// TestStopWhileTheEngineHangs.
func TestStopWhileTheEngineHangs(t *testing.T) {
	w := newWorld(t)
	w.board(0, standin.A100, 0.5)
	w.run()
	w.observes(gpu0)
	w.say("hang 60000000")
	w.source("hung")
	w.stop()
}

// TestNoLibrary: it is installed later.
func TestNoLibrary(t *testing.T) {
	w := newWorld(t)
	w.board(0, standin.A100, 0.5)
	path := filepath.Join(w.dir, standin.Library)
	w.start("OTELCOL_GPU_DCGM", path)
	w.source("no_library")
	w.batches(2)
	w.requireHealthy("install datacenter-gpu-manager-4-core, or name libdcgm.so.4 in library_path")
	require.NoError(t, os.Link(library, path))
	w.source("up")
	w.observes(gpu0)
	w.stop()
}

// TestBuiltWithoutCgo: the default build says what it can't.
func TestBuiltWithoutCgo(t *testing.T) {
	w := newWorld(t)
	w.start("OTELCOL_GPU", library)
	w.source("not_built")
	w.batches(2)
	w.requireHealthy("use otelcol-gpu-dcgm, the build for nodes with NVIDIA GPUs")
	w.stop()
}

// TestNoGPU is no fault, without NVML neither.
func TestNoGPU(t *testing.T) {
	w := newWorld(t)
	w.say("nvml absent")
	w.run()
	w.source("up")
	w.batches(3)
	w.requireHealthy("StatusOK")
	w.stop()
}
