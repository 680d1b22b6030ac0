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

// shareOf returns what the i-th of n equal holders has of the running value
// running. The shares add up to it, and none of them ever falls while it
// grows: holder 0 is the first to get a remainder.
func shareOf(running int64, i, n int) int64 {
	return (running + int64(n-1-i)) / int64(n)
}
