// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package k8sgpureceiver

import (
	"maps"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/metadata"
)

// collectAt collects and compares what was sent.
func (p *player) collectAt(at string, want *collect) {
	p.t.Helper()
	for range want.Times - 1 {
		p.collect(p.t.Context())
		p.at.Add(int64(10 * time.Second))
	}
	before := p.own.read(0)
	p.sink.Reset()
	p.collect(p.t.Context())
	p.api.finish(p.t, want.Lookups)
	require.Eventually(p.t, func() bool { return failed(p.rig) >= want.Failed }, wait, tick, "%s: failed lookups of events", at)
	all := p.sink.AllMetrics()
	require.Len(p.t, all, 1, "%s: batches", at)
	got, own := read(all[0], p.names), p.own.read(0)

	outcome := outcomeOf(before, own)
	require.Equal(p.t, want.Set, outcome, "%s: set", at)
	if outcome == complete {
		require.Equal(p.t, []int64{int64(len(got.holds))}, got.counts, "%s: how many there are", at)
	} else {
		require.Empty(p.t, got.counts, "%s: no set, no count", at)
	}
	compare := func(what string, want, got []string) {
		if len(want) > 0 || len(got) > 0 {
			require.Equal(p.t, want, got, "%s: %s", at, what)
		}
	}
	compare("holds", want.Holds, got.holds)
	compare("ends", want.Ends, got.ends)
	for what, lines := range map[string][2][]string{
		"marks": {want.Marks, got.marks}, "available": {want.Available, got.available}, "sources": {want.Sources, got.sources},
	} {
		if lines[0] != nil {
			compare(what, lines[0], lines[1])
		}
	}
	p.compareOwn(at, want, own)
}

// compareOwn compares what the receiver says of itself.
func (p *player) compareOwn(at string, want *collect, own metadata.Telemetry) {
	p.t.Helper()
	if want.Unresolved != nil {
		require.Equal(p.t, want.Unresolved, own.Unresolved, "%s: unresolved", at)
	}
	if want.Refused != nil {
		require.Equal(p.t, *want.Refused, own.MessagesRefused-p.noises, "%s: refused", at)
	}
	if want.Status != "" {
		p.host.mu.Lock()
		defer p.host.mu.Unlock()
		require.NotEmpty(p.t, p.host.events, "%s: status", at)
		require.Equal(p.t, want.Status, p.host.events[len(p.host.events)-1].String(), "%s: status", at)
	}
}

// outcomeOf returns the outcome of the collection between two readings.
func outcomeOf(before, after metadata.Telemetry) string {
	for outcome, n := range maps.All(after.Sets) {
		if n > before.Sets[outcome] {
			return outcome
		}
	}
	return "none"
}
