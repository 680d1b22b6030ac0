// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

var anyNanos = rapid.Int64Range(0, math.MaxInt64/2)

func TestScaleIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		whole := rapid.Int64Range(1, math.MaxInt64/2).Draw(t, "whole")
		part := rapid.Int64Range(0, whole).Draw(t, "part")
		x := anyNanos.Draw(t, "x")
		want := new(big.Int).Mul(big.NewInt(part), big.NewInt(x))
		require.Equal(t, want.Quo(want, big.NewInt(whole)).Int64(), scale(part, x, whole))
	})
}

func TestFloorProductIsExact(t *testing.T) {
	check := func(t require.TestingT, a float64, x int64) {
		want := new(big.Rat).SetFloat64(a)
		want.Mul(want, new(big.Rat).SetInt64(x))
		require.Equal(t, new(big.Int).Quo(want.Num(), want.Denom()).Int64(), floorProduct(a, x), "%v of %d", a, x)
	}
	for _, a := range []float64{0, 1, 0.5, 0.3, 1. / 3, math.SmallestNonzeroFloat64, 1e-300, math.Nextafter(1, 0)} {
		for _, x := range []int64{0, 1, 2, 1e9, math.MaxInt64} {
			check(t, a, x)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		check(t, rapid.Float64Range(0, 1).Draw(t, "a"), rapid.Int64Range(0, math.MaxInt64).Draw(t, "x"))
	})
}

func TestSharesAddUpAndNeverFall(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		running, n := anyNanos.Draw(t, "running"), rapid.IntRange(1, 9).Draw(t, "n")
		sum := int64(0)
		for i := range n {
			share := shareOf(running, i, n)
			sum += share
			require.LessOrEqual(t, share, shareOf(running+1, i, n))
		}
		require.Equal(t, running, sum)
	})
}
