// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"math"
	"math/bits"
	"slices"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// share is the part of a device that a holder is entitled to: all of it, or n
// of its of slots.
type share struct {
	shared bool
	n, of  int64
}

// wholeDevice is the share of a holder that doesn't share.
var wholeDevice = share{n: 1, of: 1}

const (
	// millionths is what a share without slots is counted in.
	millionths = 1_000_000
	// maxSlots keeps the sum of all weights far from an overflow.
	maxSlots = 1_000_000_000_000
)

// shareOf returns what an allocation entitles to, and why it can't be told.
func shareOf(a gpu.Allocation) (s share, why Reason, ok bool) {
	if !(a.Share > 0 && a.Share <= 1) { // NaN too
		return share{}, BadShare, false
	}
	switch a.Sharing {
	case "", gpu.Exclusive, gpu.MIG:
		return wholeDevice, BadShare, a.Share == 1
	case gpu.TimeSlicing, gpu.MPS, gpu.DRA, gpu.VGPU:
	default:
		return share{}, UnsupportedSharing, false
	}
	s = share{shared: true, n: a.Slots.N, of: a.Slots.Of}
	if a.Slots == (gpu.Slots{}) {
		s.n, s.of = int64(math.Round(a.Share*millionths)), millionths
	}
	return s, BadShare, s.n > 0 && s.n <= s.of && s.of <= maxSlots
}

// scaledTo returns the slots of s if the device had of slots, of its own of or
// more.
func (s share) scaledTo(of int64) int64 { return max(scale(s.n, of, s.of), 1) }

// together returns what the containers of one pod are entitled to: the sum of
// their slots.
func together(shares []share) share {
	of, sum := int64(1), int64(0)
	for _, s := range shares {
		if !s.shared {
			return wholeDevice
		}
		of = max(of, s.of)
	}
	for _, s := range shares {
		sum += s.scaledTo(of)
	}
	return share{shared: true, n: min(sum, of), of: of}
}

// largerThan reports whether s is the larger part of a device, or the same in
// smaller slots. The products have 128 bits.
func (s share) largerThan(o share) bool {
	aHigh, aLow := bits.Mul64(uint64(s.n), uint64(o.of))
	bHigh, bLow := bits.Mul64(uint64(o.n), uint64(s.of))
	if aHigh != bHigh {
		return aHigh > bHigh
	}
	return aLow > bLow || aLow == bLow && s.of > o.of
}

// hold is a holder with its share, in a segment.
type hold struct {
	*holder
	share share
	// starting is the reason of start-up, NoReason once that is over.
	starting gpu.Reason
	attempt  int
}

// whole is the division of a device that one holder has.
var whole = division{weights: []int64{1}}

// slotDivision divides idle and unobserved time.
func slotDivision(holds []hold) (v division, overlap bool) {
	if len(holds) == 1 && !holds[0].share.shared {
		return whole, false
	}
	of, sum := int64(1), int64(0)
	for _, h := range holds {
		of = max(of, h.share.of)
	}
	v.weights = make([]int64, len(holds))
	for i, h := range holds {
		v.weights[i] = h.share.scaledTo(of)
		sum += v.weights[i]
	}
	v.free = max(of-sum, 0)
	return v, sum > of
}

// equalDivision divides time between n holders equally.
func equalDivision(n int) division {
	v := division{weights: make([]int64, n)}
	for i := range v.weights {
		v.weights[i] = 1
	}
	return v
}

// activeDivision divides active time; the free part is foreign activity.
func activeDivision(holds []hold, use *processUse) (v division, by gpu.Attribution) {
	if len(holds) == 1 && !holds[0].share.shared {
		return whole, gpu.NoAttribution
	}
	v.weights = make([]int64, len(holds))
	shared := slices.ContainsFunc(holds, func(h hold) bool { return h.share.shared })
	if shared && use.tells(holds) {
		for i, h := range holds {
			v.weights[i] = use.byPod[h.key]
		}
		v.free = use.foreign
		return v, gpu.ProcessAttribution
	}
	started := shared && slices.ContainsFunc(holds, func(h hold) bool { return h.starting == gpu.NoReason })
	for i, h := range holds {
		if !started || h.starting == gpu.NoReason {
			v.weights[i] = 1
		}
	}
	return v, gpu.NoAttribution
}
