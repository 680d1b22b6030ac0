// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/internal/ledger"
)

// TestGroupForgetsMembers: what a group knows doesn't grow with the pods that it
// ever had.
func TestGroupForgetsMembers(t *testing.T) {
	l := ledger.New(scenarioConfig())
	member := func(name string, on gpu.DeviceID) gpu.Allocation {
		a := held(name, 0)
		a.Device, a.Begin, a.Holder.Workload.Group = on, gpu.NoTime, "group"
		return a
	}
	var sizes []int
	for minute := range 120 { // of which each has another second member
		for second := 0; second < 60; second += 10 {
			at := float64(60*minute + second)
			now := new(tape).gauge(at, 0.5).output(at, "stays", at).
				set(at, member("stays", caseDevice), member(fmt.Sprintf("pod-%03d", minute), "GPU-1"))
			l.Observe(merge(now.events))
			due, _ := l.Due()
			l.Confirm(due)
		}
		sizes = append(sizes, len(l.Save()))
	}
	require.InEpsilon(t, sizes[59], sizes[119], 0.05, "bytes, after an hour and after two")
}
