// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpupdata

import (
	"math"
	"math/big"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Seconds are as near as a double can be, however large, and never fall while
// the time grows.
func TestSecondsAreTheNearestDouble(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		d := time.Duration(rapid.OneOf(
			rapid.Int64Range(0, math.MaxInt64-1), rapid.Int64Range(1<<53-9, 1<<53+9), rapid.Int64Range(1e17, 1e17+1e9),
		).Draw(t, "d"))
		v := seconds(d)
		off := new(big.Rat).Sub(new(big.Rat).SetFloat64(v), big.NewRat(int64(d), 1e9))
		// Within a hair of the middle between two doubles either may come out.
		ulp := new(big.Rat).SetFloat64(math.Nextafter(v, math.Inf(1)) - v)
		limit := ulp.Mul(ulp, big.NewRat(500_001, 1_000_000))
		require.LessOrEqual(t, off.Abs(off).Cmp(limit), 0)
		require.GreaterOrEqual(t, seconds(d+1), seconds(d))
	})
}
