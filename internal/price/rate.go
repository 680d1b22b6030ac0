// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package price

import (
	"math"
	"math/big"
	"math/bits"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// Rate is an exact price: nano-units of a currency for an hour, as a fraction
// in lowest terms. The zero value is no price.
type Rate struct{ num, den uint64 }

// rateOf returns r, which is in nano-units for an hour, as a rate. It returns
// false if r isn't positive or needs more than 64 bits.
func rateOf(r *big.Rat) (Rate, bool) {
	if r.Sign() <= 0 || !r.Num().IsUint64() || !r.Denom().IsUint64() {
		return Rate{}, false
	}
	return Rate{r.Num().Uint64(), r.Denom().Uint64()}, true
}

// PerHour returns the price of an hour, rounded down to nano-units.
func (r Rate) PerHour() gpu.Nanos { return r.Cost(time.Hour) }

// Cost returns ⌊rate × d⌋ in nano-units, for a d of 0 or more. It never falls
// while d grows: what doesn't fit is the largest amount that does.
func (r Rate) Cost(d time.Duration) gpu.Nanos {
	if r.den == 0 {
		return 0
	}
	hi, lo := bits.Mul64(r.num, uint64(d))
	if hi >= uint64(time.Hour) {
		return r.bigCost(d)
	}
	// A floor of a floor is the floor of both: divisors are whole numbers.
	quotient, _ := bits.Div64(hi, lo, uint64(time.Hour))
	return gpu.Nanos(min(quotient/r.den, math.MaxInt64))
}

// bigCost is Cost where the product needs more than 64 bits per hour.
func (r Rate) bigCost(d time.Duration) gpu.Nanos {
	product := new(big.Int).SetUint64(r.num)
	product.Mul(product, big.NewInt(int64(d)))
	divisor := new(big.Int).SetUint64(r.den)
	divisor.Mul(divisor, big.NewInt(int64(time.Hour)))
	if product.Quo(product, divisor); !product.IsInt64() {
		return math.MaxInt64
	}
	return gpu.Nanos(product.Int64())
}
