// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger_test

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/internal/ledger"
)

// TestPropOracle: the ledger is equal to the oracle, to the nanosecond, at any
// moment and at the end.
func TestPropOracle(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := drawScenario(t)
		s.equalsOracle(t, true)
		s.equalsOracle(t, false)
	})
}

// TestPropEnds: the same where devices end and live again.
func TestPropEnds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		f := drawFeatures(t)
		f.Ends = true
		s := drawScenarioWith(t, f)
		s.equalsOracle(t, true)
		s.equalsOracle(t, false)
	})
}

// TestPropConservation: the time of a device is the sum of the states of all
// its accounts, the time of a holder that of its own.
func TestPropConservation(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		f := drawFeatures(t)
		capped := rapid.Bool().Draw(t, "cap") && !f.Partitions // a partition follows its board, if that has an account
		f.Outputs = f.Outputs && !capped                       // outputs are capped as well, then they hold nothing back
		s := drawScenarioWith(t, f)
		if capped {
			s.cfg.MaxAccounts = len(deviceIDs(s.events)) + rapid.IntRange(0, 3).Draw(t, "holders")
		}
		s.cfg.Workloads = rapid.Bool().Draw(t, "workloads")
		if s.unconserved() == "" {
			return
		}
		if *minimize {
			s = s.minimal(func(left scenario) bool { return left.unconserved() != "" })
		}
		t.Fatalf("%s\n%s", s.unconserved(), s)
	})
}

// unconserved says which device's states don't add up to its settled time, or
// which holder's to its own.
func (s scenario) unconserved() string {
	want := runOracle(s.cfg, merge(s.events), true)
	got := s.observe(batches(s.events, 10), true)
	sums := map[gpu.DeviceID]time.Duration{}
	for _, a := range got.Accounts {
		sums[idOf(a.Device)] += sumOf(a)
		if wrong := measures(a); wrong != "" {
			return wrong
		}
	}
	settled := spans(got)
	for id, sum := range sums { // a device beyond the cap has no account
		if span := want.Span[id]; sum != span || settled[id] != span {
			return fmt.Sprintf("%s: Σ states = %v, settled time = %v; want %v", id, sum, settled[id], span)
		}
	}
	return want.unbalancedBoards(settled)
}

// TestPropLate: whatever comes late, conservation holds.
func TestPropLate(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := drawScenario(t)
		arrivals := drawArrivals(t, delayed(t, s.events, 60*time.Second))
		if s.unbalanced(arrivals) == "" {
			return
		}
		if *minimize {
			arrivals = minimal(arrivals, func(left []arrival) bool { return s.unbalanced(left) != "" })
		}
		t.Fatalf("%s\n%s", s.unbalanced(arrivals), listed(arrivals))
	})
}

// unbalanced says where conservation is broken while points arrive.
func (s scenario) unbalanced(arrivals []arrival) string {
	l := ledger.New(s.cfg)
	for _, b := range inDeliveries(arrivals) {
		l.Observe(b)
		if broken := balance(l.Snapshot()); broken != "" {
			return broken
		}
	}
	l.Finish()
	return balance(l.Snapshot())
}

// TestPropDuplicates: a point that comes again changes nothing, however late.
func TestPropDuplicates(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := drawScenario(t)
		g := &generator{t: t}
		seconds := pick(g, 1, 5, 30)
		var twice []delivery
		for i, b := range inBatches(s.events, seconds) {
			twice = append(twice, delivery{2 * i, b}, delivery{2*i + 1, b})
			if old := g.intn(len(twice)); g.chance(4) {
				twice = append(twice, delivery{2*i + 1, twice[old].events})
			}
		}
		s.equalsInOrder(t, flat(twice), true)
	})
}

// TestPropOrder: any order within the settle delay gives the same.
func TestPropOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := drawScenario(t)
		shuffled := delayed(t, s.events, s.cfg.SettleDelay)
		s.equalsInOrder(t, drawArrivals(t, shuffled), rapid.Bool().Draw(t, "finish"))
	})
}

// TestPropBatches: any cut of the points into batches gives the same.
func TestPropBatches(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := drawScenario(t)
		finish := rapid.Bool().Draw(t, "finish")
		s.equalsInOrder(t, flat([]delivery{{0, s.events}}), finish)
		s.equalsInOrder(t, drawArrivals(t, s.events), finish)
	})
}

// TestPropSnapshot: to look at the ledger doesn't change it.
func TestPropSnapshot(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := drawScenario(t)
		l := ledger.New(s.cfg)
		for _, b := range batches(s.events, 7) {
			l.Observe(b)
			first := l.Snapshot()
			if diff := quickDiff(first, l.Snapshot()); diff != "" {
				t.Fatalf("a second snapshot differs:\n%s", diff)
			}
			l.Due()
			if diff := quickDiff(first, l.Snapshot()); diff != "" {
				t.Fatalf("Due changed the ledger:\n%s", diff)
			}
		}
		l.Finish()
		if diff := diffDerived(s.observe(batches(s.events, 7), true), l.Snapshot()); diff != "" {
			t.Fatalf("Due and Snapshot made a difference (-want +got):\n%s%s", diff, s)
		}
	})
}

// observe returns what a ledger says that saw the batches.
func (s scenario) observe(bs []gpu.Batch, finish bool) gpu.Derived {
	l := ledger.New(s.cfg)
	for _, b := range bs {
		l.Observe(b)
	}
	if finish {
		l.Finish()
	}
	return l.Snapshot()
}

func (s scenario) equalsOracle(t *rapid.T, finish bool) {
	diff := s.diffToOracle(finish)
	if diff == "" {
		return
	}
	if *minimize {
		s = s.minimal(func(left scenario) bool { return left.diffToOracle(finish) != "" })
		diff = s.diffToOracle(finish)
	}
	t.Fatalf("finish %t (-oracle +ledger):\n%s%s", finish, diff, s)
}

// diffToOracle says in what the ledger and the oracle differ.
func (s scenario) diffToOracle(finish bool) string {
	all := merge(s.events)
	oracle := runOracle(s.cfg, all, finish)
	got := s.observe(batches(s.events, 10), finish)
	diff := differs("times", oracle.flatten(), flatten(got)) + differs("F", oracle.settled(), settled(got)) +
		differs("settled time", oracle.spans(), spans(got)) +
		differs("openings", oracle.starts(), starts(got), ignoring(oracle.Lives))
	if !oracle.Ended {
		// A device that ended doesn't hold back what its pod produced on others;
		// the oracle knows only where each F stood in the end.
		diff += differs("outputs", oracle.Outputs, outputsOf(got, oracle.Outputs))
	}
	return diff
}

// differs says in what two things differ, and what they are.
func differs(what string, want, got any, options ...gocmp.Option) string {
	if diff := gocmp.Diff(want, got, options...); diff != "" {
		return what + ":\n" + diff
	}
	return ""
}

// equalsInOrder: it doesn't matter how points arrive.
func (s scenario) equalsInOrder(t *rapid.T, arrivals []arrival, finish bool) {
	diff := func(arrivals []arrival) string {
		return diffDerived(s.arrive(inOrder(arrivals), finish), s.arrive(arrivals, finish))
	}
	if diff(arrivals) == "" {
		return
	}
	if *minimize {
		sorted := firstSorted(arrivals)
		arrivals = minimal(arrivals, func(left []arrival) bool { return firstSorted(left) == sorted && diff(left) != "" })
	}
	t.Fatalf("finish %t (-in order +as delivered):\n%s%s", finish, diff(arrivals), listed(arrivals))
}

// diffDerived says in what two ledgers differ. How a device is described isn't
// compared.
func diffDerived(want, got gpu.Derived) string {
	return gocmp.Diff(want, got, gocmp.Transformer("id", func(d gpu.Device) gpu.DeviceID { return d.ID }))
}

// quickDiff is for what is equal as a rule.
func quickDiff[T any](want, got T) string {
	if reflect.DeepEqual(want, got) {
		return ""
	}
	return gocmp.Diff(want, got, cmpopts.EquateEmpty(), cmpopts.EquateNaNs())
}
