// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger_test

import (
	"math"
	"math/big"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// --- Shares: §4 ------------------------------------------------------------

// holdOf returns what the containers of a pod have of a device, and whether one
// of them says nothing.
func holdOf(key string, containers []gpu.Allocation) (oracleHold, bool) {
	hold := oracleHold{key: key, begin: forever}
	var slots []gpu.Slots
	whole, bad, largest := false, false, gpu.Slots{}
	for _, a := range containers {
		hold.begin = min(hold.begin, a.Begin)
		hold.containers = append(hold.containers, a.Holder.Container)
		s, ok := slotsOf(a)
		switch {
		case !ok:
			bad = true
		case s.Of == 0:
			whole = true
		case a.Sharing != gpu.DRA:
			slots = append(slots, s)
		case largest.Of == 0:
			largest = s
		default: // of equal ones that in smaller slots
			order := big.NewRat(s.N, s.Of).Cmp(big.NewRat(largest.N, largest.Of))
			if order > 0 || order == 0 && s.Of > largest.Of {
				largest = s
			}
		}
	}
	if largest.Of > 0 {
		slots = append(slots, largest)
	}
	if !whole {
		hold.slots = addSlots(slots)
	}
	return hold, bad
}

// slotsOf returns the slots of one allocation; none, if it is of the whole device.
func slotsOf(a gpu.Allocation) (s gpu.Slots, ok bool) {
	if !(0 < a.Share && a.Share <= 1) {
		return s, false
	}
	switch a.Sharing {
	case gpu.Exclusive, gpu.MIG:
		return s, a.Share == 1
	case gpu.TimeSlicing, gpu.MPS, gpu.DRA, gpu.VGPU:
		if s = a.Slots; s == (gpu.Slots{}) {
			s = gpu.Slots{N: int64(math.Round(a.Share * 1_000_000)), Of: 1_000_000}
		}
		return s, 1 <= s.N && s.N <= s.Of && s.Of <= 1_000_000_000_000
	}
	return s, false
}

// addSlots adds up slots in parts of the finest of them.
func addSlots(slots []gpu.Slots) gpu.Slots {
	sum := gpu.Slots{}
	for _, s := range slots {
		sum.Of = max(sum.Of, s.Of)
	}
	for _, s := range slots {
		sum.N += scaled(s, sum.Of)
	}
	sum.N = min(sum.N, sum.Of)
	return sum
}

// scaled returns how many of r parts slots are.
func scaled(s gpu.Slots, r int64) int64 {
	if s.Of == r {
		return s.N
	}
	return max(mulDiv(s.N, r, s.Of), 1)
}

// --- Several holders at once: §4 -------------------------------------------

// party is a holder in a piece.
type party struct {
	oracleHold

	start startUp
}

// division says how a piece is divided: the weights of the parties, and that
// of the free part behind them.
type division struct {
	idle, active []int64
	processes    bool // the active part is divided by what the processes did
}

// divide returns how a piece is divided between its parties, the largest key
// first.
func (b *booking) divide(parties []party) division {
	r, sum := int64(1), int64(0)
	exclusive, over := true, false
	for _, p := range parties {
		r = max(r, p.slots.Of)
		exclusive = exclusive && !p.shares()
		over = over || p.start.over
	}
	var d division
	for _, p := range parties {
		slots := p.slots
		if !p.shares() {
			slots = gpu.Slots{N: 1, Of: 1}
		}
		n := scaled(slots, r)
		d.idle = append(d.idle, n)
		sum += n
		weight := int64(1)
		if !exclusive && over && !p.start.over {
			weight = 0
		}
		d.active = append(d.active, weight)
	}
	d.idle = append(d.idle, max(r-sum, 0))
	d.active = append(d.active, 0)
	if weights, tell := b.processWeights(parties); tell && !exclusive {
		d.active, d.processes = weights, true
	}
	return d
}

// parts divides r by the weights: each takes its part of what is left, the last
// one that has a weight gets what remains.
func parts(r int64, weights []int64) []int64 {
	left, sum := r, int64(0)
	for _, w := range weights {
		sum += w
	}
	var out []int64
	for _, w := range weights {
		part := mulDiv(left, w, sum)
		out = append(out, part)
		left, sum = left-part, sum-w
	}
	return out
}
