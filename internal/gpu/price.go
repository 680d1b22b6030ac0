// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpu

import (
	"math"
	"math/bits"
	"time"
)

// Nanos is an amount of money in 10⁻⁹ units of its currency.
type Nanos int64

// Units returns the amount in whole units of the currency.
func (n Nanos) Units() float64 { return float64(n) / 1e9 }

// Price is what one GPU costs per hour. Amounts in different currencies are
// never added.
type Price struct {
	PerHour  Nanos
	Currency string // ISO 4217, "EUR"
}

// Cost returns ⌊price × d⌋ in nano-units, for a price and a d of 0 or more. It
// never falls while d grows: what doesn't fit is the largest amount that does.
func (p Price) Cost(d time.Duration) Nanos {
	hi, lo := bits.Mul64(uint64(p.PerHour), uint64(d))
	if hi >= uint64(time.Hour) {
		return math.MaxInt64
	}
	quotient, _ := bits.Div64(hi, lo, uint64(time.Hour))
	return Nanos(min(quotient, math.MaxInt64))
}
