// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpu

// Nanos is an amount of money in 10⁻⁹ units of its currency.
type Nanos int64

// Units returns the amount in whole units of the currency.
func (n Nanos) Units() float64 { return float64(n) / 1e9 }

// Price is what is published of the price of one GPU. Amounts in different
// currencies are never added.
type Price struct {
	PerHour  Nanos  // rounded down: costs are made of the exact price
	Currency string // ISO 4217, "EUR"
	Version  string // of the price file, "" if there is none
	Source   string // "config", "file"
	Kind     string // "list", "contract", "amortised", "spot", or "" if it isn't told
}

// StateCost is the cost of one account in one state and currency since Start.
type StateCost struct {
	State    State
	Currency string
	Nanos    Nanos
	Start    Time
	// New: this series was not published yet; a point 0 at Start precedes it.
	New bool
}
