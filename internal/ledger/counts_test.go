// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-gpu/otelcol-gpu/internal/ledger"
)

func TestCountsAfter(t *testing.T) {
	counts := func(n int) ledger.Counts {
		c := ledger.Counts{
			Clamped: time.Duration(n), Trimmed: uint64(n), Overlaps: time.Duration(2 * n),
			Sparse: uint64(3 * n), Rejected: uint64(4 * n), Accounts: 7,
		}
		for reason := range c.Points {
			c.Points[reason] = uint64(n * (10 + reason))
		}
		return c
	}
	require.Equal(t, counts(5), counts(2).After(counts(3)))
}
