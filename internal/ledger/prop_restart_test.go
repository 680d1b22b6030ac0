// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/internal/ledger"
)

// drawPublished draws a scenario of which what is published in the end doesn't
// depend on which sends were accepted.
func drawPublished(t *rapid.T) scenario {
	f := drawFeatures(t)
	// A holder that comes back after its account was forgotten is a new one.
	f.Bad = false
	f.Overlaps = f.Overlaps && !f.Labels
	s := drawScenarioWith(t, f)
	s.cfg.Workloads = rapid.Bool().Draw(t, "workloads")
	return s
}

// TestPropRestore: a ledger that is saved and restored at any moment goes on
// as if nothing had happened.
func TestPropRestore(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		f := drawFeatures(t)
		f.Ends = rapid.Bool().Draw(t, "ends")
		s := drawScenarioWith(t, f)
		s.cfg.Workloads = rapid.Bool().Draw(t, "workloads")
		if rapid.Bool().Draw(t, "cap") && len(s.nodes()) == 1 { // else nodes race for the last account
			s.cfg.MaxAccounts = len(deviceIDs(s.events)) + rapid.IntRange(0, 3).Draw(t, "holders")
		}
		g := &generator{t: t}
		bs := batches(s.events, pick(g, 3, 10, 40))
		cuts := make([]restarts, len(bs))
		for i := range cuts {
			cuts[i] = drawRestarts(g)
		}
		if wrong := s.restored(bs, cuts); wrong != "" {
			t.Fatalf("%s\n%s", wrong, s)
		}
	})
}

// nodes returns the nodes that the points are of.
func (s scenario) nodes() map[string]bool {
	nodes := map[string]bool{}
	for _, e := range s.events {
		for _, c := range e.AllocationCounts {
			nodes[c.Node] = true
		}
		for _, g := range e.Samples {
			nodes[g.Device.Node] = true
		}
		for _, c := range e.Counters {
			nodes[c.Device.Node] = true
		}
	}
	return nodes
}

// restarts says at which moments of one batch the ledger is restored, and
// whether its send is accepted.
type restarts struct{ observed, due, confirmed, accepted bool }

func drawRestarts(g *generator) restarts {
	return restarts{observed: g.chance(3), due: g.chance(3), confirmed: g.chance(3), accepted: !g.chance(5)}
}

// twins are two ledgers that see the same; one is restored now and then.
type twins struct {
	cfg            ledger.Config
	steady, broken *ledger.Ledger
	wrong          string
}

// restored says where a ledger that is restored differs from one that isn't.
func (s scenario) restored(bs []gpu.Batch, cuts []restarts) string {
	w := &twins{cfg: s.cfg, steady: ledger.New(s.cfg), broken: ledger.New(s.cfg)}
	for i, b := range bs {
		w.steady.Observe(b)
		w.broken.Observe(b)
		w.restore(cuts[i].observed, "after batch", i)
		w.send(cuts[i], i)
	}
	w.steady.Finish()
	w.broken.Finish()
	w.restore(true, "after the end of", len(bs))
	w.compare("of all, in the end", w.steady.Snapshot(), w.broken.Snapshot())
	w.send(restarts{due: true, confirmed: true, accepted: true}, len(bs))
	return w.wrong
}

func (w *twins) restore(now bool, when string, batch int) {
	if !now || w.wrong != "" {
		return
	}
	before := w.broken.Snapshot()
	l, err := ledger.Restore(w.cfg, w.broken.Save())
	if err != nil {
		w.wrong = fmt.Sprintf("%s %d: Restore: %v", when, batch, err)
		return
	}
	w.broken = l
	w.compare(fmt.Sprintf("%s %d: restored", when, batch), before, l.Snapshot())
}

// send publishes what is due of both.
func (w *twins) send(cut restarts, batch int) {
	want, wanted := w.steady.Due()
	got, due := w.broken.Due()
	w.compare(fmt.Sprintf("due after batch %d", batch), want, got)
	if wanted != due && w.wrong == "" {
		w.wrong = fmt.Sprintf("after batch %d: due: %t, restored: %t", batch, wanted, due)
	}
	w.restore(cut.due, "before the confirmation of", batch)
	if due && cut.accepted {
		w.steady.Confirm(want)
		w.broken.Confirm(got)
	}
	w.restore(cut.confirmed, "after the confirmation of", batch)
}

func (w *twins) compare(what string, want, got gpu.Derived) {
	if diff := quickDiff(want, got); diff != "" && w.wrong == "" {
		w.wrong = what + " (-without restarts +restored):\n" + diff
	}
}

// TestPropEncodedBatch: a batch is the same after it was in a journal.
func TestPropEncodedBatch(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		for _, b := range batches(drawScenario(t).events, 10) {
			got, err := ledger.DecodeBatch(ledger.EncodeBatch(b))
			if err != nil {
				t.Fatal(err)
			}
			if diff := quickDiff(b, got); diff != "" {
				t.Fatalf("(-batch +decoded):\n%s", diff)
			}
		}
	})
}
