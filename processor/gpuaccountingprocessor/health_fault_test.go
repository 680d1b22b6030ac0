// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

//go:build ledgerfault

package gpuaccountingprocessor

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpupdata"
)

// TestPlantedLedgerFault: a ledger that books a share twice, or counts what
// comes late, is found by what its sends say. `make fault` links such a ledger;
// with a true one this test fails.
func TestPlantedLedgerFault(t *testing.T) {
	w := new(watcher)
	p := start(t, testConfig(), w)
	for i := range 20 {
		consume(t, p, fleet(i))
		consume(t, p, fleet(i/2)) // late
	}
	found := 0
	for _, said := range w.sends {
		if e := said[gpupdata.MetricLedgerError]; e.DoubleValue() > 0 {
			found++
		}
	}
	require.Greater(t, found, 10, "of %d sends with %s > 0", len(w.sends), gpupdata.MetricLedgerError)
}
