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

// TestCaseLifeWithoutTime: a life that had no time doesn't move the time of its
// node, whether it is forgotten already or not.
func TestCaseLifeWithoutTime(t *testing.T) {
	short := gpu.Device{ID: "GPU-1", Node: caseNode}
	for name, news := range map[string]gpu.Batch{
		"forgotten": {},
		"kept":      {Statuses: []gpu.Status{{Device: short.ID, Time: sec(6)}}},
	} {
		c := new(tape).gauge(0, 0).set(0).gauge(4, 0).set(4).sample(short, 5, 0).
			add(5, gpu.Batch{SeriesEnds: []gpu.SeriesEnd{{Device: short, Source: gaugeSource, Time: sec(5)}}}).
			add(6, news).clock(12)
		for _, n := range c.ledger(scenarioConfig()).Snapshot().Nodes {
			if n.Time != sec(4) {
				t.Errorf("%s: the node's time is %s; want 4", name, stamp(n.Time))
			}
		}
	}
}

// TestCaseNodeTimeFromItsStart: the node's time isn't before its start, where
// all that has time yet is of a device that a later set opened before that.
func TestCaseNodeTimeFromItsStart(t *testing.T) {
	c := new(tape).set(0).sample(gpu.Device{ID: "GPU-1"}, 5, 0).output(7, "A", 1).set(8, held("A", 0)).output(12, "A", 1).
		clock(13).clock(18)
	nodes := scenario{cfg: scenarioConfig()}.observe(batches(c.events, 1), false).Nodes
	if len(nodes) != 1 || nodes[0].Start != sec(5) || nodes[0].Time != sec(5) {
		t.Errorf("%v; want one that starts at 5, and its time at 5", nodes)
	}
}
