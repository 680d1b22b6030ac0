// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-gpu/otelcol-gpu/test/kube/collector"
)

// How far the collector may be from what is true.
const (
	beginLimit = time.Second     // a begin, from the binding by the API server
	endLimit   = 2 * time.Second // an end, from the device plugin's log
	timeLimit  = 2 * time.Second // a time that was held or took, likewise
)

// polling is the collector that asks for the pods now and then.
const polling = "pods: kubelet"

// testAccount compares what the collectors have told with the truth, when all
// pods are gone.
func testAccount(t *testing.T, s *stage) {
	all := s.truths(t)
	require.NotEmpty(t, all)
	newest := slices.MaxFunc(all, func(a, b *truth) int { return a.released.Compare(b.released) }).released
	var table strings.Builder
	fmt.Fprintf(&table, "%-16s %-50s %11s %11s %11s\n", "seconds", "", "begin-bound", "end-plugin", "held-plugin")
	for _, name := range []string{"main", "pods: api_server", "event_lookup", "owner_lookup", polling} {
		c := s.agents.all()[name]
		if c == nil {
			continue
		}
		c.Await(t, "all that was held is settled", func(r *collector.Record) bool { return r.Settled(newest.Add(time.Second), len(devices())) })
		t.Run(name, func(t *testing.T) {
			t.Logf("without a set for longer than two collections: %v", c.Gaps(2*collector.Interval+second/2))
			assert.Empty(t, c.Problems())
			addsUp(t, c, newest)
			noneIsForeign(t, c, unseen(name, c, all))
			for _, h := range all {
				s.account(t, name, c, h, all, &table)
			}
		})
	}
	t.Logf("gates: %s\n%s", s.name, table.String())
}

// account requires that a collector tells of a pod what is true.
func (s *stage) account(t *testing.T, name string, c *collector.Collector, h *truth, all []*truth, table *strings.Builder) {
	t.Helper()
	holdings := c.Holdings(string(h.pod.UID))
	polls := name == polling // what comes and goes between two polls isn't seen
	if polls && len(holdings) == 0 || !assert.NotEmpty(t, holdings, "%s by %s: nothing was told", h, name) {
		return
	}
	begin, held := holdings[0].Begin, heldTime(c, h)
	end := begin.Add(held) // of what wasn't seen to end, the ledger says when it did
	devices := map[string]bool{}
	for _, holding := range holdings {
		devices[holding.Device] = true
		assert.True(t, begin.Equal(holding.Begin), "%s by %s: one begin: %v, %v", h, name, begin, holding.Begin)
		assert.LessOrEqual(t, len(holding.Ends), 1, "%s by %s: closed once: %v", h, name, holding)
		assert.False(t, name == "main" && len(holding.Ends) == 0, "%s by %s: its end wasn't told: %v", h, name, holding)
		if len(holding.Ends) > 0 {
			end = holding.Ends[0]
		}
	}
	assert.ElementsMatch(t, slices.Collect(maps.Keys(h.slots)), slices.Collect(maps.Keys(devices)), "%s by %s: its devices", h, name)
	halved := h.halved(all, s.tellsOfForced(name))
	want := h.released.Sub(h.given) - halved
	fmt.Fprintf(table, "%-16s %-50s %+11.3f %+11.3f %+11.3f\n", name, h.life,
		begin.Sub(h.bound).Seconds(), end.Sub(h.released).Seconds(), (held - want).Seconds())
	off := func(what string, limit, d time.Duration) {
		assert.LessOrEqual(t, d.Abs(), limit, "%s by %s: %s is off by %v", h, name, what, d)
	}
	off("the begin", beginLimit, begin.Sub(h.bound))
	if polls {
		return
	}
	if h.forced() && !s.tellsOfForced(name) {
		// Its object is gone, and so is all that the API server knows of it.
		off("the end", endLimit, end.Sub(h.asked))
		return
	}
	off("the end", endLimit, end.Sub(h.released))
	s.milestonesMatch(t, name, c, h)
	if name != "main" && name != "event_lookup" {
		return // they are here for their access; the table has their times too
	}
	off("gpu.allocated.time", timeLimit, held-want)
	if halved == 0 {
		s.stagesMatch(t, name, c, h)
	}
}

// unseen returns how long each device was held by pods that a collector which
// polls can't know of: they came and went between two of its sets.
func unseen(name string, c *collector.Collector, all []*truth) map[string]time.Duration {
	out := map[string]time.Duration{}
	if name != polling {
		return out
	}
	for _, h := range all {
		if len(c.Holdings(string(h.pod.UID))) > 0 {
			continue
		}
		for device := range h.slots {
			out[device] += h.released.Sub(h.given)
		}
	}
	return out
}

// tellsOfForced says whether a collector gets its pods from the kubelet, which
// knows of a pod that was deleted by force until its processes are gone.
func (s *stage) tellsOfForced(name string) bool { return s.hasPodsAPI && name != "pods: api_server" }

// heldTime returns for how long a collector has counted a pod's devices, a
// device's time each.
func heldTime(c *collector.Collector, h *truth) time.Duration {
	total := 0.0
	for device := range h.slots {
		metric := "gpu.allocated.time"
		if h.slots[device] > 0 {
			metric = "gpu.entitled.time" // what it received depends on the others
		}
		for _, sum := range c.Sums(metric, of(h, device)) {
			total += sum.Total() / h.weight(device)
		}
	}
	return seconds(total / float64(len(h.slots)))
}

func of(h *truth, device string) func(*collector.Sum) bool {
	return func(s *collector.Sum) bool {
		return s.Attributes["k8s.pod.uid"] == string(h.pod.UID) && s.Attributes["hw.id"] == device
	}
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// stagesMatch requires that the time of a pod's starts is that of their stages.
func (s *stage) stagesMatch(t *testing.T, name string, c *collector.Collector, h *truth) {
	t.Helper()
	if h.shared() {
		return // its activity is divided by what others do
	}
	var pulls time.Time
	if sent := s.Registry.Sent(h.pod.Namespace); len(sent) > 0 && name == "event_lookup" {
		pulls = sent[0].Begin
	}
	want := h.stages(pulls)
	got := map[string]time.Duration{}
	for device := range h.slots {
		for _, sum := range c.Sums("gpu.time", of(h, device)) {
			if sum.Attributes["gpu.state"] == "startup" {
				got[sum.Attributes["gpu.state.reason"]] += seconds(sum.Total() / h.weight(device) / float64(len(h.slots)))
			}
		}
	}
	for _, reason := range []string{"admission", "image_pull", "init", "before_cuda", "model_load", "backoff"} {
		assert.InDelta(t, want[reason].Seconds(), got[reason].Seconds(), timeLimit.Seconds(), "%s by %s: startup{%s}; want %v, got %v", h, name, reason, want, got)
	}
}
