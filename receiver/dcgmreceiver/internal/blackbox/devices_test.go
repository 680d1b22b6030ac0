// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

//go:build dcgm

package blackbox

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/standin"
)

// TestGPUIsLost, and comes back; the other one doesn't notice.
func TestGPUIsLost(t *testing.T) {
	w := newWorld(t)
	w.board(0, standin.H100, 0.5)
	w.board(1, standin.H100, 0.25)
	w.run()
	w.observes(gpu1)
	w.say("status 1 4")
	w.until(t, "it has failed", func(v *view) bool { return v.status[gpu1] == "failed" })
	var lost series
	w.read(func(v *view) { lost = v.engine(gpu1, "prof") })
	w.observes(gpu0)
	w.observes(gpu0)
	w.read(func(v *view) {
		require.Less(t, v.engine(gpu1, "prof").time.Sub(lost.time), time.Second, "a lost GPU is told as new")
		require.Equal(t, "ok", v.status[gpu0])
	})
	w.say("status 1 1")
	w.observes(gpu1)
	w.until(t, "it is fine again", func(v *view) bool { return v.status[gpu1] == "ok" })
	w.requireLoad(gpu0, 0.5)
	w.requireLoad(gpu1, 0.25)
	w.stop()
}

// TestMIGIsLaidOutAnew: DCGM gives the ids of old instances to new ones.
func TestMIGIsLaidOutAnew(t *testing.T) {
	w := newWorld(t)
	w.board(0, standin.H100, 0,
		standin.Instance{Profile: "1g.10gb", Slices: 1, UUID: "MIG-a", NVML: 9},
		standin.Instance{Profile: "3g.40gb", Slices: 3, UUID: "MIG-b", NVML: 1})
	w.busy(standin.CI(0), 0.5)
	w.busy(standin.CI(1), 0.25)
	w.run()
	w.observes("MIG-b")
	w.read(func(v *view) {
		require.Equal(t, []gpu.DeviceID{"MIG-a", "MIG-b"}, v.devices(), "a board's activity is its parts'")
		require.Equal(t, 2, v.parts[gpu0])
	})
	w.requireLoad("MIG-a", 0.5)
	w.requireLoad("MIG-b", 0.25)

	w.say("remove-mig 0")
	w.until(t, "the parts have ended", func(v *view) bool { return v.parts[gpu0] == 0 && len(v.devices()) == 0 })
	require.NoError(t, w.engine.Instances(0, standin.H100, standin.Instance{Profile: "7g.80gb", Slices: 7, UUID: "MIG-c", NVML: 0}))
	w.busy(standin.CI(0), 0.75)
	w.observes("MIG-c")
	w.requireLoad("MIG-c", 0.75)
	w.read(func(v *view) {
		require.Equal(t, []gpu.DeviceID{"MIG-c"}, v.devices())
		require.Equal(t, 1, v.parts[gpu0])
	})
	w.stop()
}

// TestUnsupportedField spoils nothing: an L40S has no FP64 profiling, a P4 none
// at all.
func TestUnsupportedField(t *testing.T) {
	w := newWorld(t)
	w.board(0, standin.L40S, 0.5)
	w.board(1, standin.P4, 0)
	require.NoError(t, w.engine.Set(standin.GPU(1), 203, standin.Int(25)))
	w.run()
	w.observes(gpu0)
	w.requireLoad(gpu0, 0.5)
	w.until(t, "the P4 has the driver's figure", func(v *view) bool {
		s := v.engine(gpu1, "util")
		return s.observed > 0 && s.active*4 == s.observed
	})
	w.read(func(v *view) { require.Zero(t, v.engine(gpu1, "prof")) })
	w.stop()
}

// TestFirstSample of profiling on Hopper is none: it is missing, not idle.
func TestFirstSample(t *testing.T) {
	w := newWorld(t)
	w.board(0, standin.H100, 0.5)
	w.run()
	w.observes(gpu0)
	w.requireLoad(gpu0, 0.5)
	w.read(func(v *view) {
		s := v.engine(gpu0, "prof")
		require.Equal(t, s.time.Sub(s.start), s.observed)
	})
	w.stop()
}

// TestSameXIDTwice is two errors, whether they are told in two batches or in one:
// what tells them apart is the time. Read again, it is none.
func TestSameXIDTwice(t *testing.T) {
	w := newWorld(t)
	w.board(0, standin.H100, 0.5)
	w.board(1, standin.H100, 0.5)
	w.run()
	w.observes(gpu0)
	happens := func(at time.Time) {
		require.NoError(t, w.engine.Sample(standin.GPU(0), 230, at.UnixMicro(), 0, standin.Int(79)))
	}
	rises := func(to int64) {
		w.until(t, "the XID is counted", func(v *view) bool { return v.xid(gpu0, "79") == to })
	}
	happens(time.Now())
	rises(1)
	happens(time.Now())
	rises(2)
	w.observes(gpu0)
	w.observes(gpu0)
	together := time.Now()
	happens(together)
	happens(together.Add(time.Millisecond))
	rises(4)
	w.observes(gpu0)
	w.read(func(v *view) {
		told := v.xids[xid{gpu0, "79"}]
		require.True(t, slices.IsSorted(told), "%v", told)
		require.Zero(t, told[0], "a new series begins at 0, so that its first rise is one")
		require.EqualValues(t, 4, told[len(told)-1], "an error that is read again is counted again")
		require.Len(t, v.xids, 1, "nobody else had one")
	})
	w.stop()
}
