// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package dcgmreceiver

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/activity"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/engine"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/sample"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/session"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/topology"
)

// covered is a board of which samples covered some seconds so far.
func covered(uuid string, status engine.Status, seconds int) session.Account {
	return session.Account{
		Device: topology.Device{UUID: uuid, Status: status}, Newest: int64(seconds) * 1e6,
		Points: []activity.Point{{Engine: activity.Any, Observed: time.Duration(seconds) * time.Second}, {Engine: activity.SM, Observed: time.Hour}},
		Drops:  map[sample.Drop]int64{sample.Blank: int64(seconds)},
	}
}

func TestCoverage(t *testing.T) {
	tally := newTally()
	at := gpu.Earliest
	collect := func(accounts ...session.Account) {
		at = at.Add(10 * time.Second)
		tally.add(accounts, nil, at)
	}
	_, due := tally.coverage()
	require.False(t, due, "nothing is due")
	for i := range 7 {
		collect(covered("GPU-a", engine.OK, 10*i), covered("GPU-b", engine.OK, 10*i))
	}
	got, _ := tally.coverage()
	require.InDelta(t, 1, got, 0)
	for range 3 {
		collect(covered("GPU-a", engine.OK, 60), covered("GPU-b", engine.Lost, 60))
	}
	got, _ = tally.coverage()
	require.InDelta(t, 0.5, got, 1e-9, "both are silent for 30 s of 60")
	require.Equal(t, map[string]int64{"ok": 1, "lost": 1}, tally.devices)
}

// TestCountsOfEndedDevices stay: counters never go down.
func TestCountsOfEndedDevices(t *testing.T) {
	tally := newTally()
	tally.add([]session.Account{covered("GPU-a", engine.OK, 5), covered("GPU-b", engine.OK, 7)}, nil, 1)
	ended := covered("GPU-b", engine.OK, 8)
	ended.Ended = true
	changes := tally.add([]session.Account{ended, covered("GPU-a", engine.Lost, 5), covered("GPU-b", engine.OK, 1)}, nil, 2)
	require.Equal(t, map[string]int64{"blank": 14}, tally.drops.sum())
	require.Equal(t, []change{{"GPU-b", "ok", "gone"}, {"GPU-a", "ok", "lost"}}, changes)
	require.Equal(t, gpu.Time(time.Second), tally.newest, "of the device that is silent longest")
	tally.add(nil, nil, 3)
	require.Zero(t, tally.newest)
}
