// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestEdges: what just fits is taken.
func TestEdges(t *testing.T) {
	for name, c := range map[string]struct {
		old, new string
		pods     int
	}{
		// Held from 2 s after the creation to 7 s after for.
		"one after another": {"- name: p", "- name: p\n  for: 1m\n  repeat: {times: 3, every: 65s}", 4},
		"all memory":        {"- name: p", "- name: p\n  memory: 80GiB", 2},
		"all slots":         {"- name: q", "- name: q\n  slots: 2", 2},
		"admitted too late": {"- name: p", "- name: p\n  at: 59m58s", 1},
		"admitted in time":  {"- name: p", "- name: p\n  at: 59m57s", 2},
	} {
		s, err := Parse("f", []byte(strings.Replace(base, c.old, c.new, 1)))
		require.NoError(t, err, name)
		w := s.World()
		assert.Empty(t, sane(w), name)
		assert.Len(t, w.Nodes[0].Pods, c.pods, name)
	}
	_, err := Parse("f", []byte(strings.Replace(base, "- name: p", "- name: p\n  for: 1m\n  repeat: {times: 3, every: 64999ms}", 1)))
	require.ErrorContains(t, err, "want a device with room for p-1 at 2026-01-05T00:01:06.999Z")
}

// TestPlaceAt: a place's own time replaces the entry's, also 0s.
func TestPlaceAt(t *testing.T) {
	for at, want := range map[string]string{"": "10m2s", ", at: 0s": "2s", ", at: 1s": "3s"} {
		text := strings.Replace(base, "- name: p\n  places: [{node: n", "- name: p\n  at: 10m\n  places: [{node: n"+at, 1)
		s, err := Parse("f", []byte(text))
		require.NoError(t, err, at)
		held := s.World().Nodes[0].Pods[0].Holds[0].From
		assert.Equal(t, want, held.Sub(s.Start).String(), at)
	}
}
