// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package price

import (
	"fmt"
	"math/big"
	"regexp"
	"strings"
)

var decimalText = regexp.MustCompile(`^[0-9]{1,18}(\.[0-9]{1,18})?$`)

// decimals says which decimal numbers are accepted. Limits that are "" are none.
type decimals struct {
	digits       int // behind the point
	above, least string
	below, most  string
	hint         string
}

func (d decimals) String() string {
	var parts []string
	for _, limit := range []struct{ word, value string }{
		{"above", d.above}, {"from", d.least}, {"below", d.below}, {"at most", d.most},
	} {
		if limit.value != "" {
			parts = append(parts, limit.word+" "+limit.value)
		}
	}
	return fmt.Sprintf("a decimal number %s, with at most %d digits behind the point%s", strings.Join(parts, ", "), d.digits, d.hint)
}

// accept returns text as an exact number.
func (d decimals) accept(text string) (*big.Rat, bool) {
	if !decimalText.MatchString(text) {
		return nil, false
	}
	if _, fraction, _ := strings.Cut(text, "."); len(fraction) > d.digits {
		return nil, false
	}
	value, _ := new(big.Rat).SetString(text)
	for _, limit := range []struct {
		value  string
		accept func(comparison int) bool
	}{
		{d.above, func(c int) bool { return c > 0 }},
		{d.least, func(c int) bool { return c >= 0 }},
		{d.below, func(c int) bool { return c < 0 }},
		{d.most, func(c int) bool { return c <= 0 }},
	} {
		if of, is := new(big.Rat).SetString(limit.value); is && !limit.accept(value.Cmp(of)) {
			return nil, false
		}
	}
	return value, true
}

// decimal returns the number of a key; nil if it isn't there, or was refused.
func (r *entryReader) decimal(key string, accepted decimals, must bool) *big.Rat {
	text := r.text(r.of, r.line, key, accepted.String(), must)
	if text == "" {
		return nil
	}
	value, ok := accepted.accept(text)
	if !ok {
		r.refuse(r.of[key].Line, "%s: %s is not accepted: set %s", key, shown(text), accepted)
		return nil
	}
	return value
}
