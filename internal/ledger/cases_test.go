// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger_test

import (
	"maps"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/internal/ledger"
)

// tape collects the points of a case. Times are seconds.
type tape struct{ events []point }

const (
	caseNode   = "node"
	caseDevice = gpu.DeviceID("GPU-0")
)

func (c *tape) add(at float64, b gpu.Batch) *tape {
	c.events = append(c.events, point{sec(at), b})
	return c
}

func (c *tape) gauge(at, value float64) *tape {
	return c.add(at, gpu.Batch{Samples: []gpu.Sample{{
		Device: gpu.Device{ID: caseDevice, Node: caseNode}, Source: gaugeSource, Time: sec(at), Value: value,
	}}})
}

// pair adds a sum pair, in seconds.
func (c *tape) pair(start, at, observed, active float64) *tape {
	half := gpu.Counter{Device: gpu.Device{ID: caseDevice, Node: caseNode}, Source: sumSource, Start: sec(start), Time: sec(at)}
	for part, seconds := range []float64{active, observed} {
		half.Part, half.Nanos = gpu.CounterPart(part), int64(seconds*1e9)
		c.add(at, gpu.Batch{Counters: []gpu.Counter{half}})
	}
	return c
}

func (c *tape) ends(at float64) *tape {
	return c.add(at, gpu.Batch{SeriesEnds: []gpu.SeriesEnd{{
		Device: gpu.Device{ID: caseDevice, Node: caseNode}, Source: gaugeSource, Time: sec(at),
	}}})
}

// held is an allocation of a set.
func held(pod string, begin float64) gpu.Allocation {
	return gpu.Allocation{
		Device: caseDevice, Node: caseNode, Holder: casePod(pod), Sharing: gpu.Exclusive, Share: 1, Begin: sec(begin),
	}
}

func casePod(pod string) gpu.Holder {
	return gpu.Holder{
		Namespace: "ns", Pod: pod, PodUID: pod,
		Workload: gpu.Workload{Kind: "job", Name: "job", Class: gpu.ClassBatch},
	}
}

func (c *tape) set(at float64, allocations ...gpu.Allocation) *tape {
	for i := range allocations {
		allocations[i].Time = sec(at)
	}
	return c.add(at, gpu.Batch{
		Allocations:      allocations,
		AllocationCounts: []gpu.AllocationCount{{Node: caseNode, Time: sec(at), Count: len(allocations)}},
	})
}

// clock only moves N: a set that never gets complete.
func (c *tape) clock(at float64) *tape {
	return c.add(at, gpu.Batch{AllocationCounts: []gpu.AllocationCount{{Node: caseNode, Time: sec(at), Count: 99}}})
}

// ended dates the end of an allocation.
func (c *tape) ended(at float64, pod string) *tape {
	a := held(pod, 0)
	a.Time, a.Ended = sec(at), true
	return c.add(at, gpu.Batch{Allocations: []gpu.Allocation{a}})
}

func (c *tape) output(at float64, pod string, value float64) *tape {
	return c.add(at, gpu.Batch{Outputs: []gpu.Output{{
		Profile: gpu.OutputProfile{Metric: "tokens", Unit: "{token}", Window: 10 * time.Second},
		Join:    gpu.Join{PodUID: pod}, Time: sec(at), Value: value,
	}}})
}

func (c *tape) gaugeOf(at float64, kind gpu.OutputKind, pod string, value float64) *tape {
	return c.add(at, gpu.Batch{Outputs: []gpu.Output{{
		Profile: gpu.OutputProfile{Metric: kind.String(), Kind: kind}, Join: gpu.Join{PodUID: pod}, Time: sec(at), Value: value,
	}}})
}

func (c *tape) deleted(at float64, pod string) *tape {
	return c.add(at, gpu.Batch{Milestones: []gpu.Milestone{{Pod: pod, Name: gpu.DeletionRequested, At: sec(at), Time: sec(at)}}})
}

func (c *tape) available(at float64, yes bool) *tape {
	a := gpu.Availability{Device: caseDevice, Time: sec(at), Available: yes}
	if !yes {
		a.Reason = gpu.ReasonTaint
	}
	return c.add(at, gpu.Batch{Availability: []gpu.Availability{a}})
}

func (c *tape) failed(at float64) *tape {
	return c.add(at, gpu.Batch{Statuses: []gpu.Status{{Device: caseDevice, Time: sec(at), Failed: true}}})
}

func (c *tape) memory(at float64, bytes uint64) *tape {
	return c.add(at, gpu.Batch{Memory: []gpu.Memory{{Device: caseDevice, Time: sec(at), Bytes: bytes}}})
}

// The names of conditions that cases use.
const (
	free         = "unallocated{free  }"
	foreign      = "unallocated{foreign_activity  }"
	noAllocation = "unobserved{allocation  }"
	noActivity   = "unobserved{activity  }"
	lost         = "unobserved{device  }"
	tainted      = "unavailable{taint  }"
	terminating  = "terminating{  }"
	starting     = "idle{provisioning between_work unknown}"
	episode      = "idle{provisioning episode unknown}"
	productive   = "productive{  }"
	flatOutput   = "unproven{output_flat  }"
	notScraped   = "unproven{not_scraped  }"
	noMetric     = "unproven{no_app_metric  }"
)

// TestCases holds the oracle, and the ledger, to expectations that were
// computed by hand: nanoseconds by holder and condition.
func TestCases(t *testing.T) {
	const s = time.Second
	type by = map[string]time.Duration
	for name, c := range map[string]struct {
		tape *tape
		want map[string]by
	}{
		"nobody holds it": {
			new(tape).gauge(0, 0).set(0).gauge(10, 0.5).set(10),
			map[string]by{"": {free: 5 * s, foreign: 5 * s}},
		},
		"held in part: what doesn't fit is foreign": {
			new(tape).gauge(0, 0).set(0).gauge(10, 0.75).set(10, held("A", 6)),
			map[string]by{"": {free: 2500 * time.Millisecond, foreign: 3500 * time.Millisecond}, "A": {noMetric: 4 * s}},
		},
		"two share, the remainder goes to the first": {
			new(tape).gauge(0, 0).set(0, held("A", 0), held("B", 0)).gauge(1, 1./3).set(1, held("A", 0), held("B", 0)),
			map[string]by{
				"A": {noMetric: 166_666_667, starting: 333_333_334},
				"B": {noMetric: 166_666_666, starting: 333_333_333},
			},
		},
		"no set yet, then one that knows a begin": {
			new(tape).gauge(0, 0).gauge(5, 0).gauge(10, 0).set(10, held("A", 3)),
			map[string]by{"": {noAllocation: 3 * s}, "A": {starting: 7 * s}},
		},
		"silence of sets": {
			new(tape).gauge(0, 0).set(0, held("A", 0)).gauge(15, 0).gauge(30, 0).set(30, held("A", 0)).gauge(31, 0).set(31, held("A", 0)),
			map[string]by{"": {noAllocation: 30 * s}, "A": {starting: 1 * s}},
		},
		"silence of samples": {
			new(tape).gauge(0, 0).set(0, held("A", 0)).set(15, held("A", 0)).gauge(21, 1).set(21, held("A", 0)),
			map[string]by{"A": {noActivity: 21 * s}},
		},
		"an end without a date is the last set that had it": {
			new(tape).gauge(0, 0).set(0, held("A", 0)).gauge(10, 0).set(10),
			map[string]by{"": {free: 10 * s}},
		},
		"an end with a date": {
			new(tape).gauge(0, 0).set(0, held("A", 0)).ended(4, "A").gauge(10, 0).set(10),
			map[string]by{"": {free: 6 * s}, "A": {starting: 4 * s}},
		},
		"sums: half observed, a later start, an earlier start": {
			new(tape).set(0, held("A", 0)).pair(-5, 0, 5, 5).pair(-5, 10, 10, 8).set(10, held("A", 0)).
				pair(12, 20, 8, 4).set(20, held("A", 0)).pair(11, 30, 9, 9).set(30, held("A", 0)),
			// (0, 10]: 5 s observed, 3 active; (10, 12] nothing; (12, 20]: 4 of 8 active; (20, 30] nothing.
			map[string]by{"A": {noMetric: 7 * s, starting: 2 * s, "idle{batch between_work unknown}": 4 * s, noActivity: 17 * s}},
		},
		"sum before gauge": {
			new(tape).set(0).pair(-5, 0, 5, 0).gauge(0, 1).gauge(5, 1).pair(-5, 10, 15, 0).gauge(10, 1).set(10),
			map[string]by{"": {free: 10 * s}},
		},
		"evidence of output": {
			new(tape).gauge(0, 0).set(0, held("A", 0)).output(1, "A", 5).gauge(10, 1).set(10, held("A", 0)).
				output(20, "A", 6).gauge(20, 1).set(20, held("A", 0)).gauge(30, 1).set(30, held("A", 0)),
			map[string]by{"A": {flatOutput: 10 * s, productive: 10 * s, notScraped: 10 * s}},
		},
		"an episode begins within an interval": {
			new(tape).gauge(0, 0).set(0, held("A", 0)).gauge(10, 0).set(10, held("A", 0)).gauge(20, 0).set(20, held("A", 0)),
			map[string]by{"A": {starting: 15 * s, episode: 5 * s}},
		},
		"a stretch ends at work": {
			new(tape).gauge(0, 0).set(0, held("A", 0)).gauge(10, 0).set(10, held("A", 0)).gauge(20, 0.1).set(20, held("A", 0)).
				gauge(30, 0).set(30, held("A", 0)),
			map[string]by{"A": {starting: 19 * s, "idle{batch between_work unknown}": 10 * s, noMetric: 1 * s}},
		},
		"modes and residence": {
			new(tape).gauge(0, 0).set(0, held("A", 0)).gaugeOf(1, gpu.DemandGauge, "A", 1).memory(2, 2<<30).gauge(5, 0).
				gaugeOf(6, gpu.DemandGauge, "A", 0).gaugeOf(7, gpu.SleepGauge, "A", 1).gauge(10, 0).set(10, held("A", 0)),
			map[string]by{"A": {"idle{starved between_work true}": 5 * s, "idle{sleeping between_work true}": 5 * s}},
		},
		"terminating": {
			new(tape).gauge(0, 0).set(0, held("A", 0)).deleted(7, "A").gauge(10, 0.5).set(10, held("A", 0)),
			map[string]by{"A": {starting: 3500 * time.Millisecond, noMetric: 3500 * time.Millisecond, terminating: 3 * s}},
		},
		"out of service until the availability is too old": {
			new(tape).gauge(0, 0).set(0).available(1, false).gauge(15, 0).set(15).gauge(30, 0).set(30),
			map[string]by{"": {free: 10 * s, tainted: 20 * s}},
		},
		"failed": {
			new(tape).gauge(0, 0).set(0, held("A", 0)).failed(5).set(15, held("A", 0)).gauge(21, 0).set(21, held("A", 0)),
			map[string]by{"A": {noActivity: 5 * s, lost: 16 * s}},
		},
		"a known begin in an unknown span": {
			new(tape).gauge(0, 0).set(0).gauge(12, 0).set(24).gauge(30, 0).set(30, held("A", 18)),
			map[string]by{"": {noAllocation: 18 * s}, "A": {starting: 12 * s}},
		},
		"a device ends": {
			new(tape).gauge(0, 0).set(0, held("A", 0)).gauge(5, 0).ends(8).set(9, held("A", 0)).set(12, held("A", 0)),
			map[string]by{"A": {starting: 5 * s, noActivity: 3 * s}},
		},
		"a device lives again": {
			new(tape).gauge(0, 0).set(0).ends(8).set(9).gauge(20, 0).set(20).gauge(25, 0).set(25),
			map[string]by{"": {free: 13 * s}},
		},
		"a device lives again before all of its first life settled": {
			new(tape).gauge(0, 0).ends(8).clock(9).gauge(20, 0).set(20).gauge(25, 0).set(25),
			map[string]by{"": {noAllocation: 8 * s, free: 5 * s}},
		},
		"a device lives again in the step of a set": {
			new(tape).gauge(0, 0).set(0).ends(8).set(9, held("A", 9)).gauge(20, 0).set(20, held("A", 9)).gauge(25, 0).set(25, held("A", 9)),
			map[string]by{"": {free: 8 * s}, "A": {starting: 5 * s}},
		},
		"sums of a second life don't shadow gauges of the first": {
			new(tape).gauge(0, 0).set(1, held("A", 0)).gauge(10, 0.5).ends(10).pair(17, 20, 3, 3).set(21, held("A", 0)),
			map[string]by{"A": {noMetric: 5 * s, starting: 5 * s}},
		},
		"a holder of a set before a device's second life ends in it": {
			new(tape).gauge(0, 0).set(0).ends(8).set(9, held("A", 9), held("B", 9)).gauge(12, 0).ended(14, "A").
				gauge(20, 0).set(20, held("B", 9)),
			map[string]by{"": {free: 8 * s}, "A": {starting: 1 * s}, "B": {starting: 7 * s}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			want := totals{}
			for holder, conditions := range c.want {
				for condition, nanos := range conditions {
					want.add(who{device: caseDevice, holder: holder}, condition, nanos)
				}
			}
			all := merge(c.tape.events)
			if diff := gocmp.Diff(want, runOracle(scenarioConfig(), all, true).flatten().states()); diff != "" {
				t.Errorf("oracle (-want +got):\n%s", diff)
			}
			if diff := gocmp.Diff(want, flatten(c.tape.ledger(scenarioConfig()).Snapshot()).states()); diff != "" {
				t.Errorf("ledger (-want +got):\n%s", diff)
			}
		})
	}
}

// ledger returns a ledger that saw the tape, point by point, to its end.
func (c *tape) ledger(cfg ledger.Config) *ledger.Ledger {
	l := ledger.New(cfg)
	for _, e := range c.events {
		l.Observe(e.Batch)
	}
	l.Finish()
	return l
}

// TestCaseWorkloadOpens: the account of a workload opens when the first of its
// pods holds.
func TestCaseWorkloadOpens(t *testing.T) {
	cfg := scenarioConfig()
	cfg.Workloads = true
	l := new(tape).gauge(0, 0).gauge(12, 0).set(12, held("A", 5), held("B", 2)).ledger(cfg)
	for _, a := range l.Snapshot().Accounts {
		if a.Kind == gpu.HolderAccount && (a.Start != sec(2) || a.Allocated != 10*time.Second) {
			t.Errorf("opened at %s with %v, not at 2 with 10s", stamp(a.Start), a.Allocated)
		}
	}
}

// TestCaseLivesUnpublished: what a device's first life left unpublished is due
// in its second one.
func TestCaseLivesUnpublished(t *testing.T) {
	l := new(tape).gauge(0, 0).set(0).ends(8).set(9).gauge(20, 0).set(20).ledger(scenarioConfig())
	due, ok := l.Due()
	sum := time.Duration(0)
	for _, a := range due.Accounts {
		sum += sumOf(a)
		if sumOf(a) > a.Time.Sub(a.Start) {
			t.Errorf("%v in (%s, %s]", sumOf(a), stamp(a.Start), stamp(a.Time))
		}
	}
	if !ok || sum != 8*time.Second {
		t.Errorf("due: %t, %v; want 8s", ok, sum)
	}
}

// TestCaseEndAgain: a dated end that comes twice is one, also where no set
// tells who held the device.
func TestCaseEndAgain(t *testing.T) {
	once := new(tape).set(0, held("A", 0)).gauge(0, 0).gauge(22, 0).ended(25, "A").set(30).clock(36)
	twice := *once
	twice.ended(25, "A").clock(60)
	once.clock(60)
	want, got := once.ledger(scenarioConfig()).Snapshot(), twice.ledger(scenarioConfig()).Snapshot()
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("(-once +twice):\n%s", diff)
	}
}

// TestCaseForgotten: what a holder did before doesn't depend on which sends
// were accepted.
func TestCaseForgotten(t *testing.T) {
	c := new(tape).gauge(0, 0).set(0, held("A", 0)).gauge(5, 1).set(5, held("A", 0)).set(10).gauge(10, 0).
		gauge(15, 0).set(15).gauge(25, 0).set(25).gauge(35, 0).set(35, held("A", 25)).gauge(40, 0).set(40, held("A", 25))
	sum := map[bool]totals{}
	for _, accepted := range []bool{false, true} {
		l := ledger.New(scenarioConfig())
		p := newPublications()
		for i, e := range c.events {
			l.Observe(e.Batch)
			due, ok := l.Due()
			if last := i == len(c.events)-1; last {
				l.Finish()
				due, ok = l.Due()
				accepted = true
			}
			if ok && accepted {
				p.accept(due)
				l.Confirm(due)
			}
		}
		sum[len(sum) == 1] = p.totals()
	}
	if diff := gocmp.Diff(sum[false], sum[true]); diff != "" {
		t.Errorf("(-sends failed +sends accepted):\n%s", diff)
	}
}

// TestCaseDescription: an account describes its device as the newest points do,
// in whatever batches they come.
func TestCaseDescription(t *testing.T) {
	c := new(tape).set(0, held("A", 0)).set(5, held("A", 0))
	d := gpu.Device{ID: caseDevice, Node: caseNode, Parent: "GPU-board", Model: "H200"}
	for at := range 3 {
		c.add(float64(5+at), gpu.Batch{Samples: []gpu.Sample{{Device: d, Source: gaugeSource, Time: sec(float64(5 + at))}}})
	}
	for _, a := range c.set(10, held("A", 0)).ledger(scenarioConfig()).Snapshot().Accounts {
		if a.Device != d {
			t.Errorf("%v is described as %v", d, a.Device)
		}
	}
}

// states returns the totals without the measures.
func (t totals) states() totals {
	maps.DeleteFunc(t, func(name string, _ time.Duration) bool { return !strings.Contains(name, "{") })
	return t
}
