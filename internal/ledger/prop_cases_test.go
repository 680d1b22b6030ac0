// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger_test

import (
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

func (c *tape) endsSums(at float64) *tape {
	return c.add(at, gpu.Batch{SeriesEnds: []gpu.SeriesEnd{{
		Device: gpu.Device{ID: caseDevice, Node: caseNode}, Source: sumSource, Time: sec(at),
	}}})
}

// TestCaseBoundaries: what is neither below nor above.
func TestCaseBoundaries(t *testing.T) {
	threshold := scenarioConfig().IdleThreshold
	for name, c := range map[string]struct {
		tape *tape
		want totals
	}{
		"an end at the time of the set that lacks the holder": {
			new(tape).gauge(0, 0).set(0, held("A", 0)).ended(10, "A").gauge(10, 0).set(10),
			totals{`GPU-0 "A" idle{provisioning between_work unknown}`: 10 * time.Second},
		},
		"sums of a first life don't shadow gauges of the second": {
			new(tape).pair(107, 110, 3, 3).endsSums(111).clock(112).gauge(118, 0).set(118.8, held("A", 100)).
				gauge(119, 0).gauge(120, 0).set(128, held("A", 100)),
			totals{`GPU-0 "A" unobserved{activity  }`: time.Second, `GPU-0 "A" idle{provisioning between_work unknown}`: 2 * time.Second},
		},
		"activity at the threshold is no idle stretch": {
			new(tape).gauge(0, 0).set(0, held("A", 0)).gauge(10, threshold).set(10, held("A", 0)).
				gauge(20, threshold).set(20, held("A", 0)),
			totals{
				`GPU-0 "A" idle{provisioning between_work unknown}`: 18_966_000_000,
				`GPU-0 "A" unproven{no_app_metric  }`:               1_034_000_000,
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			oracle := runOracle(scenarioConfig(), merge(c.tape.events), true)
			if diff := gocmp.Diff(c.want, oracle.flatten().states()); diff != "" {
				t.Errorf("oracle (-want +got):\n%s", diff)
			}
			if diff := gocmp.Diff(c.want, flatten(c.tape.ledger(scenarioConfig()).Snapshot()).states()); diff != "" {
				t.Errorf("ledger (-want +got):\n%s", diff)
			}
		})
	}
}
