// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package feed

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/watch"
	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/world"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/internal/ledger"
)

// published returns how much time of each device a ledger has published once
// it was fed, by device, and its counts of what it didn't take.
func published(w *world.World, s watch.Settings) (map[gpu.DeviceID]time.Duration, ledger.Counts) {
	cfg := ledger.DefaultConfig()
	l := ledger.New(cfg)
	var walks []Walk
	for _, n := range w.Nodes {
		walks = append(walks, Node(watch.New(w, n, s), Collector{cfg.MaxGap, cfg.SettleDelay}))
	}
	accounts := map[string]gpu.Account{}
	for _, d := range all(Merge(walks...)) {
		l.Observe(d.Batch)
		for derived, due := l.Due(); due; derived, due = l.Due() {
			for _, a := range derived.Accounts {
				accounts[fmt.Sprint(a.Device.ID, a.Kind, a.Holder.Key(), a.Attribution, a.Start)] = a
			}
			l.Confirm(derived)
		}
	}
	times := map[gpu.DeviceID]time.Duration{}
	for _, a := range accounts {
		for _, s := range a.States {
			times[a.Device.ID] += s.Nanos
		}
	}
	return times, l.Counts()
}

// The ending lets a ledger publish all the time of the world, and no more.
func TestEndingPublishesEverything(t *testing.T) {
	for _, gauges := range []bool{false, true} {
		s := every(10 * time.Second)
		s.Gauges = gauges
		times, counts := published(eventful(), s)
		assert.Zero(t, counts.Points[ledger.Late])
		board := times["GPU-b"] + times["MIG-1"] + times["MIG-2"] + times["MIG-3"]
		assert.Equal(t, 298*time.Second+watch.BoardTail, board, "the clock was set back by 2 s")
		assert.Equal(t, 300*time.Second, times["GPU-a"])
		assert.Equal(t, 300*time.Second, times["GPU-s"])
	}
}
