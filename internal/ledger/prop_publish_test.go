// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/internal/ledger"
)

// TestPropPublished: whatever sends fail, published counters only grow, begin
// with 0, and end at the truth.
func TestPropPublished(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		f := drawFeatures(t)
		// A holder that comes back after its account was forgotten is a new one.
		f.Bad = false
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

// publications is what a backend saw.
type publications struct {
	accounts map[publication]*published
	outputs  map[string]gpu.OutputTotal
	settled  map[gpu.DeviceID]gpu.Time
	// forgotten is the time of lives of a device that the ledger forgot.
	forgotten map[gpu.DeviceID][]time.Duration

	// again: a sender that was killed may publish again what it had published,
	// and know less of it.
	again      bool
	complaints []string
}

func (p *publications) complain(format string, args ...any) {
	p.complaints = append(p.complaints, fmt.Sprintf(format, args...))
}

type publication struct {
	device      gpu.DeviceID
	holder      string
	attribution gpu.Attribution
	start       gpu.Time
}

// published is the newest that was published of an account.
type published struct {
	account gpu.Account
	states  map[gpu.Condition]gpu.StateTime
	depth   map[gpu.Engine]gpu.DepthTime
}

func newPublications() *publications {
	return &publications{
		accounts:  map[publication]*published{},
		outputs:   map[string]gpu.OutputTotal{},
		settled:   map[gpu.DeviceID]gpu.Time{},
		forgotten: map[gpu.DeviceID][]time.Duration{},
	}
}

// accept takes a send and checks it against those before.
func (p *publications) accept(d gpu.Derived) {
	before := map[gpu.DeviceID]gpu.Time{}
	for _, a := range d.Accounts {
		before[idOf(a.Device)] = p.settled[idOf(a.Device)]
	}
	for _, a := range d.Accounts {
		p.acceptAccount(a, before[idOf(a.Device)])
	}
	for _, o := range d.Outputs {
		key := fmt.Sprint(producer(o), o.Start)
		last, known := p.outputs[key]
		p.checkNew(known, o.New, "output", o)
		if known && (p.older(last.Time, o.Time) || o.Value < last.Value ||
			o.Time == last.Time && o.Value != last.Value && o.Holder.Pod != "") {
			p.complain("output went from %v to %v", last, o)
		}
		p.outputs[key] = o
	}
	for _, s := range d.Spans {
		p.checkSpan(d, s)
	}
}

// checkSpan: what is published of a device is its settled time, be it of the
// accounts that it still has or of all that it ever had.
func (p *publications) checkSpan(d gpu.Derived, s gpu.DeviceSpan) {
	id := idOf(s.Device)
	sent, ever, opened, anew := time.Duration(0), time.Duration(0), s.Time, true
	for _, a := range d.Accounts {
		if idOf(a.Device) == id {
			sent += sumOf(a)
			anew = anew && a.New
		}
	}
	for of, last := range p.accounts {
		if of.device == id {
			ever += last.sum()
			opened = min(opened, of.start)
		}
	}
	if ever > s.Time.Sub(opened) {
		p.complain("%s: %v in %v", id, ever, s.Time.Sub(opened))
	}
	if anew { // the ledger may have forgotten what it was before
		p.forgotten[id] = append(p.forgotten[id], ever-sent)
	}
	if s.Span != sent && s.Span != ever && !slices.Contains(p.forgotten[id], ever-s.Span) {
		p.complain("%s has settled %v; its accounts have %v, all that it ever had have %v", id, s.Span, sent, ever)
	}
}

func (p *published) sum() time.Duration {
	sum := time.Duration(0)
	for _, s := range p.states {
		sum += s.Nanos
	}
	return sum
}

func (p *publications) checkNew(known, isNew bool, what string, of any) {
	if known == isNew && !(known && p.again) {
		p.complain("%s is new: %t, was published: %t: %v", what, isNew, known, of)
	}
}

// older says whether something was published for a time that it was published
// for before. After a kill it may be published for the same time.
func (p *publications) older(last, t gpu.Time) bool { return t < last || t == last && !p.again }

func (p *publications) acceptAccount(a gpu.Account, before gpu.Time) {
	key := publication{idOf(a.Device), holderOf(a), a.Attribution, a.Start}
	last, known := p.accounts[key]
	p.checkNew(known, a.New, "account", a)
	if !known {
		last = &published{states: map[gpu.Condition]gpu.StateTime{}, depth: map[gpu.Engine]gpu.DepthTime{}}
		p.accounts[key] = last
	} else {
		p.checkGrowth(last.account, a)
	}
	if span := a.Time.Sub(a.Start); a.Allocated > span || a.Entitled > span && a.Holder.Pod != "" {
		p.complain("%v allocated and %v entitled in %v: %v", a.Allocated, a.Entitled, span, a)
	}
	for _, s := range a.States {
		old, known := last.states[s.Condition]
		p.checkNew(known, s.New, "series "+nameOf(s.Condition), a)
		p.checkSeries(nameOf(s.Condition), known, seriesOf(old.Start, old.Nanos, last.account), seriesOf(s.Start, s.Nanos, a), before)
		last.states[s.Condition] = s
	}
	for _, s := range a.Depth {
		old, known := last.depth[s.Engine]
		p.checkNew(known, s.New, "depth of "+s.Engine.String(), a)
		p.checkSeries("depth of "+s.Engine.String(), known, seriesOf(old.Start, old.Nanos, last.account), seriesOf(s.Start, s.Nanos, a), before)
		last.depth[s.Engine] = s
	}
	last.account = a
	p.settled[idOf(a.Device)] = max(p.settled[idOf(a.Device)], a.Time)
}

// series is a point of a published counter.
type series struct {
	start, time, opened gpu.Time
	nanos               time.Duration
}

func seriesOf(start gpu.Time, nanos time.Duration, a gpu.Account) series {
	return series{start: start, time: a.Time, opened: a.Start, nanos: nanos}
}

// checkSeries holds a point of a counter against the one before it. A series
// that is new starts where its device was published last; a sender that was
// killed may not know that it had published so far.
func (p *publications) checkSeries(name string, known bool, old, s series, before gpu.Time) {
	starts := max(before, s.opened)
	switch {
	case known && (s.start != old.start || s.nanos < old.nanos):
		p.complain("series %s went from %v to %v", name, old, s)
	case known && s.time == old.time && s.nanos != old.nanos:
		p.complain("series %s was %v and is %v at one time", name, old, s)
	case !known && s.start != starts && !(p.again && s.opened <= s.start && s.start < starts):
		p.complain("series %s starts at %s, not at %s", name, stamp(s.start), stamp(starts))
	case s.nanos > s.time.Sub(s.start):
		p.complain("series %s: %v in %v", name, s.nanos, s.time.Sub(s.start))
	}
}

func (p *publications) checkGrowth(old, a gpu.Account) {
	if p.older(old.Time, a.Time) || a.Allocated < old.Allocated || a.Active < old.Active ||
		a.Productive < old.Productive || a.Entitled < old.Entitled {
		p.complain("account went from %v to %v", old, a)
	}
	if grown := a.Allocated - old.Allocated; grown > a.Time.Sub(old.Time) {
		p.complain("allocated rose by %v in %v", grown, a.Time.Sub(old.Time))
	}
	if grown := a.Entitled - old.Entitled; grown > a.Time.Sub(old.Time) && a.Holder.Pod != "" {
		p.complain("entitled rose by %v in %v", grown, a.Time.Sub(old.Time))
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
