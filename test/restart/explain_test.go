// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

//go:build restart

package restart

import (
	"maps"
	"slices"
	"testing"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// explain returns the batches that were taken, and a run without kills of
// these. A batch that was killed on the way to the sink may have been saved or
// not: what was published from its time on tells.
func explain(t *testing.T, batches []batch, fates map[int]fate, got *sink) (taken []batch, want *sink) {
	t.Helper()
	open := slices.DeleteFunc(slices.Sorted(maps.Keys(fates)), func(n int) bool { return fates[n] != unknown })
	t.Logf("%d batches were killed on their way to the sink: %v", len(open), open)
	run := func() ([]batch, *sink) {
		taken := slices.DeleteFunc(slices.Clone(batches), func(b batch) bool { return fates[b.number] == lost })
		return taken, undisturbed(t, taken)
	}
	taken, want = run()
	// As long as one of them explains what differs first, it was lost.
	for at := divergence(want, got); at < gpu.Forever; {
		i := len(open) - 1
		for ; i >= 0; i-- {
			if batches[open[i]].from >= at {
				continue
			}
			fates[open[i]] = lost
			fewer, changed := run()
			if later := divergence(changed, got); later > at {
				taken, want, at = fewer, changed, later
				break
			}
			fates[open[i]] = unknown
		}
		if i < 0 {
			break
		}
		open = slices.Delete(open, i, i+1)
	}
	return taken, want
}
