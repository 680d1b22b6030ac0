// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package truth

import (
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

// mulFloat returns ⌊a·x⌋ for the exact value of a in [0, 1], in the most obvious
// way: the collector has a faster one.
func mulFloat(a float64, x int64) int64 {
	product := exactly(a, x)
	return new(big.Int).Quo(product.Num(), product.Denom()).Int64()
}

// exactly returns a·x.
func exactly(a float64, x int64) *big.Rat {
	product := new(big.Rat).SetFloat64(a)
	return product.Mul(product, new(big.Rat).SetInt64(x))
}

// isBelow reports whether part/whole < limit, exactly.
func isBelow(part, whole int64, limit float64) bool {
	const near = 1e-9 // far more than what floats are off
	switch share := float64(part) / float64(whole); {
	case share < limit*(1-near):
		return true
	case share > limit*(1+near):
		return false
	default:
		return exactly(limit, whole).Cmp(new(big.Rat).SetInt64(part)) > 0
	}
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
