// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package recording

import (
	"maps"
	"slices"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// Step is the time between two samples of the recording.
const Step = 57 * time.Second

// MaxGap is the max_gap that the mapping is defined for: longer intervals
// between two samples are unobserved.
const MaxGap = 3 * time.Minute

// source is the gpu.activity.source of a duty cycle.
const source = "util"

// Ending returns the batches that let everything settle once the last tick
// was sent. Every device ends with the recording, at the time of its last
// tick: also those that nobody held any more. The empty allocation sets after
// it move the ledger's clock (docs/ledger.md, sections 1 and 2): a step more
// than max_gap after the last tick is past everything that could hold the
// settled time back, and it is taken once a set is settle_delay newer (a step
// is a whole second, so one second more).
func (r Recording) Ending(settle time.Duration) []Tick {
	end := r.last()
	silent := end.Add((MaxGap/Step + 1) * Step)
	var ticks []Tick
	for t := end.Add(Step); ; t = t.Add(Step) {
		ticks = append(ticks, Tick{Time: t, Batch: gpu.Batch{
			AllocationCounts: []gpu.AllocationCount{count(t, 0)},
		}})
		if t >= silent.Add(settle+time.Second) {
			break
		}
	}
	ticks[0].Batch.SeriesEnds = r.seriesEnds(end)
	return ticks
}

func (r Recording) seriesEnds(end gpu.Time) []gpu.SeriesEnd {
	lives := lives(r)
	ends := make([]gpu.SeriesEnd, 0, len(lives))
	for _, c := range slices.SortedFunc(maps.Keys(lives), compare) {
		ends = append(ends, gpu.SeriesEnd{
			Device: device(c), Engine: gpu.EngineAny, Source: source, Time: end,
		})
	}
	return ends
}
