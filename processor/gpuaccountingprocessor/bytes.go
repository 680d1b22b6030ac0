// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpuaccountingprocessor

import (
	"fmt"
	"strconv"
	"strings"
)

// Bytes is an amount of memory: a number of bytes, or one with the suffix KiB,
// MiB, GiB or TiB.
type Bytes uint64

// UnmarshalText parses an amount of memory.
func (b *Bytes) UnmarshalText(text []byte) error {
	number, shift := string(text), 0
	for i, suffix := range []string{"KiB", "MiB", "GiB", "TiB"} {
		if n, found := strings.CutSuffix(number, suffix); found {
			number, shift = strings.TrimSpace(n), 10*(i+1)
			break
		}
	}
	n, err := strconv.ParseUint(number, 10, 64)
	if err != nil || n<<shift>>shift != n {
		return fmt.Errorf("%q is not accepted: set bytes, as 1073741824 or 1GiB", text)
	}
	*b = Bytes(n << shift)
	return nil
}
