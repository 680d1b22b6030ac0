// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package feed

import (
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/watch"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

const (
	// endingStep is the least time between two sets of an ending: they tell
	// nothing but the time.
	endingStep = 10 * time.Second
	// endingRest is more than the whole second to which a ledger rounds its
	// steps.
	endingRest = 5 * time.Second
)

// Ending returns how long after the end of a world there may be something to
// deliver.
func Ending(s watch.Settings, c Collector) time.Duration {
	step := max(s.Interval, endingStep)
	return enough(c) + step + max(step, c.MaxGap+endingRest)
}

func enough(c Collector) time.Duration { return 2*c.MaxGap + c.Settle + endingRest }

// end returns what is delivered after the last tick: that everything has ended
// with the world, then empty sets that move the ledger's clock past all that
// could hold settled time back (docs/ledger.md, sections 1 and 2): what is
// silent holds it for max_gap, and a step is taken settle_delay later.
//
// If the last collections had no set, the first set of the ending is so late
// that it says nothing of the time before it.
func (f *feed) end() []Delivery {
	if len(f.Ticks) == 0 {
		return nil
	}
	last, end, told := f.Ticks[len(f.Ticks)-1], f.End(), f.last()
	step := max(f.Settings.Interval, endingStep)
	after := step
	if !f.HasSet(last) || last.Real != end {
		after = max(step, f.collector.MaxGap+endingRest)
	}
	deliveries := []Delivery{{end.Add(after), f.goodbye(told)}}
	for {
		b := &deliveries[len(deliveries)-1].Batch
		b.AllocationCounts = append(b.AllocationCounts, f.count(told.Add(after), 0))
		if after > enough(f.collector) {
			return deliveries
		}
		after += step
		deliveries = append(deliveries, Delivery{Real: end.Add(after)})
	}
}

// last returns what the clock shows at the end of the world, or the newest
// time that was told, if the clock was set back since.
func (f *feed) last() gpu.Time {
	told := f.Told(f.End())
	for _, t := range f.Ticks {
		told = max(told, t.Told)
	}
	for _, d := range f.devices {
		told = max(told, d.newest)
	}
	return told
}

// goodbye ends the series of every device that is left at the end of the
// world, at told. A device of which only sets told gets its only sample then,
// so that it has a series that can end.
//
// A board doesn't end: it is counted as over, after the last count, and becomes
// a plain device again with a sample of its own that has to be later still.
// That ends then: watch.BoardTail after the world.
func (f *feed) goodbye(told gpu.Time) (b gpu.Batch) {
	for _, d := range f.devices {
		switch {
		case !exists(d.Device, f.End()):
		case d.board():
			b.PartitionCounts = append(b.PartitionCounts, gpu.PartitionCount{Board: d.identity, Time: told + 1, Ended: true})
			if f.accounted(d) {
				b.Samples = append(b.Samples, sample(d, told.Add(watch.BoardTail), 0))
				b.SeriesEnds = append(b.SeriesEnds, seriesEnd(d, told.Add(watch.BoardTail)))
			}
		case d.newest != gpu.NoTime:
			b.SeriesEnds = append(b.SeriesEnds, seriesEnd(d, told))
		case d.named && d.Parent == "":
			b.Samples = append(b.Samples, sample(d, told, 0))
			b.SeriesEnds = append(b.SeriesEnds, seriesEnd(d, told))
		}
	}
	return b
}

// accounted reports whether a board has instances that were told of.
func (f *feed) accounted(board *device) bool {
	for _, d := range f.devices {
		if d.Parent == board.ID && d.newest != gpu.NoTime {
			return true
		}
	}
	return false
}

func seriesEnd(d *device, t gpu.Time) gpu.SeriesEnd {
	return gpu.SeriesEnd{Device: d.identity, Engine: gpu.EngineAny, Source: source, Time: t}
}
