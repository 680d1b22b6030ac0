// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package table

import (
	"cmp"
	"math/big"
	"slices"
	"time"
)

// scale converts nanoseconds to whole units of a column: times × num ÷ den.
type scale struct{ num, den *big.Int }

func newScale(num, den int64) scale { return scale{big.NewInt(num), big.NewInt(den)} }

// units returns the whole units in d and what remains, in 1/den of a unit.
func (s scale) units(d time.Duration) (units int64, rest *big.Int) {
	quotient, rest := new(big.Int).Mul(big.NewInt(int64(d)), s.num), new(big.Int)
	quotient.DivMod(quotient, s.den, rest)
	return quotient.Int64(), rest
}

// round returns d in whole units, halves up.
func (s scale) round(d time.Duration) int64 {
	units, rest := s.units(d)
	if rest.Lsh(rest, 1).Cmp(s.den) >= 0 {
		units++
	}
	return units
}

// apportion rounds the parts of a whole that was rounded to total units, so
// that they add up to it: those with the largest remainders are rounded up.
func (s scale) apportion(total int64, parts []time.Duration) []int64 {
	units, rests := make([]int64, len(parts)), make([]*big.Int, len(parts))
	order := make([]int, len(parts))
	for i, part := range parts {
		units[i], rests[i] = s.units(part)
		total -= units[i]
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(rests[b].Cmp(rests[a]), cmp.Compare(a, b))
	})
	for _, i := range order[:min(int(total), len(order))] {
		units[i]++
	}
	return units
}
