// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package truth

import (
	"math"
	"math/big"
	"math/bits"
)

// mulDiv returns ⌊a·b/c⌋, and 0 if c is 0. The quotient must fit.
func mulDiv(a, b, c int64) int64 {
	if c == 0 {
		return 0
	}
	high, low := bits.Mul64(uint64(a), uint64(b))
	quotient, _ := bits.Div64(high, low, uint64(c))
	return int64(quotient)
}

// mulFloat returns ⌊a·x⌋ for the exact value of a in [0, 1].
func mulFloat(a float64, x int64) int64 {
	const mantissa = 53
	fraction, exponent := math.Frexp(a)
	high, low := bits.Mul64(uint64(math.Ldexp(fraction, mantissa)), uint64(x))
	shift := uint(mantissa - exponent)
	if shift < 64 {
		return int64(high<<(64-shift) | low>>shift)
	}
	return int64(high >> (shift - 64))
}

// isBelow reports whether part/whole < limit, exactly.
func isBelow(part, whole int64, limit float64) bool {
	floor := mulFloat(limit, whole)
	if part != floor {
		return part < floor
	}
	product := new(big.Rat).SetFloat64(limit)
	product.Mul(product, new(big.Rat).SetInt64(whole))
	return product.Cmp(new(big.Rat).SetInt64(part)) > 0
}

// shares divides r by weights, from the last to the first: each takes its part
// of what is left. What then remains is the last of the parts, that of free.
func shares(r int64, weights []int64, free int64) []int64 {
	sum := free
	for _, w := range weights {
		sum += w
	}
	parts := make([]int64, len(weights)+1)
	for i := len(weights) - 1; i >= 0; i-- {
		parts[i] = mulDiv(r, weights[i], sum)
		r, sum = r-parts[i], sum-weights[i]
	}
	parts[len(weights)] = r
	return parts
}
