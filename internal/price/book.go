// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package price

import (
	"math/big"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// Facts is what the price of a device depends on. What isn't known is empty.
type Facts struct {
	Node         string
	HostType     string // of the machine, as the provider calls it
	Model        string // of the GPU
	Zone         string
	Region       string
	CapacityType string
	GPUs         int // that the node has, 0 if that isn't known
}

// Reason says why no price is in force; "" if one is.
type Reason string

// The reasons for which there is no price.
const (
	NoFile      Reason = "no_file"       // no price file could be read yet
	NoEntry     Reason = "no_entry"      // no entry is about such a device
	NotValidYet Reason = "not_valid_yet" // there are entries, each for a later time
	NoGPUCount  Reason = "no_gpu_count"  // the price is a node's, and how many GPUs it has isn't known
)

// Reasons returns all of them.
func Reasons() []Reason { return []Reason{NoFile, NoEntry, NotValidYet, NoGPUCount} }

// The sources of a price.
const (
	FromConfig = "config"
	FromFile   = "file"
)

// Book is a set of prices. It never changes. A nil Book has none, because its
// file couldn't be read.
type Book struct {
	version string
	source  string
	entries []entry
}

// Version names the file and its content; "" of a price in the configuration.
func (b *Book) Version() string { return b.version }

// Len returns the number of entries.
func (b *Book) Len() int { return len(b.entries) }

// Fixed returns a book with one price, for every device and all time.
func Fixed(perHour gpu.Nanos, currency string) *Book {
	net := new(big.Rat).SetInt64(int64(perHour))
	return &Book{source: FromConfig, entries: []entry{{net: net, currency: currency}}}
}

// kept reports whether what was charged has to be kept. At the one price of the
// configuration, all time costs the same whenever it is charged.
func (b *Book) kept() bool { return b == nil || b.source != FromConfig }

// InForce is a price in force.
type InForce struct {
	gpu.Price
	Rate Rate
}

// At returns the price in force at t for a device with these facts, or why there
// is none; and until when that holds: at least until then nothing changes.
//
// Of the entries that are about the device and valid, those that name its node go
// before all others, then the one that names most. Parse makes sure that it is
// one.
func (b *Book) At(f Facts, t gpu.Time) (p InForce, why Reason, until gpu.Time) {
	until = gpu.Forever
	if b == nil {
		return p, NoFile, until
	}
	var best *entry
	facts := f.values()
	why = NoEntry
	for i := range b.entries {
		e := &b.entries[i]
		switch {
		case !e.about(&facts):
		case e.from > t:
			why, until = NotValidYet, min(until, e.from)
		case best == nil || e.beats(best):
			best = e
		}
	}
	if best == nil {
		return p, why, until
	}
	rate, ends, why := best.rate(f.GPUs, t)
	if why != "" {
		return p, why, until
	}
	return InForce{Rate: rate, Price: gpu.Price{
		PerHour: rate.PerHour(), Currency: best.currency, Version: b.version, Source: b.source, Kind: best.kind,
	}}, "", min(until, ends)
}

// Months of a price for a month.
const (
	calendar = "calendar" // its own hours, in UTC
	hours730 = "730h"     // 8,760 h a year ÷ 12
)

// entry is one price.
type entry struct {
	line     int // in its file
	match    match
	from     gpu.Time
	kind     string
	currency string

	net    *big.Rat // nano-units for an hour or a month, of a GPU or a node; with discount and VAT as they are to be
	month  string   // "" for an hour
	ofNode bool
	gpus   int // of the node, 0: as many as it says
}

// rate returns what a GPU costs at t, and until when at most.
func (e *entry) rate(gpus int, t gpu.Time) (Rate, gpu.Time, Reason) {
	divisor, until := int64(1), gpu.Forever
	switch e.month {
	case calendar:
		begin, end := monthOf(t)
		divisor, until = int64(end.Sub(begin)/time.Hour), end
	case hours730:
		divisor = 730
	}
	if e.ofNode {
		if e.gpus > 0 {
			gpus = e.gpus
		}
		if gpus <= 0 || gpus > maxGPUs {
			return Rate{}, until, NoGPUCount
		}
		divisor *= int64(gpus)
	}
	rate, _ := rateOf(new(big.Rat).Quo(e.net, big.NewRat(divisor, 1))) // Parse made sure that it fits
	return rate, until, ""
}

// monthOf returns begin and end of the calendar month of t, in UTC.
func monthOf(t gpu.Time) (begin, end gpu.Time) {
	year, month, _ := time.Unix(0, int64(t)).UTC().Date()
	at := func(m time.Month) gpu.Time { return gpu.Time(time.Date(year, m, 1, 0, 0, 0, 0, time.UTC).UnixNano()) }
	return at(month), at(month + 1)
}
