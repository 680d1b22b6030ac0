// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger_test

import (
	"cmp"
	"slices"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// --- Absence ---------------------------------------------------------------

// counts returns what is known at k of how many partitions a board has.
func (o *oracle) counts(d *oracleDevice, k gpu.Time) []gpu.PartitionCount {
	var counts []gpu.PartitionCount
	for _, c := range o.all.PartitionCounts {
		if c.Board.ID == d.id && c.Time <= k &&
			!slices.ContainsFunc(counts, func(o gpu.PartitionCount) bool { return o.Time == c.Time }) {
			counts = append(counts, c)
		}
	}
	slices.SortFunc(counts, func(a, b gpu.PartitionCount) int { return cmp.Compare(a.Time, b.Time) })
	return counts
}

// lookAtCounts ends the partitions that are absent from a complete count.
func (o *oracle) lookAtCounts(d *oracleDevice, k gpu.Time) {
	counts := o.counts(d, k)
	for i := 1; i < len(counts); i++ {
		before, c := counts[i-1], counts[i]
		if c.Time <= d.before || before.Ended || c.Ended || o.gap(before.Time, c.Time) {
			continue
		}
		var absent []*oracleDevice
		present := 0
		for _, p := range o.partitionsOf(d) {
			if p.open && p.end <= c.Time || !p.slices.Valid() || int64(p.slices.Of) != d.total {
				continue
			}
			if len(p.sampleTimes(max(before.Time, p.since), c.Time)) > 0 {
				present++
			} else if p.open && p.end == forever && p.openedAt <= before.Time {
				absent = append(absent, p)
			}
		}
		if present < c.Count {
			continue
		}
		for _, p := range absent {
			p.endsAt(slices.Max(p.sampleTimes(p.since, k)))
		}
	}
}

// --- The board's own time --------------------------------------------------

// boardTarget: a board follows its partitions.
func (o *oracle) boardTarget(d *oracleDevice, k gpu.Time) gpu.Time {
	target := k
	for _, p := range o.partitionsOf(d) {
		if p.open {
			target = min(target, p.f)
		}
	}
	return target
}

// bookBoard books the slices that no partition had, and returns their time.
func (o *oracle) bookBoard(d *oracleDevice, settled span, k gpu.Time) time.Duration {
	var cuts []gpu.Time
	partitions := o.partitionsOf(d)
	for _, p := range partitions {
		for _, l := range p.lives {
			cuts = append(cuts, l.from, l.to)
		}
	}
	for _, a := range o.all.Availability {
		cuts = append(cuts, a.Time, a.Time.Add(o.cfg.MaxGap))
	}
	own := int64(0)
	for _, piece := range cutAt(settled, cuts) {
		c := gpu.Condition{State: gpu.Unallocated, Reason: gpu.ReasonUnpartitioned}
		if reason, out := o.unavailable(d.id, piece, k); out {
			c = gpu.Condition{State: gpu.Unavailable, Reason: reason}
		}
		for slice := range d.total {
			if takenIn(partitions, slice, piece) {
				continue
			}
			nanos := sliceTime(slice, d.total, piece.to) - sliceTime(slice, d.total, piece.from)
			o.add(d, "", gpu.NoAttribution, c, nanos)
			own += nanos
		}
	}
	d.real += settled.len()
	return time.Duration(own)
}

func takenIn(partitions []*oracleDevice, slice int64, piece span) bool {
	for _, p := range partitions {
		for _, l := range p.lives {
			if l.has(piece) && slices.Contains(l.taken, slice) {
				return true
			}
		}
	}
	return false
}

// sumBoards says what the times of every board and its partitions add up to.
func (o *oracle) sumBoards() {
	for _, d := range o.devices {
		if d.total == 0 {
			continue
		}
		f := d.f
		if !d.current && len(d.next) > 0 {
			f = d.next[0].at
		}
		sums := &boardSums{Real: time.Duration(d.real), Plain: time.Duration(d.plain)}
		for _, p := range o.partitionsOf(d) {
			sums.Partitions = append(sums.Partitions, p.id)
			for _, l := range p.lives {
				sums.Beyond += time.Duration(l.w(span{f, p.f}))
			}
		}
		o.result.Boards[d.id] = sums
	}
}
