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

// Description is a device with what people ask of it beside what the ledger
// needs. It identifies nothing: the ID alone does.
type Description struct {
	Device   Device
	Vendor   string
	Driver   string // its version; it changes only with a restart of all that uses the GPUs
	Host     string
	PCI      string // address of the board
	Index    *int   // NVML's, of the board; nil: not known
	Minor    *int   // of the board's device file; nil: not known
	Profile  string // of a partition: "1g.10gb"
	Instance *int   // of a partition: NVIDIA's number of its GPU instance, which may be 0; else nil
}
