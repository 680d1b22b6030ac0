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

func TestBelowProduct(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.OneOf(rapid.Float64Range(0, 1), rapid.SampledFrom([]float64{0, 1, 0.5, 0.25, 0.01, 1. / 3})).Draw(t, "a")
		whole := rapid.Int64Range(0, math.MaxInt64).Draw(t, "whole")
		near := floorProduct(a, whole) + rapid.Int64Range(-1, 1).Draw(t, "off")
		part := max(min(near, whole), 0)
		product := new(big.Rat).SetFloat64(a)
		product.Mul(product, new(big.Rat).SetInt64(whole))
		require.Equal(t, new(big.Rat).SetInt64(part).Cmp(product) < 0, belowProduct(part, a, whole))
	})
}

func TestPartsAddUpAndNeverFall(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		running := anyNanos.Draw(t, "running")
		weight := rapid.OneOf(rapid.Int64Range(0, 9), rapid.Int64Range(0, maxSlots))
		v := division{
			weights: rapid.SliceOfN(weight, 1, 9).Draw(t, "weights"),
			free:    weight.Draw(t, "free"),
		}
		total := v.free
		for _, w := range v.weights {
			total += w
		}
		if total == 0 {
			v.weights[0], total = 1, 1
		}
		sum := v.rest(running)
		require.LessOrEqual(t, sum, v.rest(running+1))
		for i, w := range v.weights {
			part := v.part(i, running)
			sum += part
			require.LessOrEqual(t, part, v.part(i, running+1))
			require.InDelta(t, 0, part-scale(w, running, total), float64(len(v.weights)), "in proportion")
		}
		require.Equal(t, running, sum)
	})
}
