// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger_test

import (
	"slices"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// --- Partitions and boards: §5 ---------------------------------------------

// partition is what a device is that is a part of a board.
type partition struct {
	taken    []int64 // its slices of the board, while it lives
	lives    []life
	rejected bool // it has other slices than its board
}

// life is a time in which a partition had slices of its board.
type life struct {
	span

	total int64
	taken []int64
}

// board is what a device is that has partitions.
type board struct {
	total   int64 // slices
	current bool  // the running life is that of a board
	next    []turn
	dropped map[gpu.Time]bool // sets whose allocations of the board are dropped

	wasBoard bool   // before this step
	turns    []turn // of this step

	real, plain int64 // time that is settled as a board, and as a plain device
}

// turn is where a device becomes a board, or a plain device again.
type turn struct {
	at    gpu.Time
	board bool
}

// boardSums is what the sums of a board's partitions are held against.
type boardSums struct {
	Real   time.Duration // settled time of the board's lives
	Plain  time.Duration // time of the device while it was no board
	Beyond time.Duration // of its partitions after its own settled time

	Partitions []gpu.DeviceID
}

// upTo returns the device's own time up to t.
func (d *oracleDevice) upTo(t gpu.Time) int64 {
	if len(d.lives) == 0 {
		return int64(t)
	}
	return d.lives[len(d.lives)-1].upTo(t)
}

func (l life) upTo(t gpu.Time) int64 {
	sum := int64(0)
	for _, slice := range l.taken {
		sum += sliceTime(slice, l.total, t)
	}
	return sum
}

// sliceTime returns what one of total slices has of the time up to t.
func sliceTime(slice, total int64, t gpu.Time) int64 { return (int64(t) + total - 1 - slice) / total }

// w returns how much of a span is the device's own.
func (d *oracleDevice) w(s span) int64 { return d.upTo(s.to) - d.upTo(s.from) }

func (l life) w(s span) int64 {
	from, to := max(l.from, s.from), min(l.to, s.to)
	return l.upTo(max(from, to)) - l.upTo(from)
}

// endTaken gives the slices back at the end.
func (d *oracleDevice) endTaken() {
	if n := len(d.lives); n > 0 {
		d.lives[n-1].to = d.end
	}
}

func (o *oracle) device(id gpu.DeviceID) *oracleDevice {
	return o.devices[slices.IndexFunc(o.devices, func(d *oracleDevice) bool { return d.id == id })]
}

// partitionsOf returns the partitions of a board that are accounted.
func (o *oracle) partitionsOf(b *oracleDevice) []*oracleDevice {
	var of []*oracleDevice
	for _, d := range o.devices {
		if d.parent == b.id && !d.rejected {
			of = append(of, d)
		}
	}
	return of
}

// isBoard says whether the device is a board, or becomes one when what it was
// before is settled.
func (d *oracleDevice) isBoard() bool {
	if n := len(d.next); n > 0 {
		return d.next[n-1].board
	}
	return d.current
}

func (d *oracleDevice) boardOrTurning() bool { return d.current || len(d.next) > 0 }

func (d *oracleDevice) beginStep() { d.wasBoard, d.turns = d.isBoard(), nil }

// dropAllocations drops what the sets of this step say of a board.
func (d *oracleDevice) dropAllocations(k gpu.Time) {
	for _, set := range d.sets {
		if set.time <= d.before || k < set.time {
			continue
		}
		is := d.wasBoard
		for _, t := range d.turns {
			if t.at <= set.time {
				is = t.board
			}
		}
		d.dropped[set.time] = is
	}
}
