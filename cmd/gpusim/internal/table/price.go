// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package table

import (
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"time"
)

// Price is what one GPU costs per hour. The zero value is no price: nothing
// is said about cost.
type Price struct {
	perHour  *big.Rat
	Currency string
}

// maxPerHour keeps the cost of a thousand GPU-years within 64 bits of cents.
const maxPerHour = 1_000_000

var (
	decimal  = regexp.MustCompile(`^[0-9]{1,9}(\.[0-9]{1,9})?$`)
	currency = regexp.MustCompile(`^[A-Z]{3}$`)
)

// ParsePrice reads a price per GPU-hour ("1.74") and its currency ("EUR").
func ParsePrice(perHour, code string) (Price, error) {
	if !currency.MatchString(code) {
		return Price{}, fmt.Errorf("currency %q: want a code of three letters, as EUR", code)
	}
	rat, ok := new(big.Rat).SetString(perHour)
	if !decimal.MatchString(perHour) || !ok || rat.Sign() <= 0 || rat.Cmp(big.NewRat(maxPerHour, 1)) > 0 {
		return Price{}, errors.New("want the cost of one GPU-hour above 0, as 1.74")
	}
	return Price{perHour: rat, Currency: code}, nil
}

// Known says whether there is a price.
func (p Price) Known() bool { return p.perHour != nil }

// cents is the scale of cost in 1/100 of the currency.
func (p Price) cents() scale {
	perNano := new(big.Rat).Mul(p.perHour, big.NewRat(100, int64(time.Hour)))
	return scale{num: perNano.Num(), den: perNano.Denom()}
}

// perActiveHour returns what one active GPU-hour costs when all allocated
// time is paid for, in cents; false if nothing was active.
func (p Price) perActiveHour(allocated, active time.Duration) (int64, bool) {
	if active <= 0 {
		return 0, false
	}
	perAllocated := new(big.Rat).Mul(p.perHour, big.NewRat(100, int64(active)))
	return scale{num: perAllocated.Num(), den: perAllocated.Denom()}.round(allocated), true
}
