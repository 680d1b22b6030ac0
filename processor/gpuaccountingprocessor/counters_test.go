// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpuaccountingprocessor

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestCountersNeverFall: what the component counts goes on when new streams
// begin, as its process does.
func TestCountersNeverFall(t *testing.T) {
	n := newNode(t).start()
	late := func() int64 { return n.observeSelf().PointsDropped["late"] }
	step, before := 0, int64(0)
	next := func() {
		n.consume(work(step))
		step++
		require.GreaterOrEqual(t, late(), before)
		before = late()
	}
	for range 2 { // twice the streams are given up
		for range 6 {
			next()
		}
		settled := before
		n.consume(work(step - 6))
		require.Greater(t, late(), settled)
		before = late()

		n.disk.Before(full)
		for ; !n.keeper.anew; n.clock = n.clock.Add(10 * time.Second) {
			next()
		}
		require.Empty(t, n.disk.Stored())
		n.disk.Before(nil)
	}
}
