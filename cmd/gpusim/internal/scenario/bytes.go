// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"errors"
	"strconv"
	"strings"
)

// Bytes is an amount of memory.
type Bytes uint64

var byteUnits = []struct {
	suffix string
	size   Bytes
}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40}, {"B", 1}}

// String writes b in the largest unit of which it is a multiple.
func (b Bytes) String() string {
	for i := 3; i >= 0; i-- {
		if u := byteUnits[i]; b > 0 && b%u.size == 0 {
			return strconv.FormatUint(uint64(b/u.size), 10) + u.suffix
		}
	}
	return strconv.FormatUint(uint64(b), 10) + "B"
}

// parseBytes reads a whole number of one of the units, as 40GiB.
func parseBytes(text string) (Bytes, error) {
	for _, u := range byteUnits {
		digits, ok := strings.CutSuffix(text, u.suffix)
		if !ok {
			continue
		}
		n, err := strconv.ParseUint(digits, 10, 32)
		return Bytes(n) * u.size, err
	}
	return 0, errors.New("no unit")
}
