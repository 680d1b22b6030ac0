// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpu

// Reading is a value of a device that the ledger doesn't account: watts,
// degrees, bytes. It is no part of a Batch.
type Reading struct {
	Device     DeviceID
	Metric     string // its name in the contract
	Attributes []Attribute
	Start      Time // of a sum; else NoTime
	Time       Time
	Value      float64 // in the metric's unit
	Whole      int64   // the same of a metric of whole numbers
}

// Attribute is one of a reading.
type Attribute struct{ Key, Value string }
