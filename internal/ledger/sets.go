// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"cmp"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// memberKey tells apart the allocations of one set.
type memberKey struct {
	device         gpu.DeviceID
	ref            string
	pod, container string
}

// allocationSet gathers what a node's kubelet said at one time.
type allocationSet struct {
	time    gpu.Time
	count   int // how many members make it complete; -1: not told yet
	members map[memberKey]gpu.Allocation
}

func (s *allocationSet) at() gpu.Time { return s.time }

func (s *allocationSet) complete() bool { return s.count >= 0 && len(s.members) >= s.count }

// sets are the allocation sets of a node that aren't applied yet.
type sets struct {
	waiting timeline[*allocationSet]
	last    gpu.Time // the newest that was applied
}

// maxWaiting bounds the sets that wait: a source that never sends their counts
// doesn't fill the memory.
const maxWaiting = 512

func (s *sets) get(t gpu.Time, counts *Counts) *allocationSet {
	i, found := s.waiting.find(t)
	if !found {
		if len(s.waiting) >= maxWaiting && s.waiting[0].count < 0 {
			s.giveUp(1, counts)
			i = max(i-1, 0)
		}
		s.waiting.insert(i, &allocationSet{time: t, count: -1, members: map[memberKey]gpu.Allocation{}})
	}
	return s.waiting[i]
}

func (s *sets) addCount(c gpu.AllocationCount, counts *Counts) {
	if c.Time <= s.last {
		counts.Points[Late]++
		return
	}
	set := s.get(c.Time, counts)
	if set.count >= 0 {
		counts.Points[collision(set.count == c.Count)]++
	}
	set.count = max(set.count, c.Count)
}

func (s *sets) addMember(a gpu.Allocation, counts *Counts) {
	if a.Time <= s.last {
		counts.Points[Late]++
		return
	}
	members := s.get(a.Time, counts).members
	key := memberKey{a.Device, a.Ref, a.Holder.Key(), a.Holder.Container}
	old, found := members[key]
	if found {
		counts.Points[collision(old == a)]++
		if !wins(a, old) {
			return
		}
	}
	members[key] = a
}

// wins is the order in which one of two allocations of one set wins: what can't
// be attributed first, then the larger.
func wins(a, b gpu.Allocation) bool {
	_, _, aKnown := shareOf(a)
	_, _, bKnown := shareOf(b)
	if aKnown != bKnown {
		return bKnown
	}
	return cmp.Or(
		cmp.Compare(a.Sharing, b.Sharing), cmp.Compare(a.Share, b.Share),
		cmp.Compare(a.Slots.N, b.Slots.N), cmp.Compare(a.Slots.Of, b.Slots.Of), cmp.Compare(a.Begin, b.Begin),
		cmp.Compare(a.Holder.PodIP, b.Holder.PodIP),
		cmp.Compare(a.Holder.Workload.Name, b.Holder.Workload.Name),
		cmp.Compare(a.Holder.Workload.Class, b.Holder.Workload.Class),
	) > 0
}

// next removes and returns the oldest complete set known at step k. Incomplete
// sets before it, and those older than maxGap, are given up.
func (s *sets) next(k gpu.Time, maxGap time.Duration, counts *Counts) *allocationSet {
	for i, set := range s.waiting {
		if set.time > k {
			break
		}
		if set.complete() {
			s.giveUp(i, counts)
			s.waiting = s.waiting[1:]
			return set
		}
	}
	s.giveUp(s.waiting.after(k.Add(-maxGap)), counts)
	return nil
}

// giveUp drops the n oldest sets, which never became complete.
func (s *sets) giveUp(n int, counts *Counts) {
	for _, set := range s.waiting[:n] {
		counts.Points[IncompleteSet] += uint64(max(len(set.members), 1))
	}
	s.waiting = s.waiting[n:]
}
