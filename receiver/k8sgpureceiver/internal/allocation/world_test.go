// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package allocation

import (
	"fmt"
	"slices"
	"time"

	"pgregory.net/rapid"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/pod"
)

// script is the true life of one pod on a node, in tenths of a second.
type script struct {
	uid, name string
	devices   []int
	owner     string
	bound     int // the API server has it
	admitted  int // the kubelet has it, and its devices
	end       int // of its containers
	released  int // the kubelet has cleaned up: out of the list
	deleted   int // its object is gone
	// failed: from here on its phase is Failed, though its containers run.
	failed int
	forced int // it was deleted by force: out of the list from here on
	phase  pod.Phase
	// silent: nobody tells that its containers ended, only that it is gone.
	silent   bool
	rejected bool
	mute     bool // no news of it ever come
	flaky    bool // every other list lacks its devices
}

const never = 1 << 30

// span is a time in tenths of a second.
type span struct{ from, to int }

func (s span) has(at int) bool { return at >= s.from && at < s.to }

// world is a node and all that happens on it, made by its own rules.
type world struct {
	pods     []*script
	local    bool // the kubelet tells of the pods, else the API server
	told     bool // the status has the devices (1.36 and newer)
	down     span // the kubelet, or the way to it
	away     span // the API server
	blank    span // the kubelet starts: it lists nothing
	delay    int  // of news
	duration int
}

func tenth(n int) gpu.Time { return origin + gpu.Time(n)*gpu.Time(100*time.Millisecond) }

// second cuts a time to what Kubernetes' objects tell.
func second(n int) gpu.Time { return tenth(n - n%10) }

func drawSpan(t *rapid.T, name string, most int) span {
	from := rapid.IntRange(100, 900).Draw(t, name)
	return span{from, from + rapid.IntRange(0, most).Draw(t, name+" for")}
}

func drawWorld(t *rapid.T) *world {
	w := &world{duration: 1500, local: rapid.Bool().Draw(t, "local"), told: rapid.Bool().Draw(t, "told")}
	w.down = drawSpan(t, "down", 250)
	if w.local {
		w.delay = rapid.IntRange(0, 1).Draw(t, "delay")
	} else {
		w.delay = rapid.IntRange(0, 8).Draw(t, "delay")
		w.away, w.blank = drawSpan(t, "away", 500), drawSpan(t, "blank", 200)
	}
	// free is from when on each device can be given to a pod.
	free := make([]int, rapid.IntRange(1, 4).Draw(t, "devices"))
	next := make([]int, rapid.IntRange(1, 4).Draw(t, "names")) // from when on each name is free
	for i := range next {
		next[i] = rapid.IntRange(0, 200).Draw(t, "first")
	}
	for i := 0; ; i++ {
		name := slices.Index(next, slices.Min(next))
		if next[name] >= w.duration-20 {
			return w
		}
		s := w.drawPod(t, fmt.Sprintf("u%d", i), fmt.Sprintf("p%d", name), next[name], free)
		w.pods = append(w.pods, s)
		if next[name] = s.deleted + rapid.SampledFrom([]int{1, 2, 9, 60, 150}).Draw(t, "again"); rapid.IntRange(0, 3).Draw(t, "other name") == 0 {
			s.name, s.owner = s.name+"-"+s.uid, "ReplicaSet"
		}
	}
}

// odds draws true once in n times.
func odds(t *rapid.T, n int, name string) bool { return rapid.IntRange(0, n-1).Draw(t, name) == n-1 }

// drawPod draws a pod that is bound at a time, and takes its devices.
func (w *world) drawPod(t *rapid.T, uid, name string, at int, free []int) *script {
	d := rapid.IntRange(0, len(free)-1).Draw(t, "device")
	devices := []int{d}
	if other := (d + 1) % len(free); other != d && odds(t, 3, "two") {
		devices = []int{min(d, other), max(d, other)}
	}
	for _, d := range devices {
		at = max(at, free[d])
	}
	s := &script{
		devices: devices, owner: "StatefulSet", uid: uid, name: name, bound: at, failed: never, forced: never,
		phase:    rapid.SampledFrom([]pod.Phase{pod.Succeeded, pod.Failed}).Draw(t, "phase"),
		rejected: odds(t, 10, "rejected"), flaky: odds(t, 25, "flaky"), silent: odds(t, 8, "silent"), mute: odds(t, 15, "mute"),
	}
	s.admitted = at + rapid.IntRange(0, 6).Draw(t, "to the kubelet")
	s.end = s.admitted + rapid.IntRange(1, 500).Draw(t, "life")
	s.released = s.end + rapid.IntRange(1, 12).Draw(t, "clean up")
	s.deleted = s.released + rapid.IntRange(0, 3).Draw(t, "delete")
	taken := s.released
	switch {
	case s.rejected:
		return s
	case odds(t, 5, "forced"):
		s.deleted = rapid.IntRange(s.admitted, s.end).Draw(t, "forced at")
		s.forced = s.deleted + rapid.IntRange(0, 5).Draw(t, "out of the list")
		taken = s.forced + 1
	case odds(t, 5, "evicted"):
		s.failed = rapid.IntRange(s.admitted, s.end).Draw(t, "evicted at")
	}
	for _, d := range s.devices {
		free[d] = taken + rapid.SampledFrom([]int{0, 1, 5, 30}).Draw(t, "idle")
	}
	return s
}

// holds is the oracle: whether a pod truly has a device at a time.
func (s *script) holds(device, at int) bool {
	return !s.rejected && slices.Contains(s.devices, device) && at >= s.admitted && at < s.end
}

// held reports whether it has it at any of some times.
func (s *script) held(device, from, to int) bool {
	for at := from; at <= to; at++ {
		if s.holds(device, at) {
			return true
		}
	}
	return false
}

// gone is when the source of pods has it no more.
func (w *world) gone(s *script) int {
	if w.local {
		return s.released
	}
	return s.deleted
}

// state is what the source says of a pod at a time, nil if nothing.
func (w *world) state(s *script, at int) *pod.Pod {
	from := s.bound
	if w.local {
		from = s.admitted
	}
	if at < from || at >= w.gone(s) || s.mute {
		return nil
	}
	p := holder(s.uid, 0)
	p.Owner.Kind = s.owner
	p.Name, p.Created, p.Scheduled.At = s.name, second(s.bound), second(s.bound)
	p.Seen, p.Started, p.Containers[0].Run = gpu.NoTime, gpu.NoTime, pod.Run{}
	if at < s.admitted {
		p.Phase = pod.Pending
		return p
	}
	p.Started = second(s.admitted)
	if w.local {
		p.Seen = tenth(s.admitted)
	}
	if s.rejected {
		p.Phase = pod.Failed
		return p
	}
	p.Containers[0].Run = pod.Run{Started: second(s.admitted), Running: true}
	if w.told {
		for _, d := range s.devices {
			p.Containers[0].Devices = append(p.Containers[0].Devices, pod.Device{Resource: "nvidia.com/gpu", ID: uuid(d)})
		}
	}
	if at >= s.failed {
		p.Phase = pod.Failed
	}
	if at >= s.deleted {
		p.DeletionAsked, p.Forced = second(s.deleted), true
	}
	if at >= s.end && !s.silent {
		p.Phase = s.phase
		p.Containers[0].Run = pod.Run{Started: second(s.admitted), Finished: second(s.end)}
	}
	return p
}

// list is what PodResources lists at a time.
func (w *world) list(at int) []Listed {
	var out []Listed
	if w.blank.has(at) {
		return nil
	}
	for _, s := range w.pods {
		if at < s.admitted || at >= s.released || at >= s.forced || s.rejected {
			continue
		}
		l := Listed{Pod: pod.Key{Namespace: "ns", Name: s.name}, Container: "main"}
		if at > s.admitted && !(s.flaky && at%2 == 0) {
			for _, d := range s.devices {
				l.Devices = append(l.Devices, gpuName(uuid(d)))
			}
		}
		out = append(out, l)
	}
	if at%3 == 0 {
		slices.Reverse(out)
	}
	return out
}

// String tells of the world; of its pods, each as a failure names it.
func (w *world) String() string {
	return fmt.Sprintf("local %v told %v down %v away %v blank %v delay %d", w.local, w.told, w.down, w.away, w.blank, w.delay)
}
