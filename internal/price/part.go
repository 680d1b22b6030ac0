// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package price

import (
	"math/bits"
	"time"
)

// part returns ⌊d × of/whole⌋, for 0 ≤ of ≤ whole and a d of 0 or more.
func part(d, of, whole time.Duration) time.Duration {
	if whole <= 0 {
		return d
	}
	hi, lo := bits.Mul64(uint64(d), uint64(of))
	quotient, _ := bits.Div64(hi, lo, uint64(whole)) // at most d, since of ≤ whole
	return time.Duration(quotient)
}
