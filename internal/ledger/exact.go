// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"math"
	"math/bits"
)

// scale returns ⌊part · x / whole⌋ for 0 ≤ part ≤ whole, 0 ≤ x and
// 0 < whole. The product has 128 bits: nothing overflows, nothing rounds.
func scale(part, x, whole int64) int64 {
	if part == whole {
		return x
	}
	hi, lo := bits.Mul64(uint64(part), uint64(x))
	quotient, _ := bits.Div64(hi, lo, uint64(whole))
	return int64(quotient)
}

// mantissaBits is the size of a float64's mantissa with its hidden bit.
const mantissaBits = 53

// floorProduct returns ⌊a · x⌋ for the exact value of a in [0, 1] and x ≥ 0.
func floorProduct(a float64, x int64) int64 {
	fraction, exponent := math.Frexp(a) // a = fraction · 2^exponent, fraction in [½, 1)
	mantissa := uint64(math.Ldexp(fraction, mantissaBits))
	hi, lo := bits.Mul64(mantissa, uint64(x))
	shift := uint(mantissaBits - exponent) // ≥ 52, as a ≤ 1
	if shift >= 64 {
		return int64(hi >> (shift - 64)) // a shift by 64 or more gives 0
	}
	return int64(hi<<(64-shift) | lo>>shift)
}

// belowProduct reports whether part < a · whole, for the exact value of a in
// [0, 1] and 0 ≤ part ≤ whole.
func belowProduct(part int64, a float64, whole int64) bool {
	if floor := floorProduct(a, whole); part != floor {
		return part < floor
	}
	return a > 0 && whole > 0 && !wholeProduct(a, whole)
}

// wholeProduct reports whether a · x is a whole number.
func wholeProduct(a float64, x int64) bool {
	fraction, exponent := math.Frexp(a)
	mantissa := uint64(math.Ldexp(fraction, mantissaBits))
	hi, lo := bits.Mul64(mantissa, uint64(x))
	zeros := bits.TrailingZeros64(lo)
	if lo == 0 {
		zeros = 64 + bits.TrailingZeros64(hi)
	}
	return zeros >= mantissaBits-exponent
}

// division divides a running value by weights. Part i is weights[i]'s, what
// the weights leave is the free part. The last weight takes its part first,
// then the one before it, of what is left: so the parts add up to the value,
// and none of them falls while it grows.
type division struct {
	weights []int64
	free    int64
}

// part returns part i of running.
func (v division) part(i int, running int64) int64 {
	part, _ := v.upTo(i, running)
	return part
}

// rest returns the free part of running.
func (v division) rest(running int64) int64 {
	if v.free == 0 {
		return 0
	}
	_, left := v.upTo(0, running)
	return left
}

// upTo returns part i and what is left after it.
func (v division) upTo(i int, running int64) (part, left int64) {
	total := v.free
	for _, w := range v.weights {
		total += w
	}
	left = running
	for j := len(v.weights) - 1; j >= i; j-- {
		part = 0
		if w := v.weights[j]; w > 0 {
			part = scale(w, left, total)
			total -= w
		}
		left -= part
	}
	return part, left
}
