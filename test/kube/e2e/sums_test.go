// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-gpu/otelcol-gpu/test/kube/collector"
)

// addsUp requires that the times of each device add up to that which passed, to
// the nanosecond.
func addsUp(t *testing.T, c *collector.Collector, newest time.Time) {
	t.Helper()
	type span struct {
		first, last time.Time
		total       int64
	}
	spans := map[string]*span{}
	for _, sum := range c.Sums("gpu.time", func(*collector.Sum) bool { return true }) {
		device := sum.Attributes["hw.parent"]
		if device == "" {
			device = sum.Attributes["hw.id"]
		}
		d := spans[device]
		if d == nil {
			d = &span{first: sum.First}
			spans[device] = d
		}
		if sum.First.Before(d.first) {
			d.first = sum.First
		}
		if sum.At.After(d.last) {
			d.last = sum.At
		}
		d.total += int64(math.Round(sum.Earlier*1e9)) + int64(math.Round(sum.Value*1e9))
	}
	require.Len(t, spans, wholeGPUs+2, "devices that are accounted")
	for device, d := range spans {
		assert.True(t, d.last.After(newest), "%s is settled until %v", device, d.last)
		assert.Equal(t, d.last.Sub(d.first).Nanoseconds(), d.total, "%s: the sum of all its times, and the time from %v to %v", device, d.first, d.last)
	}
}

// noneIsForeign requires that devices were active while a pod is known to have
// them, but for what the limits of begins and ends make, and for pods that the
// collector can't know of.
func noneIsForeign(t *testing.T, c *collector.Collector, unseen map[string]time.Duration) {
	t.Helper()
	for _, sum := range c.Sums("gpu.time", func(s *collector.Sum) bool { return s.Attributes["gpu.state.reason"] == "foreign_activity" }) {
		device := sum.Attributes["hw.id"]
		assert.LessOrEqual(t, sum.Total(), 5+unseen[device].Seconds(), "%s was active without a holder", device)
	}
}
