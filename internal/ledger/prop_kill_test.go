// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger_test

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/internal/ledger"
)

// moment is where a process is killed while it handles a batch.
type moment int

const (
	nowhere moment = iota
	beforeJournal
	beforeObserve
	beforeSave
	beforeSend
	afterSend
	afterConfirm
	moments
)

// fate is what happens to one batch: where the process that has it is killed,
// how often in vain its sends are tried, and whether it is lost.
type fate struct {
	killed moment
	fails  bool
	lost   bool // nobody is there to take it
}

// host is a process with a checkpoint: the ledger as it was saved before its
// last send, and a journal of the batches since.
type host struct {
	cfg     ledger.Config
	ledger  *ledger.Ledger
	backend *publications
	saved   []byte
	journal [][]byte
}

// handle takes a batch in, as far as the process lives, and says whether it
// is known to it after a restart.
func (h *host) handle(b gpu.Batch, f fate) (kept bool) {
	if f.killed == beforeJournal {
		h.restart()
		return false
	}
	h.journal = append(h.journal, ledger.EncodeBatch(b))
	if f.killed == beforeObserve {
		h.restart()
		return true
	}
	h.ledger.Observe(b)
	h.publish(f)
	return true
}

// publish saves what is due, and sends it.
func (h *host) publish(f fate) {
	due, ok := h.ledger.Due()
	if f.killed == beforeSave {
		h.restart()
		return
	}
	if ok {
		h.saved, h.journal = h.ledger.Save(), nil
		if f.killed == beforeSend {
			h.restart()
			return
		}
		if !f.fails {
			h.backend.accept(due)
			if f.killed == afterSend {
				h.restart()
				return
			}
			h.ledger.Confirm(due)
		}
	}
	if f.killed != nowhere {
		h.restart()
	}
}

// restart begins a new process with what the old one left.
func (h *host) restart() {
	h.ledger = ledger.New(h.cfg)
	if h.saved != nil {
		l, err := ledger.Restore(h.cfg, h.saved)
		if err != nil {
			h.backend.complain("Restore: %v", err)
			return
		}
		h.ledger = l
	}
	for _, encoded := range h.journal {
		b, err := ledger.DecodeBatch(encoded)
		if err != nil {
			h.backend.complain("DecodeBatch: %v", err)
			return
		}
		h.ledger.Observe(b)
	}
}

// drawFates draws what happens to batches.
func drawFates(g *generator, n int, lossy bool) []fate {
	fates := make([]fate, n)
	for i := 0; i < n; i++ {
		f := &fates[i]
		f.fails = g.chance(3)
		if !g.chance(4) {
			continue
		}
		f.killed = 1 + moment(g.intn(int(moments)-1))
		for lossy && i+1 < n && g.chance(10) {
			i++
			fates[i].lost = true
		}
	}
	return fates
}

// run lets a backend see the batches with their fates, and returns those that
// came to the ledger. A sender that isn't lossy sends again what it has no answer to.
func (s scenario) run(bs []gpu.Batch, fates []fate, lossy bool) (*publications, []gpu.Batch) {
	h := &host{cfg: s.cfg, ledger: ledger.New(s.cfg), backend: newPublications()}
	h.backend.again = true
	var came []gpu.Batch
	for i, b := range bs {
		if fates[i].lost {
			continue
		}
		kept := h.handle(b, fates[i])
		if fates[i].killed != nowhere && !lossy {
			h.handle(b, fate{fails: fates[i].fails})
			kept = true
		}
		if kept {
			came = append(came, b)
		}
	}
	h.ledger.Finish()
	for range 3 {
		h.publish(fate{})
	}
	if _, ok := h.ledger.Due(); ok {
		h.backend.complain("something is due after everything was published")
	}
	return h.backend, came
}

// TestPropKill: a process that is killed at any moment goes on from what it
// saved and its journal, if batches without an answer come again: no published
// counter goes down, and in the end everything is as without kills.
func TestPropKill(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := drawPublished(t)
		g := &generator{t: t}
		bs := batches(s.events, pick(g, 5, 10, 40))
		fates := drawFates(g, len(bs), false)
		if wrong := s.survives(bs, fates, false); wrong != "" {
			t.Fatalf("fates %v:\n%s\n%s", fates, wrong, s)
		}
	})
}

// TestPropLost: the same if batches are lost that nobody was there to take. The
// loss is the only difference that a kill makes: all is as in a ledger that was
// never killed and never got what was lost. So the time that those points
// alone spoke for is unknown, or goes to who is known then, and no second
// counts twice.
func TestPropLost(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := drawPublished(t)
		g := &generator{t: t}
		bs := batches(s.events, pick(g, 5, 10, 40))
		fates := drawFates(g, len(bs), true)
		if wrong := s.survives(bs, fates, true); wrong != "" {
			t.Fatalf("fates %v:\n%s\n%s", fates, wrong, s)
		}
	})
}

// survives says in what kills make a difference but for what is lost.
func (s scenario) survives(bs []gpu.Batch, fates []fate, lossy bool) string {
	backend, came := s.run(bs, fates, lossy)
	want := s.observe(came, true)
	if diff := gocmp.Diff(flatten(want), backend.totals()); diff != "" {
		backend.complain("published in the end (-without kills +with kills):\n%s", diff)
	}
	// An account that was published in the end is forgotten, and what its pod
	// produces before it holds again isn't counted: less is no mistake.
	most := produced(slices.Values(want.Outputs))
	for who, got := range produced(maps.Values(backend.outputs)) {
		if got > most[who] {
			backend.complain("%s produced %g, without kills %g", who, got, most[who])
		}
	}
	return strings.Join(backend.complaints, "\n")
}

// produced adds up outputs by who produced them.
func produced(totals iter.Seq[gpu.OutputTotal]) map[string]float64 {
	sums := map[string]float64{}
	for o := range totals {
		if o.Value != 0 {
			sums[producer(o)] += o.Value
		}
	}
	return sums
}

// producer names who produced an output.
func producer(o gpu.OutputTotal) string {
	return fmt.Sprint(o.Node, o.Holder.Namespace, o.Holder.Key(), o.Holder.Workload.Name, o.Unit)
}
