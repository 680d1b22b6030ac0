// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

//go:build restart

package restart

import (
	"cmp"
	"slices"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// span is the time (from, to].
type span struct{ from, to gpu.Time }

// gaps returns how much time of the steady device the batches leave in the
// dark: between two of its samples, or between two allocation sets, that are
// too far apart. It knows nothing of the ledger.
func gaps(batches []batch) time.Duration {
	var samples, sets []gpu.Time
	for _, b := range batches {
		samples, sets = append(samples, b.samples...), append(sets, b.sets...)
	}
	var dark []span
	for _, times := range [][]gpu.Time{samples, sets} {
		for i := 1; i < len(times); i++ {
			if times[i].Sub(times[i-1]) > maxGap {
				dark = append(dark, span{times[i-1], times[i]})
			}
		}
	}
	return covered(dark)
}

// covered returns the time that at least one of the spans covers.
func covered(spans []span) (sum time.Duration) {
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	end := gpu.NoTime
	for _, s := range spans {
		if from := max(s.from, end); from < s.to {
			sum += s.to.Sub(from)
			end = s.to
		}
	}
	return sum
}
