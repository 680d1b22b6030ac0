// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/world"
	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/scenarios"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// FuzzParse takes any text: it is refused, or its world can be walked.
func FuzzParse(f *testing.F) {
	for _, name := range Names() {
		text, err := scenarios.Files.ReadFile(name + ".yaml")
		require.NoError(f, err)
		if len(text) < 1000 {
			f.Add(text)
		}
	}
	text, err := os.ReadFile(filepath.Join("testdata", "small.yaml"))
	require.NoError(f, err)
	f.Add(text)
	f.Add([]byte("a: &a [*a]"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > 10_000 {
			return
		}
		s, err := Parse("fuzz", text)
		if err != nil {
			return
		}
		w := s.World()
		for _, n := range w.Nodes[:min(len(w.Nodes), 10)] {
			for _, d := range n.Devices {
				walkSome(t, d.Activity)
			}
			for _, p := range n.Pods[:min(len(n.Pods), 10)] {
				for _, m := range p.Metrics {
					markSome(t, m.Marks)
				}
			}
		}
	})
}

const some = 1000

func walkSome(t *testing.T, a world.Activity) {
	walk, at := a.Walk(), gpu.NoTime
	for range some {
		s, ok := walk()
		if !ok {
			return
		}
		if s.Until <= at || s.Level < 0 || s.Level > world.Full {
			t.Fatalf("%+v after %d", s, at)
		}
		at = s.Until
	}
}

func markSome(t *testing.T, marks world.Marks) {
	walk, at := marks(), gpu.NoTime
	for range some {
		m, ok := walk()
		if !ok {
			return
		}
		if m.At <= at {
			t.Fatalf("%+v after %d", m, at)
		}
		at = m.At
	}
}
