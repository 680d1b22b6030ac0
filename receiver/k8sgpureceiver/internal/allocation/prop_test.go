// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package allocation

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/deviceid"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/pod"
)

// interval is that of collections, in tenths of a second; a world's is at 50.
const interval = 100

// told are the intervals that a ledger would make of the sets.
type told struct {
	begin map[string]gpu.Time
	end   map[string][]gpu.Time
	last  map[string]gpu.Time // the newest set that has it
	over  map[string]bool     // a later set lacks it, or its end was told
	sets  int
	gap   int // most collections in a row without a set, the sources being there
}

// play runs the world through a book; check looks at each complete set.
func (w *world) play(t *rapid.T, check func(at int, s *Set)) told {
	b := New(Config{Node: "n", Catalog: &deviceid.Catalog{}, Local: w.local})
	out := told{begin: map[string]gpu.Time{}, end: map[string][]gpu.Time{}, last: map[string]gpu.Time{}, over: map[string]bool{}}
	source := &source{book: b, last: map[string]*pod.Pod{}}
	gap := 0
	for at := range w.duration {
		source.step(w, at)
		if at%interval != 50 {
			continue
		}
		w.ask(b, at)
		s := b.Set(tenth(at))
		gap++
		if s.Doubt == PodsAway || s.Doubt == ListAway || s.Doubt == Certain {
			gap = 0
		}
		out.gap = max(out.gap, gap)
		out.take(t, at, &s, check)
		if rapid.IntRange(0, 5).Draw(t, "refused") > 0 {
			b.Sent(&s)
		}
	}
	return out
}

// ask lists twice.
func (w *world) ask(b *Book, at int) {
	for _, before := range []int{2, 1} {
		if w.down.has(at - before) {
			b.ListFailed()
		} else {
			b.List(w.list(at-before), tenth(at-before))
		}
	}
}

// source tells a book of pods, as the kubelet or the API server would.
type source struct {
	book      *Book
	last      map[string]*pod.Pod
	connected bool
	once      bool
}

func (n *source) step(w *world, at int) {
	there := w.there(at)
	switch {
	case !there:
		n.book.Lost()
	case !n.connected && (w.local || !n.once):
		n.book.Resync()
		n.tell(w, at, false)
		n.book.Synced(tenth(at))
		n.once = true
	default:
		n.tell(w, at, true)
		if !n.connected {
			n.book.Synced(tenth(at))
		}
	}
	n.connected = there
}

// tell tells what changed since the last time. A pod that went while the API
// server was away is only missed.
func (n *source) tell(w *world, at int, streamed bool) {
	for _, s := range w.pods {
		now, before := w.state(s, at-w.delay), n.last[s.uid]
		switch {
		case now != nil && (!streamed || !reflect.DeepEqual(now, before)):
			n.book.Pod(now, tenth(at), streamed)
		case now == nil && before != nil && streamed && n.connected:
			n.book.Gone(s.uid, tenth(at))
		case now == nil && before != nil && streamed:
			n.book.Missed(s.uid)
		}
		n.last[s.uid] = now
	}
}

// there reports whether the source of pods answers.
func (w *world) there(at int) bool {
	if w.local {
		return !w.down.has(at)
	}
	return !w.away.has(at)
}

func (o *told) take(t *rapid.T, at int, s *Set, check func(at int, s *Set)) {
	if s.Doubt == Certain {
		o.sets++
		check(at, s)
		has := map[string]bool{}
		for _, a := range s.Allocations {
			uid := a.Holder.PodUID
			if o.over[uid] {
				t.Fatalf("at %d %s has a second interval", at, uid)
			}
			has[uid], o.last[uid] = true, s.Time
		}
		for uid := range o.last {
			o.over[uid] = o.over[uid] || !has[uid]
		}
	}
	for _, a := range slices.Concat(s.Allocations, s.Ends) {
		uid := a.Holder.PodUID
		if begin, ok := o.begin[uid]; ok && begin != a.Begin {
			t.Fatalf("%s began at %v, then at %v", uid, begin, a.Begin)
		}
		o.begin[uid] = a.Begin
		if a.Ended {
			o.over[uid] = true
			if !slices.Contains(o.end[uid], a.Time) {
				o.end[uid] = append(o.end[uid], a.Time)
			}
		}
	}
}

// known is when the source tells at the latest that a pod's containers ended.
func (w *world) known(s *script) int {
	if s.silent {
		return w.gone(s) + w.delay
	}
	return min(s.end, w.gone(s)) + w.delay
}

// lag is how long after a pod's end it may still be taken for a holder: until its
// end is told or, while the API server is away, until it isn't listed.
func (w *world) lag(s *script) int {
	known := w.known(s)
	if !w.local && w.away.has(known) {
		known = max(known, min(s.released, s.forced))
		if w.spent(s) {
			known += (patience + 1) * interval
		}
	}
	return max(known-s.end, 0)
}

// spent reports whether the patience with a pod's name may be spent when it ends:
// it, or another of its name, was missing from a list before.
func (w *world) spent(s *script) bool {
	return slices.ContainsFunc(w.pods, func(p *script) bool {
		missed := p != s || p.flaky || w.blank.from < p.end && w.blank.to > p.admitted
		return p.name == s.name && p.admitted <= s.end && missed
	})
}

// heard reports whether the source had told before a time that the kubelet has a
// pod.
func (w *world) heard(s *script, before int) bool {
	for at := s.admitted + w.delay; at < before; at++ {
		if w.there(at) {
			return !s.mute
		}
	}
	return false
}

// checkSet compares a set with the oracle. A list tells of names only: while the
// API server is away, a pod with the name and the devices of another is taken
// for it.
func (w *world) checkSet(t *rapid.T, at int, s *Set) {
	asked := at - 2
	has := map[string][]int{}
	for _, a := range s.Allocations {
		i := slices.IndexFunc(w.pods, func(s *script) bool { return s.uid == a.Holder.PodUID })
		if i < 0 {
			t.Fatalf("at %d the set has %s", at, a.Holder.PodUID)
		}
		p := w.pods[i]
		d := slices.IndexFunc(p.devices, func(d int) bool { return uuid(d) == string(a.Device) })
		if d < 0 {
			t.Fatalf("at %d %s has %s (%+v)", at, p.uid, a.Device, *p)
		}
		has[p.uid] = append(has[p.uid], p.devices[d])
		if !p.held(p.devices[d], asked-w.lag(p), at) && !w.mistaken(p, asked, at) {
			t.Fatalf("at %d %s doesn't hold %s (%+v in %v)", at, p.uid, a.Device, *p, w)
		}
	}
	for _, p := range w.pods {
		if p.end > at && w.certain(p, asked) && len(has[p.uid]) != len(p.devices) {
			t.Fatalf("at %d the set lacks %s: %v (%+v in %v)", at, p.uid, has[p.uid], *p, w)
		}
	}
}

// certain reports whether the sources prove what a pod holds to whom asks for
// lists at a time.
func (w *world) certain(p *script, asked int) bool {
	heard := p.admitted < asked && w.heard(p, asked)
	switch {
	case w.blank.has(asked) || w.blank.has(asked+1) || p.mute || p.rejected:
		return false
	case w.told && w.local: // whatever lists say
		return heard
	case p.flaky || p.forced < never:
		return false
	case w.local || w.told || p.owner == "ReplicaSet":
		return heard
	}
	before := asked - interval // a name that is given again takes two collections
	listed := func(at int) bool { return !w.blank.has(at) && !w.down.has(at) }
	return !w.away.has(asked) && !w.away.has(before) && listed(before) && listed(before+1) && p.admitted < before && w.heard(p, before)
}

// mistaken reports whether a list of some times has a pod that can't be told
// from another whose end the API server hasn't told.
func (w *world) mistaken(p *script, from, to int) bool {
	if w.local || !slices.ContainsFunc([]int{w.known(p), from}, w.away.has) && w.away.to < from-1 {
		return false
	}
	for _, other := range w.pods {
		if other != p && other.name == p.name && slices.Equal(other.devices, p.devices) && other.held(p.devices[0], from-(other.released-other.end), to) {
			return true
		}
	}
	return false
}

// TestPropWorld: a complete set has the holders of its time, each with the
// devices and the begin that it truly has; each pod is closed once, at its end.
func TestPropWorld(t *testing.T) {
	sets, closed, gap := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t)
		out := w.play(t, func(at int, s *Set) { w.checkSet(t, at, s) })
		sets += out.sets
		gap = max(gap, out.gap)
		for _, s := range w.pods {
			closed += w.checkLife(t, s, &out)
		}
		w.checkSpans(t, &out)
	})
	t.Logf("%d sets, %d ends, %d collections without", sets, closed, gap)
	if sets == 0 || closed == 0 {
		t.Errorf("%d sets, %d ends: nothing was tested", sets, closed)
	}
}

// checkLife compares the interval of a pod with its life.
func (w *world) checkLife(t *rapid.T, s *script, out *told) (closed int) {
	begin, held := out.begin[s.uid]
	if s.rejected && held {
		t.Fatalf("%s was rejected, and held", s.uid)
	}
	if first := second(s.bound); held && (begin < first || begin > tenth(s.admitted).Add(time.Second) && !w.follows(s, begin, out)) {
		t.Fatalf("%s began at %v, not %v", s.uid, tenth(s.admitted), begin)
	}
	ends := out.end[s.uid]
	if len(ends) > 1 {
		t.Fatalf("%s is closed %d times", s.uid, len(ends))
	}
	if len(ends) == 0 {
		if held && w.known(s) < w.duration-3*interval && w.saw(s) {
			t.Fatalf("%s has no end (%+v in %v)", s.uid, *s, w)
		}
		return 0
	}
	if low, high := tenth(min(s.end, w.gone(s))).Add(-time.Second), tenth(w.known(s)).Add(time.Second); w.saw(s) && (ends[0] < low || ends[0] > high) {
		t.Fatalf("%s ended at %v, not %v to %v (%+v)", s.uid, ends[0].Sub(origin), low.Sub(origin), high.Sub(origin), *s)
	}
	return 1
}

// follows reports whether a pod begins where another ends that had one of its
// devices: when that ended, only lists told, late.
func (w *world) follows(s *script, begin gpu.Time, out *told) bool {
	return !w.local && slices.ContainsFunc(w.pods, func(other *script) bool {
		same := slices.ContainsFunc(s.devices, func(d int) bool { return slices.Contains(other.devices, d) })
		return other != s && same && slices.Contains(out.end[other.uid], begin)
	})
}

// saw reports whether the source of pods was there for the end of a pod.
func (w *world) saw(s *script) bool {
	for at := min(s.end, w.gone(s)); at <= w.gone(s)+w.delay+1; at++ {
		if !w.there(at) {
			return false
		}
	}
	return true
}

// checkSpans: what the holders of a device have together is what they truly had,
// and the time that passed.
func (w *world) checkSpans(t *rapid.T, out *told) {
	span := func(s *script) (from, to gpu.Time) {
		if ends := out.end[s.uid]; len(ends) > 0 {
			return out.begin[s.uid], ends[0]
		}
		return out.begin[s.uid], out.last[s.uid]
	}
	for i, a := range w.pods {
		for _, b := range w.pods[:i] {
			if !slices.ContainsFunc(a.devices, func(d int) bool { return slices.Contains(b.devices, d) }) {
				continue
			}
			if !w.local && w.away.has(w.known(b)) && a.name == b.name && slices.Equal(a.devices, b.devices) {
				continue // taken for one: see checkSet
			}
			aFrom, aTo := span(a)
			bFrom, bTo := span(b)
			both := min(aTo, bTo).Sub(max(aFrom, bFrom))
			truly := tenth(min(w.known(a), w.known(b))).Sub(tenth(max(a.admitted, b.admitted)))
			if out.begin[a.uid] != gpu.NoTime && out.begin[b.uid] != gpu.NoTime && both > max(truly, 0)+2*time.Second {
				t.Fatalf("%s and %s hold one device together for %v, not %v (%+v, %+v in %v)", a.uid, b.uid, both, truly, *a, *b, w)
			}
		}
	}
}
