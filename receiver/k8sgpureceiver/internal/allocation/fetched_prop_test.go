// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package allocation

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/deviceid"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/pod"
)

// fetchEvery is how often pods are fetched, in tenths of a second. A kubelet
// that starts has all of its pods before the second answer.
const (
	fetchEvery = 50
	fetched    = fetchEvery * time.Second / 10
)

// restarting is a world whose pods are fetched from a kubelet that starts again
// now and then.
type restarting struct {
	*world
	starts []int
	slow   map[string]int // how long after a start a pod is there
}

func drawRestarting(t *rapid.T) *restarting {
	w := &restarting{drawWorld(t), nil, map[string]int{}}
	w.local, w.delay, w.down, w.away, w.blank = true, 0, span{}, span{}, span{}
	for at := 0; ; {
		at += rapid.IntRange(int(missingFor/(100*time.Millisecond)), 900).Draw(t, "start") // one that does all the time lists nothing for long
		if at >= w.duration {
			break
		}
		w.starts = append(w.starts, at)
	}
	for _, s := range w.pods {
		s.flaky, s.mute = false, false
		w.slow[s.uid] = rapid.IntRange(0, fetchEvery-1).Draw(t, "slow")
	}
	return w
}

// started is when the kubelet started last before a time, 0 if it didn't.
func (w *restarting) started(at int) (last int) {
	for _, start := range w.starts {
		if start <= at {
			last = start
		}
	}
	return last
}

// has reports whether the kubelet has heard of a pod.
func (w *restarting) has(s *script, at int) bool {
	start := w.started(at)
	return s.admitted >= start || at >= start+w.slow[s.uid]
}

func (w *restarting) fetch(b *Book, at int) {
	b.Resync()
	for _, s := range w.pods {
		p := w.state(s, at)
		if p == nil || at >= s.deleted || !w.has(s, at) {
			continue
		}
		if start := w.started(at); start > s.admitted {
			p.Seen = tenth(start)
		}
		b.Pod(p, tenth(at), false)
	}
	b.Synced(tenth(at))
}

func (w *restarting) listed(at int) []Listed {
	return slices.DeleteFunc(w.list(at), func(l Listed) bool {
		return slices.ContainsFunc(w.pods, func(s *script) bool {
			there := at >= s.admitted && at < s.released && at < s.forced
			return there && s.name == l.Pod.Name && !w.has(s, at)
		})
	})
}

// play runs the world through a book, and checks each complete set: a pod that
// was told of stays while it runs.
func (w *restarting) play(t *rapid.T) told {
	b := New(Config{Node: "n", Catalog: &deviceid.Catalog{}})
	out := told{begin: map[string]gpu.Time{}, end: map[string][]gpu.Time{}, last: map[string]gpu.Time{}, over: map[string]bool{}}
	for at := range w.duration {
		if at%fetchEvery == 7 {
			w.fetch(b, at)
		}
		if at%interval != 50 {
			continue
		}
		for _, before := range []int{2, 1} {
			b.List(w.listed(at-before), tenth(at-before))
		}
		s := b.Set(tenth(at))
		out.take(t, at, &s, func(at int, s *Set) { w.checkTold(t, at, s, &out) })
		b.Sent(&s)
	}
	return out
}

func (w *restarting) checkTold(t *rapid.T, at int, s *Set, out *told) {
	for _, p := range w.pods {
		_, before := out.last[p.uid]
		has := slices.ContainsFunc(s.Allocations, func(a gpu.Allocation) bool { return a.Holder.PodUID == p.uid })
		if before && !has && at < min(p.end, p.forced, p.deleted) {
			t.Fatalf("at %d the set lacks %s, which runs (%+v, starts %v)", at, p.uid, *p, w.starts)
		}
	}
}

// TestPropRestarts: a kubelet that starts again ends no pod that runs, and begins
// none anew; a pod that went between two answers ends close to when it did.
func TestPropRestarts(t *testing.T) {
	sets, ends := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		w := drawRestarting(t)
		out := w.play(t)
		sets += out.sets
		for _, s := range w.pods {
			if len(out.end[s.uid]) > 1 {
				t.Fatalf("%s is closed %d times", s.uid, len(out.end[s.uid]))
			}
			for _, end := range out.end[s.uid] {
				ends++
				// Another pod that is listed under its name is taken for it until pods are fetched.
				first := tenth(min(s.end, s.deleted)).Add(-2*fetched - pod.Resolution)
				last := tenth(s.released).Add(fetched + pod.Resolution)
				if end < first || end > last {
					t.Fatalf("%s ended at %v, not %v to %v (%+v, starts %v)", s.uid, end.Sub(origin), first.Sub(origin), last.Sub(origin), *s, w.starts)
				}
			}
		}
	})
	t.Logf("%d sets, %d ends", sets, ends)
	if sets == 0 || ends == 0 {
		t.Errorf("%d sets, %d ends: nothing was tested", sets, ends)
	}
}
