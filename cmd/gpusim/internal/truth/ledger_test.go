// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package truth_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/feed"
	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/truth"
	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/watch"
	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/world"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/internal/ledger"
)

// figure names one figure of an account.
type figure struct {
	device gpu.DeviceID
	pod    string
	by     gpu.Attribution
	what   string
}

type figures map[figure]time.Duration

func (f figures) add(d gpu.DeviceID, pod string, by gpu.Attribution, what any, nanos time.Duration) {
	if nanos != 0 {
		f[figure{d, pod, by, fmt.Sprint(what)}] += nanos
	}
}

// compare reports every figure in which want and got differ.
func compare(t interface{ Errorf(string, ...any) }, want, got figures) {
	all := maps.Clone(want)
	maps.Copy(all, got)
	var lines []string
	for key := range all {
		if want[key] != got[key] {
			lines = append(lines, fmt.Sprintf("%v: truth %d, ledger %d (%d)", key, want[key], got[key], got[key]-want[key]))
		}
	}
	slices.Sort(lines)
	for _, line := range lines {
		t.Errorf("%s", line)
	}
}

// expected are the figures of the truth.
func expected(w *world.World, s watch.Settings) figures {
	f := figures{}
	var nodes []*watch.Node
	for _, n := range w.Nodes {
		nodes = append(nodes, watch.New(w, n, s))
	}
	for _, n := range nodes {
		for _, a := range truth.Accounts(n, truth.DefaultRules(), nodes...) {
			id, pod := a.Device.ID, a.Holder.Key()
			for c, nanos := range a.States {
				f.add(id, pod, a.Attribution, c, nanos)
			}
			f.add(id, pod, a.Attribution, "active", a.Active)
			f.add(id, pod, a.Attribution, "productive", a.Productive)
			f.add(id, pod, a.Attribution, "entitled", a.Entitled)
			f.add(id, pod, a.Attribution, "allocated", a.Allocated)
		}
	}
	return f
}

// accounted are the figures that a ledger publishes which is fed with a world.
func accounted(w *world.World, s watch.Settings) figures {
	cfg := ledger.DefaultConfig()
	l := ledger.New(cfg)
	type life struct {
		figure
		kind  gpu.AccountKind
		start gpu.Time
	}
	published := map[life]gpu.Account{}
	var walks []feed.Walk
	for _, n := range w.Nodes {
		walks = append(walks, feed.Node(watch.New(w, n, s), feed.Collector{MaxGap: cfg.MaxGap, Settle: cfg.SettleDelay}))
	}
	next := feed.Merge(walks...)
	for d, ok := next(); ok; d, ok = next() {
		l.Observe(d.Batch)
		for derived, due := l.Due(); due; derived, due = l.Due() {
			for _, a := range derived.Accounts {
				of := figure{device: a.Device.ID, pod: a.Holder.Key(), by: a.Attribution}
				published[life{of, a.Kind, a.Start}] = a
			}
			l.Confirm(derived)
		}
	}
	f := figures{}
	for key, a := range published {
		id, pod, by := key.device, key.pod, key.by
		for _, s := range a.States {
			f.add(id, pod, by, s.Condition, s.Nanos)
		}
		f.add(id, pod, by, "active", a.Active)
		f.add(id, pod, by, "productive", a.Productive)
		f.add(id, pod, by, "entitled", a.Entitled)
		f.add(id, pod, by, "allocated", a.Allocated)
	}
	return f
}

// TestLedgerIsRight: a ledger that is fed with any world accounts exactly what
// is true of it as it was watched.
func TestLedgerIsRight(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, s := drawWorld(t), drawSettings(t)
		want, got := expected(w, s), accounted(w, s)
		if !maps.Equal(want, got) {
			t.Logf("WORLD %+v\n%s", s, show(w))
		}
		compare(t, want, got)
	})
}

func drawSettings(t *rapid.T) watch.Settings {
	interval := rapid.SampledFrom([]time.Duration{time.Second, 10 * time.Second, 30 * time.Second}).Draw(t, "interval")
	return watch.Settings{
		Interval: interval, Sample: time.Second,
		Scrape: rapid.SampledFrom([]time.Duration{5 * time.Second, 10 * time.Second, 30 * time.Second}).Draw(t, "scrape"),
		Gauges: rapid.Bool().Draw(t, "gauges"),
	}
}
