// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger_test

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// TestPropOracleAddsUp: the oracle itself books every nanosecond once: a
// device's states are its settled time, and the partitions of a board and the
// board itself are the board's real time.
func TestPropOracleAddsUp(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		f := drawFeatures(t)
		f.Ends = rapid.Bool().Draw(t, "ends")
		s := drawScenarioWith(t, f)
		oracle := runOracle(s.cfg, merge(s.events), true)
		sums := map[gpu.DeviceID]time.Duration{}
		for key, got := range oracle.Totals {
			for c, nanos := range got.States {
				if nanos < 0 {
					t.Fatalf("%v of %v: %v\n%s", c, key, nanos, s)
				}
				sums[key.Device] += nanos
			}
		}
		for id, span := range oracle.Span {
			if sums[id] != span {
				t.Fatalf("%s: Σ states = %v, settled time = %v\n%s", id, sums[id], span, s)
			}
		}
		if wrong := oracle.unbalancedBoards(oracle.spans()); wrong != "" {
			t.Fatalf("%s\n%s", wrong, s)
		}
	})
}

// unbalancedBoards holds the settled times of a board and its partitions
// against real time, and says where they differ. Partitions that are settled
// further than their board are cut at its settled time.
func (r oracleResult) unbalancedBoards(spans map[gpu.DeviceID]time.Duration) string {
	for id, of := range r.Boards {
		sum := spans[id] - of.Plain - of.Beyond
		for _, p := range of.Partitions {
			sum += spans[p]
		}
		if sum != of.Real {
			return fmt.Sprintf("%s: its partitions and its own slices have %v, real time is %v", id, sum, of.Real)
		}
	}
	return ""
}
