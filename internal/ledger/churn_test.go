// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/internal/ledger"
)

// TestChurn: 2,000 pods come and go on one device, each with milestones, an
// output and a dated end, some for no time at all. Nothing of them is left.
func TestChurn(t *testing.T) {
	l := ledger.New(scenarioConfig())
	largest := 0
	for pod := range 2000 {
		for _, e := range shortLife(name("uid", pod), float64(90*pod), pod%10 == 0).events {
			l.Observe(e.Batch)
			if due, ok := l.Due(); ok {
				l.Confirm(due)
			}
		}
		if pod >= 20 {
			largest = max(largest, sizeOf(l))
		}
	}
	require.Less(t, largest, 200)
	require.LessOrEqual(t, l.Counts().Accounts, 2)
}

// shortLife is a minute of a pod from begin on, and half a minute without it.
// One that ends at once holds from begin+10 to begin+10, where F is when that
// gets known.
func shortLife(pod string, begin float64, endsAtOnce bool) *tape {
	c := new(tape)
	first, last := begin+10, begin+60
	if endsAtOnce {
		last = first
	}
	a := held(pod, first)
	a.Holder.Workload.Group = pod
	for s := begin; s < begin+90; s += 10 {
		if !endsAtOnce || s != begin+20 {
			c.gauge(s, 0.5)
		}
		if s >= first && s <= last {
			c.set(s, a)
		} else {
			c.set(s)
		}
		c.add(s, gpu.Batch{Milestones: []gpu.Milestone{{Pod: pod, Name: gpu.Scheduled, At: sec(begin), Time: sec(s)}}})
		c.output(s, pod, s)
	}
	if !endsAtOnce {
		c.ended(begin+65, pod)
	}
	return c
}

// TestNodesThatVanish: a node of which nothing comes any more isn't waited for,
// and sets that never get complete don't stay with it.
func TestNodesThatVanish(t *testing.T) {
	l := ledger.New(scenarioConfig())
	for _, e := range new(tape).gauge(0, 0).set(0, held("one", 0)).clock(10).events {
		l.Observe(e.Batch)
	}
	for i := range 24 * 60 {
		at := sec(float64(60 * i))
		d := gpu.Device{ID: "GPU-1", Node: "lives"}
		member := held(name("uid", i), 0)
		member.Device, member.Node, member.Time = "GPU-1", name("vanishes", i), at
		l.Observe(gpu.Batch{
			Samples:     []gpu.Sample{{Device: d, Time: at}},
			Memory:      []gpu.Memory{{Device: caseDevice, Time: at}},
			Allocations: []gpu.Allocation{member},
			Milestones:  []gpu.Milestone{{Pod: name("uid", i), Name: gpu.Scheduled, At: at, Time: at}},
		})
		if due, ok := l.Due(); ok {
			l.Confirm(due)
		}
	}
	// Sets may get complete for 6 h: each has a name, a member and its place.
	require.Less(t, sizeOf(l), 6*60*4+200)
	require.Equal(t, 3, l.Counts().Accounts, "what was accounted stays")
}

// TestLivesWithoutTime: a device whose lives have no time leaves nothing behind.
func TestLivesWithoutTime(t *testing.T) {
	for lives := range 4 {
		c := new(tape)
		for life := range lives {
			at := float64(20 * life)
			c.gauge(at, 0).ends(at)
		}
		c.set(100).set(200).set(300).set(4000).set(8000)
		l := ledger.New(scenarioConfig())
		var all gpu.Batch
		for _, e := range c.events {
			appendBatch(&all, e.Batch)
		}
		l.Observe(all)
		require.Zero(t, l.Counts().Accounts, "%d lives", lives)
		require.NotContains(t, string(l.Save()), string(caseDevice), "%d lives", lives)
	}
}

// TestOutageLosesNoEvidence: the evidence for what wasn't settled when nothing
// came any more is still there when it comes again, also if another node goes on
// meanwhile.
func TestOutageLosesNoEvidence(t *testing.T) {
	for _, outage := range []time.Duration{time.Minute, 10 * time.Minute, 20 * time.Minute, 5 * time.Hour} {
		for _, beside := range []bool{false, true} {
			c := new(tape)
			for s := 0.0; s <= 60; s += 5 {
				c.output(s, "A", s).gauge(s, 1).set(s, held("A", 0))
			}
			for s := 120.0; beside && s <= 60+outage.Seconds(); s += 60 { // it takes a step, and what can go is forgotten
				c.output(60+outage.Seconds(), "A", 60)
				c.add(s, gpu.Batch{AllocationCounts: []gpu.AllocationCount{{Node: "beside", Time: sec(s)}}})
				c.add(s+20, gpu.Batch{AllocationCounts: []gpu.AllocationCount{{Node: "beside", Time: sec(s + 20)}}})
			}
			for s := 60 + outage.Seconds(); s <= 100+outage.Seconds(); s += 5 {
				c.output(s, "A", 60).gauge(s, 0).set(s, held("A", 0))
			}
			require.Equal(t, time.Minute, productiveOf(c), "%s, another node beside: %t", outage, beside)
		}
	}
}

func productiveOf(c *tape) (productive time.Duration) {
	l := ledger.New(scenarioConfig())
	for _, e := range c.events {
		l.Observe(e.Batch)
	}
	for _, a := range l.Snapshot().Accounts {
		productive += a.Productive
	}
	return productive
}

// TestPointsAhead: a source whose clock is 5 min ahead makes nothing be
// forgotten.
func TestPointsAhead(t *testing.T) {
	snapshot := func(ahead time.Duration) gpu.Derived {
		l, c := ledger.New(scenarioConfig()), new(tape)
		c.add(0, gpu.Batch{Milestones: []gpu.Milestone{{Pod: "A", Name: gpu.Scheduled, At: sec(0), Time: sec(0)}}})
		for s := 0.0; s <= 420; s += 10 {
			at := sec(s).Add(ahead)
			c.add(s, gpu.Batch{Memory: []gpu.Memory{{Device: "GPU-1", Time: at}}})
			if s >= 300 {
				c.gauge(s, 0).set(s, held("A", 300))
			}
		}
		for _, e := range c.events {
			l.Observe(e.Batch)
		}
		return l.Snapshot()
	}
	want := snapshot(0)
	require.Equal(t, gpu.Startup, want.Accounts[0].States[0].Condition.State)
	require.Equal(t, want, snapshot(5*time.Minute))
}
