// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package price

import (
	"math"
	"math/big"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// floorCost is ⌊rate × d⌋ by fractions of any size.
func floorCost(rate *big.Rat, d time.Duration) gpu.Nanos {
	product := new(big.Rat).Mul(rate, big.NewRat(int64(d), int64(time.Hour)))
	whole := new(big.Int).Quo(product.Num(), product.Denom())
	if !whole.IsInt64() {
		return math.MaxInt64
	}
	return gpu.Nanos(whole.Int64())
}

func TestCostIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := Rate{rapid.Uint64().Draw(t, "num"), rapid.Uint64Range(1, math.MaxUint64).Draw(t, "den")}
		d := time.Duration(rapid.Int64Range(0, math.MaxInt64).Draw(t, "time"))
		require.Equal(t, floorCost(fraction(r), d), r.Cost(d))
	})
}

func TestCostOfHundredHours(t *testing.T) {
	list := book(t, hourly("1.74", ""))
	p, _, _ := list.At(Facts{}, day("2026-09-17"))
	require.InDelta(t, 174.00, p.Rate.Cost(100*time.Hour).Units(), 0)
	require.InDelta(t, 34.80, p.Rate.Cost(100*time.Hour).Units()/5, 1e-12, "per active hour, at 5 active hours")
	less := book(t, hourly("1.74", ", committed_discount: 0.3"))
	p, _, _ = less.At(Facts{}, day("2026-09-17"))
	require.InDelta(t, 121.80, p.Rate.Cost(100*time.Hour).Units(), 0)
}

func TestNoRateCostsNothing(t *testing.T) {
	require.Zero(t, Rate{}.Cost(time.Hour))
}
