// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger_test

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
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
	rapid.Check(t, func(t *rapid.T) {
		s := drawScenario(t)
		s.equalsOracle(t, true)
		s.equalsOracle(t, false)
	})
}

// TestPropEnds: the same where devices end and live again.
func TestPropEnds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := drawFeatures(t)
		f.Ends = true
		s := drawScenarioWith(t, f)
		s.equalsOracle(t, true)
		s.equalsOracle(t, false)
	})
}

// TestPropDepth: another engine's integral is the activity of a device that
// had these samples, while one holder holds it.
func TestPropDepth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := drawFeatures(t)
		f.Host, f.Sets, f.Labels, f.Both, f.Conflicts = true, false, false, false, false
		s := drawScenarioWith(t, f)
		deep := map[string]time.Duration{}
		for key, got := range runOracle(s.cfg, merge(s.events), true).Totals {
			if got.Active > 0 {
				deep[string(key.Device)] = got.Active
			}
		}
		got := map[string]time.Duration{}
		for _, a := range s.withDepth().observe(batches(s.withDepth().events, 10), true).Accounts {
			for _, d := range a.Depth {
				if d.Engine != gpu.EngineTensor {
					t.Fatalf("depth of %s", d.Engine)
				}
				if d.Nanos > 0 {
					got[string(a.Device.ID)] += d.Nanos
				}
			}
		}
		if diff := gocmp.Diff(deep, got); diff != "" {
			t.Fatalf("(-want +got):\n%s%s", diff, s)
		}
	})
}

// withDepth returns the scenario with what its samples say said of the tensor
// engine; the engine itself is always idle.
func (s scenario) withDepth() scenario {
	var events []point
	for _, e := range s.events {
		deep := point{at: e.at}
		for _, g := range e.Samples {
			g.Engine = gpu.EngineTensor
			deep.Samples = append(deep.Samples, g)
			e.Samples = slices.Clone(e.Samples)
			e.Samples[0].Value = 0
		}
		for _, c := range e.Counters {
			c.Engine = gpu.EngineTensor
			deep.Counters = append(deep.Counters, c)
			if c.Part == gpu.ActivityPart {
				e.Counters = slices.Clone(e.Counters)
				e.Counters[0].Nanos = 0
			}
		}
		events = append(events, e)
		if len(deep.Samples)+len(deep.Counters) > 0 {
			events = append(events, deep)
		}
	}
	return scenario{s.cfg, events}
}

// TestPropConservation: the time of a device is the sum of the states of all
// its accounts, the time of a holder that of its own.
func TestPropConservation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawScenario(t)
		if rapid.Bool().Draw(t, "cap") {
			s.cfg.MaxAccounts = len(deviceIDs(s.events)) + rapid.IntRange(0, 3).Draw(t, "holders")
		}
		s.cfg.Workloads = rapid.Bool().Draw(t, "workloads")
		want := runOracle(s.cfg, merge(s.events), true)
		got := s.observe(batches(s.events, 10), true)
		sums := map[gpu.DeviceID]time.Duration{}
		for _, a := range got.Accounts {
			sums[a.Device.ID] += sumOf(a)
			if wrong := measures(a); wrong != "" {
				t.Fatalf("%s\n%s", wrong, s)
			}
		}
		for id, sum := range sums { // a device beyond the cap has no account
			if span := want.Span[id]; sum != span {
				t.Fatalf("%s: Σ states = %v, F − opening = %v\n%s", id, sum, span, s)
			}
		}
	})
}

// TestPropLate: whatever comes late, conservation holds.
func TestPropLate(t *testing.T) {
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
	rapid.Check(t, func(t *rapid.T) {
		s := drawScenario(t)
		shuffled := delayed(t, s.events, s.cfg.SettleDelay)
		s.equalsInOrder(t, drawArrivals(t, shuffled), rapid.Bool().Draw(t, "finish"))
	})
}

// TestPropBatches: any cut of the points into batches gives the same.
func TestPropBatches(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawScenario(t)
		finish := rapid.Bool().Draw(t, "finish")
		s.equalsInOrder(t, flat([]delivery{{0, s.events}}), finish)
		s.equalsInOrder(t, drawArrivals(t, s.events), finish)
	})
}

// TestPropSnapshot: to look at the ledger doesn't change it.
func TestPropSnapshot(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawScenario(t)
		l := ledger.New(s.cfg)
		for _, b := range batches(s.events, 7) {
			l.Observe(b)
			first := l.Snapshot()
			if diff := gocmp.Diff(first, l.Snapshot()); diff != "" {
				t.Fatalf("a second snapshot differs:\n%s", diff)
			}
			l.Due()
			if diff := gocmp.Diff(first, l.Snapshot()); diff != "" {
				t.Fatalf("Due changed the ledger:\n%s", diff)
			}
		}
		l.Finish()
		if diff := diffDerived(s.observe(batches(s.events, 7), true), l.Snapshot()); diff != "" {
			t.Fatalf("Due and Snapshot made a difference (-want +got):\n%s%s", diff, s)
		}
	})
}

// TestPropPublished: whatever sends fail, published counters only grow, begin
// with 0, and end at the truth.
func TestPropPublished(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := drawFeatures(t)
		// A holder that comes back after its account was forgotten is a new one.
		f.Shared = false
		f.Overlaps = f.Overlaps && !f.Labels
		s := drawScenarioWith(t, f)
		s.cfg.Workloads = rapid.Bool().Draw(t, "workloads")
		g := &generator{t: t}
		fails := make([]bool, 512)
		for i := range fails {
			fails[i] = g.chance(5)
		}
		seconds := pick(g, 3, 10, 40)
		if s.publish(seconds, fails) == "" {
			return
		}
		if *minimize {
			s = s.minimal(func(left scenario) bool { return left.publish(seconds, fails) != "" })
		}
		t.Fatalf("batches of %d s: %s\n%s", seconds, s.publish(seconds, fails), s)
	})
}

// publish says what is wrong with what a backend gets. The n-th send fails if
// fails says so.
func (s scenario) publish(seconds int, fails []bool) string {
	l := ledger.New(s.cfg)
	p := newPublications()
	send := func() {
		due, ok := l.Due()
		if ok && !fails[0] {
			p.accept(due)
			l.Confirm(due)
		}
		fails = fails[1:]
	}
	for _, b := range batches(s.events, seconds) {
		l.Observe(b)
		send()
	}
	l.Finish()
	for range 3 {
		send()
	}
	fails = []bool{false}
	send()
	if _, ok := l.Due(); ok {
		p.complain("something is due after everything was published")
	}
	want := flatten(s.observe(batches(s.events, 10), true))
	if diff := gocmp.Diff(want, p.totals()); diff != "" {
		p.complain("published in the end (-want +got):\n%s", diff)
	}
	return strings.Join(p.complaints, "\n")
}

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

// --- Helpers -----------------------------------------------------------------

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
	diff := gocmp.Diff(oracle.flatten(), flatten(got)) + gocmp.Diff(oracle.settled(), settled(got)) +
		gocmp.Diff(oracle.starts(), starts(got), ignoring(oracle.Lives))
	if len(all.SeriesEnds) == 0 {
		// A device that ended doesn't hold back what its pod produced on others;
		// the oracle knows only where each F stood in the end.
		diff += gocmp.Diff(oracle.Outputs, outputsOf(got, oracle.Outputs))
	}
	return diff
}

// minimize is for those who look for the cause of a difference:
// go test ./internal/ledger -run Prop -rapid.shrinktime=0s -minimize.
var minimize = flag.Bool("minimize", false, "leave out of a failing scenario all points that don't matter")

// minimal returns the arrivals without all those that they fail without.
func minimal(arrivals []arrival, fails func([]arrival) bool) []arrival {
	for n := len(arrivals) / 2; n > 0; n /= 2 {
		for i := 0; i < len(arrivals); {
			without := whole(slices.Delete(slices.Clone(arrivals), i, min(i+n, len(arrivals))))
			if fails(without) {
				arrivals = without
			} else {
				i++
			}
		}
	}
	return arrivals
}

func (s scenario) minimal(fails func(scenario) bool) scenario {
	s.events = points(minimal(flat([]delivery{{0, s.events}}), func(left []arrival) bool {
		return fails(scenario{s.cfg, points(left)})
	}))
	return s
}

func points(arrivals []arrival) []point {
	var out []point
	for _, a := range arrivals {
		out = append(out, a.point)
	}
	return out
}

// whole returns the arrivals without halves of pairs that lack the other one
// and labels that lack a sample.
func whole(arrivals []arrival) []arrival {
	samples := map[string]int{}
	for _, a := range arrivals {
		for _, g := range a.Samples {
			samples[fmt.Sprint(g.Device.ID, g.Time)] |= 4
		}
		for _, c := range a.Counters {
			samples[fmt.Sprint(c.Device.ID, c.Time)] |= 1 << c.Part
		}
	}
	return slices.DeleteFunc(arrivals, func(a arrival) bool {
		for _, c := range a.Counters {
			return samples[fmt.Sprint(c.Device.ID, c.Time)]&3 != 3
		}
		for _, l := range a.DeviceAllocations {
			of := samples[fmt.Sprint(l.Device.ID, l.Time)]
			return of&4 == 0 && of&3 != 3
		}
		return false
	})
}

// delivery is a batch of points, and when it is delivered.
type delivery struct {
	nr     int
	events []point
}

// arrival is a point of a delivery.
type arrival struct {
	nr int
	point
}

func flat(deliveries []delivery) []arrival {
	var out []arrival
	for _, d := range deliveries {
		for _, e := range d.events {
			out = append(out, arrival{d.nr, e})
		}
	}
	return out
}

// drawArrivals groups events into deliveries of any length.
func drawArrivals(t *rapid.T, events []point) []arrival {
	g := &generator{t: t}
	var out []arrival
	for nr := 0; len(events) > 0; nr++ {
		n := min(1+g.intn(pick(g, 1, 8, 32)), len(events))
		out = append(out, flat([]delivery{{nr, events[:n]}})...)
		events = events[n:]
	}
	return out
}

// arrive returns what a ledger says after the arrivals.
func (s scenario) arrive(arrivals []arrival, finish bool) gpu.Derived {
	return s.observe(inDeliveries(arrivals), finish)
}

func inDeliveries(arrivals []arrival) []gpu.Batch {
	var bs []gpu.Batch
	for len(arrivals) > 0 {
		nr, events := arrivals[0].nr, []point(nil)
		for len(arrivals) > 0 && arrivals[0].nr == nr {
			events = append(events, arrivals[0].point)
			arrivals = arrivals[1:]
		}
		bs = append(bs, merge(events))
	}
	return bs
}

// listed returns arrivals in words.
func listed(arrivals []arrival) string {
	var b strings.Builder
	for _, a := range arrivals {
		fmt.Fprintf(&b, "batch %d: %s", a.nr, scenario{events: []point{a.point}})
	}
	return b.String()
}

// inOrder returns the different points, by time, one a delivery.
func inOrder(arrivals []arrival) []arrival {
	var out []arrival
	seen := map[string]bool{}
	for _, a := range arrivals {
		if key := fmt.Sprint(a.point); !seen[key] {
			seen[key] = true
			out = append(out, a)
		}
	}
	slices.SortStableFunc(out, func(a, b arrival) int { return cmp.Compare(a.at, b.at) })
	for i := range out {
		out[i].nr = i
	}
	return out
}

// firstSorted says whether every point comes in order of time when it comes
// first.
func firstSorted(arrivals []arrival) bool {
	seen, newest := map[string]bool{}, gpu.NoTime
	for _, a := range arrivals {
		key := fmt.Sprint(a.point)
		if !seen[key] && a.at < newest {
			return false
		}
		seen[key], newest = true, max(newest, a.at)
	}
	return true
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

// delayed returns the events as they arrive if each is late by less than most,
// and up to the end of its second more.
func delayed(t *rapid.T, events []point, most time.Duration) []point {
	g := &generator{t: t}
	arrives := map[int]gpu.Time{}
	order := make([]int, len(events))
	for i, e := range events {
		latest := wholeSecond(e.at).Add(most) - 1
		order[i], arrives[i] = i, e.at+(latest-e.at)/7*gpu.Time(g.intn(8))
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(arrives[a], arrives[b]) })
	var out []point
	for _, i := range order {
		out = append(out, events[i])
	}
	return out
}

func deviceIDs(events []point) []gpu.DeviceID {
	var ids []gpu.DeviceID
	see := func(id gpu.DeviceID) {
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	for _, e := range events {
		for _, s := range e.Samples {
			see(s.Device.ID)
		}
		for _, c := range e.Counters {
			see(c.Device.ID)
		}
		for _, a := range e.Allocations {
			see(a.Device)
		}
	}
	return ids
}

func sumOf(a gpu.Account) time.Duration {
	sum := time.Duration(0)
	for _, s := range a.States {
		sum += s.Nanos
	}
	return sum
}

// measures says what is wrong with the measures of an account.
func measures(a gpu.Account) string {
	productive := time.Duration(0)
	for _, s := range a.States {
		if s.Condition.State == gpu.Productive {
			productive += s.Nanos
		}
		if s.Nanos < 0 {
			return fmt.Sprintf("%v is negative: %v", s.Condition, a)
		}
	}
	switch {
	case a.Kind == gpu.DeviceAccount:
		if a.Allocated != 0 || a.Active != 0 || a.Productive != 0 {
			return fmt.Sprintf("a device's own account has measures: %v", a)
		}
	case a.Allocated != sumOf(a):
		return fmt.Sprintf("allocated %v is not Σ states %v: %v", a.Allocated, sumOf(a), a)
	case a.Productive != productive:
		return fmt.Sprintf("productive %v is not the state's %v: %v", a.Productive, productive, a)
	case a.Active < a.Productive || a.Allocated < a.Active:
		return fmt.Sprintf("allocated %v, active %v, productive %v: %v", a.Allocated, a.Active, a.Productive, a)
	}
	return ""
}

// balance holds the states of all accounts of a device against the time from
// the first opening to the last F, and says what is wrong.
func balance(d gpu.Derived) string {
	sums, opened, settled := map[gpu.DeviceID]time.Duration{}, map[gpu.DeviceID]gpu.Time{}, map[gpu.DeviceID]gpu.Time{}
	for _, a := range d.Accounts {
		if wrong := measures(a); wrong != "" {
			return wrong
		}
		id := a.Device.ID
		sums[id] += sumOf(a)
		settled[id] = max(settled[id], a.Time)
		for _, s := range a.States {
			if first, ok := opened[id]; !ok || s.Start < first {
				opened[id] = s.Start
			}
		}
	}
	for id, sum := range sums {
		if span := settled[id].Sub(opened[id]); sum > 0 && sum != span {
			return fmt.Sprintf("%s: Σ states = %v, F − opening = %v\n%v", id, sum, span, d)
		}
	}
	return ""
}

// holderOf names whose an account is, as the oracle does.
func holderOf(a gpu.Account) string {
	switch {
	case a.Kind == gpu.DeviceAccount:
		return ""
	case a.Kind == gpu.OverflowAccount:
		return "(overflow)"
	case a.Host:
		return hostKey
	case a.Holder.Pod == "" && a.Holder.PodUID == "":
		return "workload " + a.Holder.Namespace + "/" + a.Holder.Workload.Kind + "/" + a.Holder.Workload.Name
	}
	return a.Holder.Key()
}

// totals are times by a readable name of what they are of.
type totals map[string]time.Duration

func (t totals) add(device gpu.DeviceID, holder, what string, nanos time.Duration) {
	if nanos != 0 {
		t[fmt.Sprintf("%s %q %s", device, holder, what)] += nanos
	}
}

func nameOf(c gpu.Condition) string {
	return fmt.Sprintf("%s{%s %s %s}", c.State, c.Reason, c.Form, c.Residence)
}

func flatten(d gpu.Derived) totals {
	t := totals{}
	for _, a := range d.Accounts {
		for _, s := range a.States {
			t.add(a.Device.ID, holderOf(a), nameOf(s.Condition), s.Nanos)
		}
		t.add(a.Device.ID, holderOf(a), "allocated", a.Allocated)
		t.add(a.Device.ID, holderOf(a), "active", a.Active)
		t.add(a.Device.ID, holderOf(a), "productive", a.Productive)
	}
	return t
}

func (r oracleResult) flatten() totals {
	t := totals{}
	for key, got := range r.Totals {
		for c, nanos := range got.States {
			t.add(key.Device, key.Holder, nameOf(c), nanos)
		}
		if key.Holder == "" {
			continue
		}
		t.add(key.Device, key.Holder, "allocated", got.Allocated)
		t.add(key.Device, key.Holder, "active", got.Active)
		t.add(key.Device, key.Holder, "productive", got.Productive)
	}
	return t
}

// starts returns when the first time of every account begins.
func starts(d gpu.Derived) map[string]string {
	opened := map[string]gpu.Time{}
	for _, a := range d.Accounts {
		name := fmt.Sprintf("%s %q", a.Device.ID, holderOf(a))
		if first, ok := opened[name]; sumOf(a) > 0 && (!ok || a.Start < first) { // of several lives the first
			opened[name] = a.Start
		}
	}
	first := map[string]string{}
	for name, at := range opened {
		first[name] = stamp(at)
	}
	return first
}

// ignoring leaves out devices that opened more than once: an account that
// wasn't forgotten before its device opened anew has two starts.
func ignoring(lives map[gpu.DeviceID]int) gocmp.Option {
	return cmpopts.IgnoreMapEntries(func(name, _ string) bool {
		device, _, _ := strings.Cut(name, " ")
		return lives[gpu.DeviceID(device)] > 1
	})
}

func (r oracleResult) starts() map[string]string {
	first := map[string]string{}
	for key, got := range r.Totals {
		if len(got.States) > 0 {
			first[fmt.Sprintf("%s %q", key.Device, key.Holder)] = stamp(got.Start)
		}
	}
	return first
}

// outputsOf returns the outputs of those pods that the oracle has them of.
func outputsOf(d gpu.Derived, of map[string]float64) map[string]float64 {
	values := map[string]float64{}
	for key := range of {
		values[key] = 0
	}
	for _, o := range d.Outputs {
		if _, ok := of[o.Holder.Key()]; ok {
			values[o.Holder.Key()] += o.Value
		}
	}
	return values
}

// settled returns F of every device of which something is settled, in seconds of the scenario.
func settled(d gpu.Derived) map[gpu.DeviceID]string {
	newest := map[gpu.DeviceID]gpu.Time{}
	sums := map[gpu.DeviceID]time.Duration{}
	for _, a := range d.Accounts {
		newest[a.Device.ID] = max(newest[a.Device.ID], a.Time)
		sums[a.Device.ID] += sumOf(a)
	}
	maps.DeleteFunc(newest, func(id gpu.DeviceID, _ gpu.Time) bool { return sums[id] == 0 })
	return inSeconds(newest)
}

// settled returns F of the devices of which something is settled.
func (r oracleResult) settled() map[gpu.DeviceID]string {
	newest := map[gpu.DeviceID]gpu.Time{}
	for id, t := range r.F {
		if r.Span[id] > 0 {
			newest[id] = t
		}
	}
	return inSeconds(newest)
}

func inSeconds(times map[gpu.DeviceID]gpu.Time) map[gpu.DeviceID]string {
	out := map[gpu.DeviceID]string{}
	for id, t := range times {
		out[id] = stamp(t)
	}
	return out
}

// publications is what a backend saw.
type publications struct {
	accounts map[publication]*published
	outputs  map[string]gpu.OutputTotal
	settled  map[gpu.DeviceID]gpu.Time

	complaints []string
}

func (p *publications) complain(format string, args ...any) {
	p.complaints = append(p.complaints, fmt.Sprintf(format, args...))
}

type publication struct {
	device gpu.DeviceID
	holder string
	start  gpu.Time
}

// published is the newest that was published of an account.
type published struct {
	account gpu.Account
	states  map[gpu.Condition]gpu.StateTime
}

func newPublications() *publications {
	return &publications{
		accounts: map[publication]*published{},
		outputs:  map[string]gpu.OutputTotal{},
		settled:  map[gpu.DeviceID]gpu.Time{},
	}
}

// accept takes a send and checks it against those before.
func (p *publications) accept(d gpu.Derived) {
	before := map[gpu.DeviceID]gpu.Time{}
	for _, a := range d.Accounts {
		before[a.Device.ID] = p.settled[a.Device.ID]
	}
	for _, a := range d.Accounts {
		p.acceptAccount(a, before[a.Device.ID])
	}
	for _, o := range d.Outputs {
		key := fmt.Sprint(o.Holder, o.Unit, o.Start)
		last, known := p.outputs[key]
		switch {
		case known == o.New:
			p.complain("output is new: %t, was published: %t: %v", o.New, known, o)
		case known && (o.Time <= last.Time || o.Value < last.Value):
			p.complain("output went from %v to %v", last, o)
		}
		p.outputs[key] = o
	}
}

func (p *publications) acceptAccount(a gpu.Account, before gpu.Time) {
	key := publication{a.Device.ID, holderOf(a), a.Start}
	last, known := p.accounts[key]
	if known == a.New {
		p.complain("account is new: %t, was published: %t: %v", a.New, known, a)
	}
	if !known {
		last = &published{states: map[gpu.Condition]gpu.StateTime{}}
		p.accounts[key] = last
	} else {
		p.checkGrowth(last.account, a)
	}
	if span := a.Time.Sub(a.Start); a.Allocated > span {
		p.complain("%v allocated in %v: %v", a.Allocated, span, a)
	}
	for _, s := range a.States {
		old, known := last.states[s.Condition]
		switch {
		case known == s.New:
			p.complain("series %v is new: %t, was published: %t: %v", s.Condition, s.New, known, a)
		case known && (s.Start != old.Start || s.Nanos < old.Nanos):
			p.complain("series %v went from %v to %v", s.Condition, old, s)
		case s.New && s.Start != max(before, a.Start):
			p.complain("series %v starts at %s, not at %s", s.Condition, stamp(s.Start), stamp(max(before, a.Start)))
		case s.Nanos > a.Time.Sub(s.Start):
			p.complain("series %v: %v in %v", s.Condition, s.Nanos, a.Time.Sub(s.Start))
		}
		last.states[s.Condition] = s
	}
	last.account = a
	p.settled[a.Device.ID] = max(p.settled[a.Device.ID], a.Time)
}

func (p *publications) checkGrowth(old, a gpu.Account) {
	if a.Time <= old.Time || a.Allocated < old.Allocated || a.Active < old.Active || a.Productive < old.Productive {
		p.complain("account went from %v to %v", old, a)
	}
	if a.Allocated-old.Allocated > a.Time.Sub(old.Time) {
		p.complain("allocated rose by %v in %v", a.Allocated-old.Allocated, a.Time.Sub(old.Time))
	}
}

// totals returns the newest of everything published.
func (p *publications) totals() totals {
	var d gpu.Derived
	for _, last := range p.accounts {
		a := last.account
		a.States = nil
		for _, s := range last.states {
			a.States = append(a.States, s)
		}
		d.Accounts = append(d.Accounts, a)
	}
	return flatten(d)
}
