// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger_test

import (
	"cmp"
	"flag"
	"fmt"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
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
			checkMeasures(t, a)
		}
		for id, span := range want.Span {
			if sums[id] != span {
				t.Fatalf("%s: Σ states = %v, F − opening = %v\n%s", id, sums[id], span, s)
			}
		}
	})
}

// TestPropLate: whatever comes late, conservation holds.
func TestPropLate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := drawFeatures(t)
		f.Ends = false
		s := drawScenarioWith(t, f)
		l := ledger.New(s.cfg)
		for _, b := range drawBatches(t, delayed(t, s.events, 60*time.Second)) {
			l.Observe(b)
			checkBalance(t, l.Snapshot())
		}
		l.Finish()
		checkBalance(t, l.Snapshot())
	})
}

// TestPropDuplicates: a batch that comes again changes nothing, however late.
func TestPropDuplicates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawScenario(t)
		want := s.observe(batches(s.events, 10), true)
		var twice []gpu.Batch
		seconds := rapid.SampledFrom([]int{1, 5, 30}).Draw(t, "batch")
		for _, b := range batches(s.events, seconds) {
			twice = append(twice, b, b)
			if i := rapid.IntRange(0, len(twice)-1).Draw(t, "again"); rapid.Bool().Draw(t, "old") {
				twice = append(twice, twice[i])
			}
		}
		s.equal(t, want, s.observe(twice, true))
	})
}

// TestPropOrder: any order within the settle delay gives the same.
func TestPropOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawScenario(t)
		finish := rapid.Bool().Draw(t, "finish")
		want := s.observe(batches(s.events, 10), finish)
		shuffled := delayed(t, s.events, s.cfg.SettleDelay)
		s.equal(t, want, s.observe(drawBatches(t, shuffled), finish))
	})
}

// TestPropBatches: any cut of the points into batches gives the same.
func TestPropBatches(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawScenario(t)
		finish := rapid.Bool().Draw(t, "finish")
		want := s.observe([]gpu.Batch{merge(s.events)}, finish)
		var single []gpu.Batch
		for _, e := range s.events {
			single = append(single, e.Batch)
		}
		s.equal(t, want, s.observe(single, finish))
		s.equal(t, want, s.observe(drawBatches(t, s.events), finish))
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
		s.equal(t, s.observe(batches(s.events, 7), true), l.Snapshot())
	})
}

// TestPropPublished: whatever sends fail, published counters only grow, begin
// with 0, and end at the truth.
func TestPropPublished(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := drawFeatures(t)
		f.Ends = false // a holder that comes back after its account was forgotten is new
		s := drawScenarioWith(t, f)
		s.cfg.Workloads = rapid.Bool().Draw(t, "workloads")
		g := &generator{t: t}
		l := ledger.New(s.cfg)
		seen := newPublications()
		for _, b := range batches(s.events, pick(g, 3, 10, 40)) {
			l.Observe(b)
			if due, ok := l.Due(); ok && !g.chance(5) {
				seen.accept(t, due)
				l.Confirm(due)
			}
		}
		l.Finish()
		for range 2 {
			due, ok := l.Due()
			if ok && g.chance(12) {
				seen.accept(t, due)
				l.Confirm(due)
			}
		}
		if due, ok := l.Due(); ok {
			seen.accept(t, due)
			l.Confirm(due)
		}
		if _, ok := l.Due(); ok {
			t.Fatalf("something is due after everything was published\n%s", s)
		}
		want := flatten(s.observe(batches(s.events, 10), true))
		if diff := gocmp.Diff(want, seen.totals()); diff != "" {
			t.Fatalf("published in the end (-want +got):\n%s%s", diff, s)
		}
	})
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
		s = s.minimal(func(s scenario) bool { return s.diffToOracle(finish) != "" })
		diff = s.diffToOracle(finish)
	}
	t.Fatalf("finish %t (-oracle +ledger):\n%s%s", finish, diff, s)
}

// diffToOracle says in what the ledger and the oracle differ.
func (s scenario) diffToOracle(finish bool) string {
	oracle := runOracle(s.cfg, merge(s.events), finish)
	got := s.observe(batches(s.events, 10), finish)
	return gocmp.Diff(oracle.flatten(), flatten(got)) + gocmp.Diff(oracle.settled(), settled(got))
}

// minimize is for those who look for the cause of a difference:
// go test ./internal/ledger -run Prop -rapid.shrinktime=0s -minimize.
var minimize = flag.Bool("minimize", false, "leave out of a failing scenario all points that don't matter")

// minimal returns the scenario without all points that it fails without.
func (s scenario) minimal(fails func(scenario) bool) scenario {
	for n := len(s.events) / 2; n > 0; n /= 2 {
		for i := 0; i < len(s.events); {
			without := s
			without.events = slices.Delete(slices.Clone(s.events), i, unitEnd(s.events, i, n))
			if fails(without) {
				s = without
			} else {
				i++
			}
		}
	}
	return s
}

// unitEnd returns the end of n events from i on that doesn't tear a pair.
func unitEnd(events []point, i, n int) int {
	end := min(i+n, len(events))
	if end < len(events) && len(events[end-1].Counters) > 0 && len(events[end].Counters) > 0 &&
		events[end-1].Counters[0].Part != events[end].Counters[0].Part {
		end++
	}
	return end
}

func (s scenario) equal(t *rapid.T, want, got gpu.Derived) {
	undescribed := gocmp.Transformer("id", func(d gpu.Device) gpu.DeviceID { return d.ID })
	if diff := gocmp.Diff(want, got, undescribed); diff != "" {
		t.Fatalf("(-want +got):\n%s%s", diff, s)
	}
}

// delayed returns the events as they arrive if each is late by less than most,
// up to the end of its second more.
func delayed(t *rapid.T, events []point, most time.Duration) []point {
	type arrival struct {
		point

		at gpu.Time
	}
	g := &generator{t: t}
	var arrivals []arrival
	for _, e := range events {
		late := wholeSecond(e.at).Add(most) - 1 - e.at // the last moment
		arrivals = append(arrivals, arrival{e, e.at + late*gpu.Time(g.intn(8))/7})
	}
	slices.SortStableFunc(arrivals, func(a, b arrival) int { return cmp.Compare(a.at, b.at) })
	var out []point
	for _, a := range arrivals {
		out = append(out, a.point)
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

func checkMeasures(t *rapid.T, a gpu.Account) {
	productive := time.Duration(0)
	for _, s := range a.States {
		if s.Condition.State == gpu.Productive {
			productive += s.Nanos
		}
		if s.Nanos < 0 {
			t.Fatalf("%v is negative: %v", s.Condition, a)
		}
	}
	switch {
	case a.Kind == gpu.DeviceAccount:
		if a.Allocated != 0 || a.Active != 0 || a.Productive != 0 {
			t.Fatalf("a device's own account has measures: %v", a)
		}
	case a.Allocated != sumOf(a):
		t.Fatalf("allocated %v is not Σ states %v: %v", a.Allocated, sumOf(a), a)
	case a.Productive != productive:
		t.Fatalf("productive %v is not the state's %v: %v", a.Productive, productive, a)
	case a.Active < a.Productive || a.Allocated < a.Active:
		t.Fatalf("allocated %v, active %v, productive %v", a.Allocated, a.Active, a.Productive)
	}
}

// checkBalance holds all accounts of a device against its own account, which
// is as old as the device.
func checkBalance(t *rapid.T, d gpu.Derived) {
	sums, spans := map[gpu.DeviceID]time.Duration{}, map[gpu.DeviceID]time.Duration{}
	for _, a := range d.Accounts {
		checkMeasures(t, a)
		sums[a.Device.ID] += sumOf(a)
		if a.Kind == gpu.DeviceAccount || a.Host {
			spans[a.Device.ID] = a.Time.Sub(a.Start)
		}
	}
	if diff := gocmp.Diff(spans, sums); diff != "" {
		t.Fatalf("F − opening and Σ states (-want +got):\n%s", diff)
	}
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

// settled returns F of every device, in seconds of the scenario.
func settled(d gpu.Derived) map[gpu.DeviceID]string {
	newest := map[gpu.DeviceID]gpu.Time{}
	for _, a := range d.Accounts {
		newest[a.Device.ID] = max(newest[a.Device.ID], a.Time)
	}
	return inSeconds(newest)
}

func (r oracleResult) settled() map[gpu.DeviceID]string { return inSeconds(r.F) }

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
func (p *publications) accept(t *rapid.T, d gpu.Derived) {
	before := map[gpu.DeviceID]gpu.Time{}
	for _, a := range d.Accounts {
		before[a.Device.ID] = p.settled[a.Device.ID]
	}
	for _, a := range d.Accounts {
		p.acceptAccount(t, a, before[a.Device.ID])
	}
	for _, o := range d.Outputs {
		key := fmt.Sprint(o.Holder.Key(), o.Unit, o.Start)
		last, known := p.outputs[key]
		switch {
		case known == o.New:
			t.Fatalf("output is new: %t, was published: %t: %v", o.New, known, o)
		case known && (o.Time <= last.Time || o.Value < last.Value):
			t.Fatalf("output went from %v to %v", last, o)
		}
		p.outputs[key] = o
	}
}

func (p *publications) acceptAccount(t *rapid.T, a gpu.Account, before gpu.Time) {
	key := publication{a.Device.ID, holderOf(a), a.Start}
	last, known := p.accounts[key]
	if known == a.New {
		t.Fatalf("account is new: %t, was published: %t: %v", a.New, known, a)
	}
	if !known {
		last = &published{states: map[gpu.Condition]gpu.StateTime{}}
		p.accounts[key] = last
	} else {
		checkGrowth(t, last.account, a)
	}
	if span := a.Time.Sub(a.Start); a.Allocated > span {
		t.Fatalf("%v allocated in %v: %v", a.Allocated, span, a)
	}
	for _, s := range a.States {
		old, known := last.states[s.Condition]
		switch {
		case known == s.New:
			t.Fatalf("series %v is new: %t, was published: %t: %v", s.Condition, s.New, known, a)
		case known && (s.Start != old.Start || s.Nanos < old.Nanos):
			t.Fatalf("series %v went from %v to %v", s.Condition, old, s)
		case s.New && s.Start != max(before, a.Start):
			t.Fatalf("series %v starts at %s, not at %s", s.Condition, stamp(s.Start), stamp(max(before, a.Start)))
		case s.Nanos > a.Time.Sub(s.Start):
			t.Fatalf("series %v: %v in %v", s.Condition, s.Nanos, a.Time.Sub(s.Start))
		}
		last.states[s.Condition] = s
	}
	last.account = a
	p.settled[a.Device.ID] = max(p.settled[a.Device.ID], a.Time)
}

func checkGrowth(t *rapid.T, old, a gpu.Account) {
	if a.Time <= old.Time || a.Allocated < old.Allocated || a.Active < old.Active || a.Productive < old.Productive {
		t.Fatalf("account went from %v to %v", old, a)
	}
	if a.Allocated-old.Allocated > a.Time.Sub(old.Time) {
		t.Fatalf("allocated rose by %v in %v", a.Allocated-old.Allocated, a.Time.Sub(old.Time))
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
