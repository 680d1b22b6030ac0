// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/internal/ledger"
)

// TestPropSaved: a ledger that is saved and restored between any two batches
// publishes what it would have published, and saves what it would have saved.
func TestPropSaved(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawScenario(t)
		l, twin := ledger.New(s.cfg), ledger.New(s.cfg)
		for _, b := range batches(s.events, 5) {
			l.Observe(b)
			twin.Observe(b)
			saved := l.Save()
			var err error
			l, err = ledger.Restore(s.cfg, saved)
			require.NoError(t, err)
			require.True(t, bytes.Equal(saved, l.Save()), "saved again")
			require.True(t, bytes.Equal(twin.Save(), saved), "of the twin")
			due, _ := l.Due()
			twinDue, _ := twin.Due()
			require.Equal(t, twinDue, due)
			if rapid.Bool().Draw(t, "accepted") {
				l.Confirm(due)
				twin.Confirm(twinDue)
			}
		}
		l.Finish()
		twin.Finish()
		require.Equal(t, twin.Snapshot(), l.Snapshot())
		require.Equal(t, twin.Counts(), l.Counts())
	})
}

func TestRestoreRefuses(t *testing.T) {
	l := ledger.New(ledger.DefaultConfig())
	l.Observe(gpu.Batch{Samples: []gpu.Sample{{Device: gpu.Device{ID: "gpu0", Node: "n1"}, Time: sec(0)}}})
	saved := l.Save()

	other := ledger.DefaultConfig()
	other.Workloads = true
	_, err := ledger.Restore(other, saved)
	require.ErrorIs(t, err, ledger.ErrOtherSettings)
	for n := range saved {
		_, err := ledger.Restore(ledger.DefaultConfig(), saved[:n])
		require.ErrorIs(t, err, ledger.ErrCorrupt, "of %d bytes", n)
	}
	_, err = ledger.Restore(ledger.DefaultConfig(), append(saved, 0))
	require.ErrorIs(t, err, ledger.ErrCorrupt)
}
