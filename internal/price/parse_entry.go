// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package price

import (
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// The words of a price file.
const (
	excluded, included = "excluded", "included"
	forGPU, forNode    = "gpu", "node"
	perHour, perMonth  = "hour", "month"
)

var entryKeys = append(slices.Clone(matchNames[:]), "valid_from", "kind", "amount", "currency", "for", "gpus", "per", "month",
	"committed_discount", "vat", "vat_rate")

var currencyCode = regexp.MustCompile("^[A-Z]{3}$")

// entryReader reads one entry.
type entryReader struct {
	*fileReader
	of   map[string]*yaml.Node
	line int
}

func (f *fileReader) entry(n *yaml.Node, number int) {
	f.within = fmt.Sprintf("entry %d: ", number)
	defer func() { f.within = "" }()
	of, ok := f.keys(n, entryKeys...)
	if !ok {
		return
	}
	r, before := entryReader{f, of, n.Line}, len(f.errs)
	e := entry{line: n.Line}
	for i, key := range matchNames {
		e.match[i] = r.text(of, n.Line, key, "the value that the node or device has, or leave the key out", optional)
	}
	e.from = r.instant()
	e.kind = r.word(of, n.Line, "kind", "", "list", "contract", "amortised", "spot")
	e.currency = r.text(of, n.Line, "currency", "a code of ISO 4217, as EUR", required)
	if e.currency != "" && !currencyCode.MatchString(e.currency) {
		r.refuse(of["currency"].Line, "currency: %s is not accepted: set a code of ISO 4217, as EUR", shown(e.currency))
	}
	e.ofNode, e.gpus = r.divided()
	e.month = r.perWhat()
	if e.net = r.net(); len(f.errs) > before {
		return
	}
	if !e.net.Num().IsUint64() {
		r.refuse(n.Line, "amount × discount × VAT has more digits than can be counted exactly: round the amount")
		return
	}
	f.book.entries = append(f.book.entries, e)
}

// word returns one of the accepted words; otherwise, if it isn't "", stands for
// a key that isn't there.
func (f *fileReader) word(of map[string]*yaml.Node, line int, key, otherwise string, accepted ...string) string {
	want := strings.Join(accepted, ", ")
	value := f.text(of, line, key, want, otherwise == "")
	if value == "" {
		return otherwise
	}
	if !slices.Contains(accepted, value) {
		f.refuse(of[key].Line, "%s: %s is not accepted: set %s", key, shown(value), want)
	}
	return value
}

// instant returns valid_from.
func (r *entryReader) instant() gpu.Time {
	const accepted = "a day, as 2026-09-17 (from 00:00 UTC on), or an instant, as 2026-09-17T12:00:00+02:00, of 1970 to 2199"
	text := r.text(r.of, r.line, "valid_from", accepted, required)
	if text == "" {
		return gpu.NoTime
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if t, err := time.Parse(layout, text); err == nil && t.Unix() >= 0 && t.UTC().Year() < 2200 {
			return gpu.Time(t.UnixNano())
		}
	}
	r.refuse(r.of["valid_from"].Line, "valid_from: %s is not accepted: set %s", shown(text), accepted)
	return gpu.NoTime
}

// divided returns whether the price is a node's, and of how many GPUs.
func (r *entryReader) divided() (ofNode bool, gpus int) {
	ofNode = r.word(r.of, r.line, "for", "", forGPU, forNode) == forNode
	text := r.text(r.of, r.line, "gpus", "the number of GPUs of such a node", optional)
	if text == "" {
		return ofNode, 0
	}
	gpus, err := strconv.Atoi(text)
	switch {
	case err != nil || gpus < 1 || gpus > maxGPUs:
		r.refuse(r.of["gpus"].Line, "gpus: %s is not accepted: set 1 to %d", shown(text), maxGPUs)
	case !ofNode:
		r.refuse(r.of["gpus"].Line, "gpus: %s is not accepted: set it with for: node only", shown(text))
	}
	return ofNode, gpus
}

// perWhat returns the month of a price for a month, "" for one for an hour.
func (r *entryReader) perWhat() string {
	per := r.word(r.of, r.line, "per", "", perHour, perMonth)
	switch {
	case per == perMonth:
		return r.word(r.of, r.line, "month", "", calendar, hours730)
	case per == perHour && r.of["month"] != nil:
		r.refuse(r.of["month"].Line, "month: it is not accepted with per: hour: leave it out")
	}
	return ""
}

// net returns the amount in nano-units, with discount, and with or without VAT
// as the file has its costs.
func (r *entryReader) net() *big.Rat {
	one := big.NewRat(1, 1)
	amount := r.decimal("amount", decimals{digits: 9, above: "0", most: "1000000000"}, required)
	discount := r.decimal("committed_discount", decimals{digits: 4, least: "0", below: "1", hint: ", 0.3 for 30 %"}, optional)
	rate := r.decimal("vat_rate", decimals{digits: 4, least: "0", most: "1", hint: ", 0.19 for 19 %"}, optional)
	vat := r.word(r.of, r.line, "vat", r.vat, excluded, included)
	if amount == nil {
		return nil
	}
	net := amount.Mul(amount, big.NewRat(1e9, 1))
	if discount != nil {
		net.Mul(net, discount.Sub(one, discount))
	}
	switch {
	case vat == r.vat:
	case rate == nil:
		if r.of["vat_rate"] == nil {
			r.refuse(r.line, "vat_rate is missing: the amount has VAT %s, and the costs of this file have it %s: set the rate, as 0.19", vat, r.vat)
		}
	case vat == excluded:
		net.Mul(net, rate.Add(one, rate))
	default:
		net.Quo(net, rate.Add(one, rate))
	}
	return net
}
