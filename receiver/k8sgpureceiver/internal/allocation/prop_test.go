// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package allocation

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/deviceid"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/pod"
)

// script is the true life of one pod on a node, in tenths of a second.
type script struct {
	uid, name     string
	device        int
	admitted, end int // of its containers
	released      int // the kubelet cleaned up: out of the list, DELETED
	forced        bool
	phase         pod.Phase
	rejected      bool
}

// world is a node and all that happens on it, made by its own rules.
type world struct {
	pods     []script
	down     [2]int // the kubelet, or the way to it
	deliver  int    // delay of news
	duration int
}

func tenth(n int) gpu.Time { return origin + gpu.Time(n)*gpu.Time(100*time.Millisecond) }

// second cuts a time to what Kubernetes' objects tell.
func second(n int) gpu.Time { return tenth(n - n%10) }

func drawWorld(t *rapid.T) world {
	w := world{duration: 1200, deliver: rapid.IntRange(0, 1).Draw(t, "delay")}
	from := rapid.IntRange(100, 900).Draw(t, "down")
	w.down = [2]int{from, from + rapid.IntRange(0, 250).Draw(t, "down for")}
	for device := range rapid.IntRange(1, 3).Draw(t, "devices") {
		at := rapid.IntRange(0, 100).Draw(t, "first")
		for i := 0; at < w.duration-20; i++ {
			s := script{
				uid: fmt.Sprintf("u%d-%d", device, i), name: fmt.Sprintf("p%d", device), device: device, admitted: at,
				phase:  rapid.SampledFrom([]pod.Phase{pod.Succeeded, pod.Failed}).Draw(t, "phase"),
				forced: rapid.IntRange(0, 4).Draw(t, "forced") == 0, rejected: rapid.IntRange(0, 9).Draw(t, "rejected") == 0,
			}
			s.end = at + rapid.IntRange(1, 400).Draw(t, "life")
			s.released = s.end + rapid.IntRange(1, 12).Draw(t, "clean up")
			w.pods = append(w.pods, s)
			at = s.released + rapid.IntRange(1, 150).Draw(t, "free")
			if rapid.Bool().Draw(t, "other name") {
				s.name += "x"
			}
		}
	}
	return w
}

func (w *world) isDown(at int) bool { return at >= w.down[0] && at < w.down[1] }

// state is what the kubelet says of a pod at a time, nil if nothing.
func (s *script) state(at int) *pod.Pod {
	if at < s.admitted || at >= s.released {
		return nil
	}
	p := holder(s.uid, 0)
	p.Name, p.Created, p.Scheduled.At, p.Started, p.Seen = s.name, second(s.admitted), second(s.admitted), second(s.admitted), tenth(s.admitted)
	p.Containers[0].Run.Started = second(s.admitted)
	if s.rejected {
		p.Phase, p.Containers[0].Run = pod.Failed, pod.Run{}
	} else if at >= s.end {
		p.Phase = s.phase
		p.Containers[0].Run = pod.Run{Started: second(s.admitted), Finished: second(s.end)}
	}
	return p
}

// list is what PodResources lists at a time: one forced out is missing for the
// last half of its life, one that has just come has no device yet.
func (w *world) list(at int) []Listed {
	var out []Listed
	for i := range w.pods {
		s := &w.pods[i]
		if at < s.admitted || at >= s.released || s.rejected || s.forced && at >= (s.admitted+s.end)/2 {
			continue
		}
		l := Listed{Pod: pod.Key{Namespace: "ns", Name: s.name}, Container: "main"}
		if at > s.admitted {
			l.Devices = []deviceid.Name{gpuName(uuid(s.device))}
		}
		out = append(out, l)
	}
	if at%2 == 0 {
		slices.Reverse(out)
	}
	return out
}

// told are the intervals that a ledger would make of the sets.
type told struct {
	begin map[string]gpu.Time
	end   map[string][]gpu.Time
	sets  int
}

// play runs the world through a book; check looks at each complete set.
func (w *world) play(t *rapid.T, check func(at int, s *Set)) told {
	b := New(Config{Node: "n", Catalog: &deviceid.Catalog{}, Local: true})
	out := told{begin: map[string]gpu.Time{}, end: map[string][]gpu.Time{}}
	connected := false
	last := map[string]*pod.Pod{}
	for at := range w.duration {
		switch {
		case w.isDown(at):
			if connected {
				b.Unsync()
			}
			connected = false
		case !connected:
			connected = true
			b.Resync()
			w.news(b, at, last, false)
			b.Synced(tenth(at))
		default:
			w.news(b, at, last, true)
		}
		if at%100 != 50 {
			continue
		}
		for _, before := range []int{2, 1} {
			if w.isDown(at - before) {
				b.ListFailed()
			} else {
				b.List(w.list(at-before), tenth(at-before))
			}
		}
		s := b.Set(tenth(at))
		out.take(t, at, &s, check)
		if rapid.IntRange(0, 5).Draw(t, "refused") > 0 {
			b.Sent(&s)
		}
	}
	return out
}

func (o *told) take(t *rapid.T, at int, s *Set, check func(at int, s *Set)) {
	if s.Doubt == Certain {
		o.sets++
		check(at, s)
	}
	for _, a := range slices.Concat(s.Allocations, s.Ends) {
		if begin, ok := o.begin[a.Holder.PodUID]; ok && begin != a.Begin {
			t.Fatalf("%s began at %v, then at %v", a.Holder.PodUID, begin, a.Begin)
		}
		o.begin[a.Holder.PodUID] = a.Begin
		if a.Ended && !slices.Contains(o.end[a.Holder.PodUID], a.Time) {
			o.end[a.Holder.PodUID] = append(o.end[a.Holder.PodUID], a.Time)
		}
	}
}

// news tells what changed since the last time.
func (w *world) news(b *Book, at int, last map[string]*pod.Pod, streamed bool) {
	for i := range w.pods {
		s := &w.pods[i]
		now, before := s.state(at-w.deliver), last[s.uid]
		switch {
		case now != nil && (before == nil || before.Phase != now.Phase || !streamed):
			b.Pod(now, tenth(at), streamed)
		case now == nil && before != nil && streamed:
			b.Gone(s.uid, tenth(at))
		}
		last[s.uid] = now
	}
}

// TestPropWorld: a complete set has the holders of its time, each with the
// device and the begin that it truly has; each pod is closed once, at its end.
func TestPropWorld(t *testing.T) {
	sets, closed := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t)
		out := w.play(t, func(at int, s *Set) { w.checkSet(t, at, s) })
		sets += out.sets
		for i := range w.pods {
			s := &w.pods[i]
			begin, held := out.begin[s.uid]
			if s.rejected && held {
				t.Fatalf("%s was rejected, and held", s.uid)
			}
			if held && begin.Sub(tenth(s.admitted)).Abs() > time.Second {
				t.Fatalf("%s began at %v, not %v", s.uid, tenth(s.admitted), begin)
			}
			ends := out.end[s.uid]
			if len(ends) > 1 {
				t.Fatalf("%s is closed %d times", s.uid, len(ends))
			}
			if len(ends) == 1 {
				closed++
				if distance := ends[0].Sub(tenth(s.end)).Abs(); distance > time.Second {
					t.Fatalf("%s ended at %v, not %v", s.uid, tenth(s.end), ends[0])
				}
			} else if held && !w.isDown(s.released) && !w.isDown(s.released+1) && !w.isDown(s.end) && s.released < w.duration-300 && w.seen(s) {
				t.Fatalf("%s has no end", s.uid)
			}
		}
	})
	if sets == 0 || closed == 0 {
		t.Errorf("%d sets, %d ends: nothing was tested", sets, closed)
	}
}

// seen reports whether the source of pods was there for the end of a pod.
func (w *world) seen(s *script) bool { return s.released < w.down[0] || s.end > w.down[1]+1 }

// checkSet compares a set with the truth, but for what changed within the last
// moments.
func (w *world) checkSet(t *rapid.T, at int, s *Set) {
	got := map[string]gpu.DeviceID{}
	for _, a := range s.Allocations {
		got[a.Holder.PodUID] = a.Device
	}
	for i := range w.pods {
		p := &w.pods[i]
		device, has := got[p.uid]
		delete(got, p.uid)
		switch holds := p.admitted < at-3 && at < p.end-2 && !p.rejected; {
		case holds && !has && !(p.forced && at >= (p.admitted+p.end)/2):
			t.Fatalf("at %d the set lacks %s (%+v)", at, p.uid, *p)
		case has && (at < p.admitted || at > p.end+2 && at > w.down[1]+1 && p.released > w.down[1]):
			t.Fatalf("at %d the set has %s (%+v)", at, p.uid, *p)
		case has && string(device) != uuid(p.device):
			t.Fatalf("%s has %s, not %s", p.uid, device, uuid(p.device))
		}
	}
	if len(got) > 0 {
		t.Fatalf("at %d the set has %v", at, got)
	}
}
