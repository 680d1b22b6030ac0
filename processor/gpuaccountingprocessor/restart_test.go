// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpuaccountingprocessor

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componentstatus"
	"pgregory.net/rapid"

	"github.com/otelcol-gpu/otelcol-gpu/internal/checkpoint"
	"github.com/otelcol-gpu/otelcol-gpu/internal/checkpoint/checkpointtest"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// work is the i-th collection of a device whose holder works now and then.
func work(i int) gpu.Batch {
	return tick(float64(10*i), float64(i%5)/4, float64(i/3))
}

const collections = 24

// TestKilledAtEveryStep: a process is killed at every step of every collection;
// the sender sends again what wasn't accepted. The sums are those of a process
// that lived on.
func TestKilledAtEveryStep(t *testing.T) {
	unbroken := newNode(t).start()
	unbroken.cfg.EmitInterval = 30 * time.Second
	for i := range collections {
		unbroken.consume(work(i))
	}
	unbroken.stop()
	want := unbroken.out.published()
	require.Equal(t, 220*time.Second, want["uid-0"].allocated)

	steps := map[string]func(*node){
		"between two batches":   func(n *node) { n.dead = true },
		"before it is stored":   func(n *node) { n.disk.Before(n.killOn()) },
		"after it was stored":   func(n *node) { n.disk.After(n.killOn()) },
		"before it is sent":     func(n *node) { n.out.before = func() error { n.dead = true; return checkpointtest.ErrKilled } },
		"after it was sent":     func(n *node) { n.out.after = func() error { n.dead = true; return nil } },
		"after it was accepted": func(n *node) { n.consume(work(0)); n.dead = true }, // a batch of long ago comes again
	}
	for name, step := range steps {
		t.Run(name, func(t *testing.T) {
			for at := 1; at < collections; at++ {
				n := newNode(t)
				n.cfg.EmitInterval = 30 * time.Second
				n.start()
				for i := range collections {
					if i == at {
						step(n)
					}
					if err := n.try(work(i)); err != nil || n.dead {
						n.out.before, n.out.after = nil, nil
						n.start()
						n.consume(work(i))
					}
				}
				n.stop()
				require.Equal(t, want, n.out.published(), "killed at %d", at)
			}
		})
	}
}

// TestKilledAnyhow: any number of kills, sends that fail, and batches that come
// again, at any step.
func TestKilledAnyhow(t *testing.T) {
	unbroken := newNode(t).start()
	for i := range collections {
		unbroken.consume(work(i))
	}
	unbroken.stop()
	rapid.Check(t, func(rt *rapid.T) {
		n := newNode(rt)
		n.cfg.EmitInterval = time.Duration(rapid.SampledFrom([]int{10, 30, 70}).Draw(rt, "emit")) * time.Second
		n.start()
		for i := range collections {
			n.mishap(rapid.SampledFrom([]string{
				"", "", "", "kill", "kill before", "kill after", "kill unsent", "kill sent", "unsent", "sent", "again",
			}).Draw(rt, "mishap"), work(i))
			for n.dead || n.try(work(i)) != nil || n.dead {
				n.out.before, n.out.after = nil, nil
				if n.dead {
					n.start()
				}
			}
		}
		n.out.before, n.out.after = nil, nil
		n.stop()
		require.Equal(rt, unbroken.out.published(), n.out.published())
	})
}

// mishap has something go wrong with the next batch.
func (n *node) mishap(what string, b gpu.Batch) {
	errAway := errors.New("backend is away")
	die := func() error { n.dead = true; return checkpointtest.ErrKilled }
	switch what {
	case "kill":
		n.dead = true
	case "kill before":
		n.disk.Before(n.killOn())
	case "kill after":
		n.disk.After(n.killOn())
	case "kill unsent":
		n.out.before = die
	case "kill sent":
		n.out.after = die
	case "unsent":
		n.out.before = func() error { return errAway }
	case "sent":
		n.out.after = func() error { return errAway }
	case "again":
		n.consume(b)
	}
}

// TestNothingEverLies: whatever happens to process, storage, machine and
// network, no counter falls under its start, and none begins anew in time that
// was counted. The downstream checks it.
func TestNothingEverLies(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := newNode(rt)
		n.cfg.EmitInterval = time.Duration(rapid.SampledFrom([]int{10, 30}).Draw(rt, "emit")) * time.Second
		n.start()
		for i := range 3 * collections {
			n.clock = n.clock.Add(10 * time.Second)
			n.trouble(rt)
			n.mishap(rapid.SampledFrom([]string{
				"", "", "", "", "", "", "kill", "kill unsent", "kill sent", "unsent", "sent",
			}).Draw(rt, "mishap"), work(i))
			_ = n.try(work(i)) // what is lost is lost
			n.out.before, n.out.after = nil, nil
			if n.dead {
				n.start()
			}
		}
		n.disk.Before(nil)
		n.disk.After(nil)
		n.stop()
		for uid, a := range n.out.published() {
			if uid == "" {
				continue // a device's own account has no measures
			}
			total := time.Duration(0)
			for _, d := range a.states {
				total += d
			}
			require.Equal(rt, a.allocated, total)
		}
	})
}

// trouble has the storage or the machine fail, or recover.
func (n *node) trouble(rt *rapid.T) {
	switch rapid.IntRange(0, 25).Draw(rt, "trouble") {
	case 0:
		n.disk.Before(onWrites(errDisk))
	case 1:
		n.disk.After(onWrites(errDisk))
	case 2:
		n.disk.Before(full)
	case 3:
		n.disk.Tamper(func(data map[string][]byte) {
			for key := range data {
				data[key][0] ^= 1
			}
		})
	case 4:
		n.boot += "'"
		n.dead = true
	case 5, 6, 7:
		n.disk.Before(nil)
		n.disk.After(nil)
	}
}

// TestRestartsThatCannotGoOn begin new streams, pass the input and say why.
func TestRestartsThatCannotGoOn(t *testing.T) {
	tamper := func(n *node, key string, change func([]byte)) {
		n.disk.Tamper(func(data map[string][]byte) { change(data["checkpoint/"+key]) })
	}
	tests := map[string]struct {
		prepare func(*node)
		outcome checkpoint.Outcome
		status  string // "": it is no fault
	}{
		"another boot":     {func(n *node) { n.boot = "boot-2" }, checkpoint.OtherBoot, ""},
		"no boot id":       {func(n *node) { n.boot = "" }, checkpoint.OtherBoot, ""},
		"per workload now": {func(n *node) { n.cfg.Granularity = granularityWorkload }, checkpoint.OtherSettings, ""},
		"damaged snapshot": {
			func(n *node) { tamper(n, "snapshot", func(b []byte) { b[len(b)/2] ^= 1 }) },
			checkpoint.Corrupt, "not what was stored: the snapshot",
		},
		"damaged header": {
			func(n *node) { tamper(n, "header", func(b []byte) { b[9] ^= 1 }) }, checkpoint.Corrupt, "the header",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			n := newNode(t).start()
			for i := range 6 {
				n.consume(work(i))
			}
			tt.prepare(n) // while it runs
			n.start()
			require.Equal(t, map[string]int64{string(tt.outcome): 1}, n.own.restores)
			for i := 6; i < 9; i++ {
				n.consume(work(i))
			}
			a := n.out.newest["uid-0"]
			if tt.outcome == checkpoint.OtherSettings {
				a = n.out.newest[""]
			}
			require.Equal(t, second(60), a.Start)
			require.Equal(t, second(70), a.Time)
			if tt.status == "" {
				require.Empty(t, n.status)
				return
			}
			require.Equal(t, []componentstatus.Status{
				componentstatus.StatusRecoverableError, componentstatus.StatusOK,
			}, n.statuses())
			require.ErrorContains(t, n.status[0].Err(), "new streams begin at 0: checkpoint: ")
			require.ErrorContains(t, n.status[0].Err(), tt.status)
		})
	}
}

// TestConcurrentBatchesAreStoredInOrder: the ledger that is restored is the one
// that was killed.
func TestConcurrentBatchesAreStoredInOrder(t *testing.T) {
	n := newNode(t)
	n.cfg.SettleDelay = time.Minute
	n.start()
	n.out.quiet = true
	var all sync.WaitGroup
	for producer := range 4 {
		all.Go(func() {
			for i := range 25 {
				n.consume(tick(float64(4*i+producer), 0.5, float64(i)))
			}
		})
	}
	all.Wait()
	killed := n.ledger.Snapshot()
	n.start()
	restored := n.ledger.Snapshot()
	require.NotEmpty(t, killed.Accounts)
	require.Len(t, restored.Accounts, len(killed.Accounts))
	for i, a := range killed.Accounts {
		require.Equal(t, a.Allocated, restored.Accounts[i].Allocated)
		require.Equal(t, a.Time, restored.Accounts[i].Time)
	}
	require.Positive(t, n.own.restores["resumed"])
}
