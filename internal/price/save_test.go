// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package price

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

func savedCosts(t require.TestingT) []byte {
	c, begin := NewCosts(), day("2026-09-17")
	c.Learn([]gpu.Node{{Name: "n1", Cluster: "c1", HostType: "h", Region: "r", Zone: "z", CapacityType: "spot", Capacity: 8, Ended: true}})
	for _, id := range []gpu.DeviceID{"GPU-1", "GPU-2"} {
		charge(c, book(t, hourly("1.74", "")), held(id, begin, begin.Add(time.Hour), time.Minute))
	}
	return c.Save()
}

// TestSavedCostsGoOn: what was published stays so, and what wasn't.
func TestSavedCostsGoOn(t *testing.T) {
	c, b, begin := NewCosts(), book(t, hourly("1", "")), day("2026-09-17")
	first := charge(c, b, held("GPU-1", begin, begin.Add(time.Hour), 0))
	for _, published := range []bool{false, true} {
		if published {
			c.Confirm(gpu.Derived{Accounts: []gpu.Account{first}})
		}
		restored, err := RestoreCosts(c.Save())
		require.NoError(t, err)
		require.Equal(t, c.Save(), restored.Save())
		again := charge(restored, b, held("GPU-1", begin, begin.Add(2*time.Hour), 0))
		require.Equal(t, []gpu.StateCost{
			{State: gpu.Productive, Currency: "EUR", Nanos: 2e9, Start: begin, New: !published},
		}, again.Costs)
	}
}

func TestSavedCostsAreChecked(t *testing.T) {
	saved := savedCosts(t)
	for n := range saved {
		_, err := RestoreCosts(saved[:n])
		require.ErrorIs(t, err, ErrCorrupt, "cut to %d bytes", n)
	}
	_, err := RestoreCosts(append(saved, 0))
	require.ErrorIs(t, err, ErrCorrupt)
	_, err = RestoreCosts([]byte{saveFormat + 1})
	require.ErrorIs(t, err, ErrNewerFormat)
}

// FuzzRestoreCosts: whatever was stored, costs are restored or refused, and what
// is restored can be saved.
func FuzzRestoreCosts(f *testing.F) {
	f.Add(savedCosts(f))
	f.Add([]byte{saveFormat, 0, 0})
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := RestoreCosts(data)
		if err != nil {
			return
		}
		again, err := RestoreCosts(c.Save())
		if err != nil || string(again.Save()) != string(c.Save()) {
			t.Fatalf("%v: %x, %x", err, c.Save(), data)
		}
	})
}
