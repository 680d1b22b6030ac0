// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package allocation

import (
	"slices"
	"strings"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/deviceid"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/pod"
)

// Set is what is known at one time.
type Set struct {
	Time gpu.Time
	// Doubt says why the set isn't complete. Allocations are void then.
	Doubt Doubt
	// Allocations are all that there are at Time.
	Allocations []gpu.Allocation
	// Ends are dated. They repeat until Sent.
	Ends         []gpu.Allocation
	Milestones   []Passed
	Availability []gpu.Availability
	Sources      map[Point]string          // of Allocations
	Instances    map[Point]deviceid.Device // of those that are of a numbered instance of a known board
	Partitions   map[Point]Partition
	Unresolved   []Unresolved
}

// Partition is a MIG instance whose UUID isn't known: its board and its profile.
type Partition struct{ Board, Profile string }

// Point names an allocation in a set.
type Point struct {
	PodUID, Container, Device string // Device: its UUID, else what it is called
}

// Passed is a milestone of a pod.
type Passed struct {
	PodUID string
	Holder gpu.Holder
	pod.Milestone
	Image gpu.Image // of its container, where it was pulled or starts
}

// Set returns what is known at a time. It is complete only if both sources are.
func (b *Book) Set(at gpu.Time) Set {
	s := Set{
		Time: at, Sources: map[Point]string{}, Instances: map[Point]deviceid.Device{}, Partitions: map[Point]Partition{},
		Availability: b.health.availability(at),
	}
	s.Doubt = b.doubt()
	s.Unresolved = append(b.unclaimed(), b.left...)
	b.endUnseen()
	b.dropEnds()
	for _, l := range b.sorted() {
		if l.live() {
			b.addLive(&s, l)
		} else if l.ended != nil {
			b.addEnded(&s, l)
		}
	}
	if s.Doubt != Certain {
		s.Allocations, s.Sources, s.Instances, s.Unresolved = nil, nil, nil, nil
	}
	return s
}

// doubt joins the sources and returns what keeps them from making a set.
func (b *Book) doubt() Doubt {
	switch {
	case !b.synced:
		return PodsAway
	case !b.lists.available:
		return ListAway
	case !b.lists.paired:
		return ListUnsettled
	}
	return b.join()
}

func (b *Book) sorted() []*life {
	all := make([]*life, 0, len(b.lives))
	for _, l := range b.lives {
		all = append(all, l)
	}
	slices.SortFunc(all, func(a, b *life) int { return strings.Compare(a.pod.UID, b.pod.UID) })
	return all
}

func (b *Book) addLive(s *Set, l *life) {
	claims := b.claims(l)
	if len(claims) == 0 {
		return
	}
	if s.Doubt == Certain {
		b.settleBegin(l, claims, gpu.Forever)
		l.last, l.reported = claims, true
		for _, h := range claims {
			a := b.point(l, h)
			a.Time = s.Time
			s.Allocations = append(s.Allocations, a)
			key := Point{l.pod.UID, h.container, h.device.Key()}
			s.Sources[key] = h.source
			if h.device.Board != "" {
				s.Instances[key] = h.device
			}
			if h.parent != "" {
				s.Partitions[key] = Partition{h.parent, h.profile}
			}
			if h.device.Why != deviceid.Resolved {
				s.Unresolved = append(s.Unresolved, Unresolved{h.device.Key(), h.device.Why})
			}
		}
	}
	b.addMilestones(s, l)
}

// settleBegin takes care that a pod, which holds its devices until a time, doesn't
// begin before the one that had the device before it has ended, if that end is
// only as uncertain.
func (b *Book) settleBegin(l *life, claims []held, until gpu.Time) {
	if l.last != nil {
		return // told already
	}
	if l.began.At == gpu.NoTime {
		l.began = pod.Mark{At: l.arrived, Source: pod.SourceWatch, Uncertainty: pod.Resolution}
	}
	began := l.began.At
	for _, h := range claims {
		end := b.lastEnd[h.device.Key()]
		rounded := end.At.Sub(began) <= max(end.Uncertainty, pod.Resolution)
		if !isShared(h.device.Sharing) && began < end.At && end.At < until && rounded {
			l.began.At = max(l.began.At, end.At)
		}
	}
}

// addEnded adds the end of a life, if it has a length. What was rejected has
// none. Nor has what began and ended within a second before the first news of it:
// no set had it, and less than Resolution is missing. If sets had it, its end
// comes before its begin by another clock, and before those sets: the ledger ends
// it at the last of them.
func (b *Book) addEnded(s *Set, l *life) {
	if l.told || b.firstSync == gpu.NoTime || l.ended.At >= s.Time {
		return // before the first sync, nobody knows which ends are recent
	}
	l.offered = s.Time
	if !l.reported && l.ended.At < b.firstSync.Add(-recent) || l.ended.At <= l.began.At {
		return
	}
	for _, h := range l.last {
		a := b.point(l, h)
		a.Time, a.Ended, a.Share = l.ended.At, true, 0
		s.Ends = append(s.Ends, a)
	}
	if len(l.last) > 0 {
		b.addMilestones(s, l)
	}
}

func (b *Book) addMilestones(s *Set, l *life) {
	holder := b.describe(l)
	l.marks.ObserveAround(&l.pod, b.around(l))
	for _, m := range l.marks.Due(s.Time) {
		s.Milestones = append(s.Milestones, Passed{l.pod.UID, holder, m, b.image(l, &m)})
	}
}

func (b *Book) describe(l *life) gpu.Holder {
	if b.cfg.Describe != nil {
		return b.cfg.Describe(&l.pod)
	}
	return gpu.Holder{Namespace: l.pod.Namespace, Pod: l.pod.Name, PodUID: l.pod.UID, PodIP: l.pod.IP}
}

// point returns the allocation of a device, or of slots of it, by a container.
func (b *Book) point(l *life, h held) gpu.Allocation {
	a := gpu.Allocation{
		Device: h.device.ID, Node: b.cfg.Node, Cluster: b.cfg.Cluster, Holder: b.describe(l),
		Sharing: h.device.Sharing, Share: 1, Begin: l.began.At,
	}
	a.Holder.Container = h.container
	if a.Device == "" {
		a.Ref = h.device.Ref
	}
	switch {
	case !isShared(a.Sharing):
	case h.share > 0:
		a.Share = min(h.share, 1)
	case h.parts != (gpu.Slots{}):
		a.Slots, a.Share = h.parts, float64(h.parts.N)/float64(h.parts.Of)
	default:
		a.Slots = gpu.Slots{N: int64(len(h.slots)), Of: b.slots.of(h.device, h.slots)}
		a.Slots.N = max(a.Slots.N, 1)
		a.Share = float64(a.Slots.N) / float64(a.Slots.Of)
		if a.Slots.Of == 1 && a.Sharing == gpu.TimeSlicing && a.Device == "" {
			a.Sharing, a.Slots = gpu.Exclusive, gpu.Slots{} // Intel's card that isn't shared has one share
		}
	}
	return a
}

// Sent says that a set was accepted: the ends that it told aren't repeated, and
// lives that are over are forgotten, all but that they are.
func (b *Book) Sent(s *Set) {
	for uid, l := range b.lives {
		if l.ended == nil || l.offered != s.Time && !l.told {
			continue
		}
		l.told = true
		l.marks, l.last, l.pod.Labels, l.pod.Annotations = pod.Milestones{}, nil, nil, nil
		if s.Time.Sub(l.heard) >= missingFor {
			delete(b.lives, uid)
			b.closed[uid] = s.Time
		}
	}
	b.forget(s.Time)
}
