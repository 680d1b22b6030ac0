// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package price

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// TestRestate: a corrected file restates the past, in the next query.
func TestRestate(t *testing.T) {
	begin := day("2026-09-17")
	var history []gpu.Account
	for h := 1; h <= 100; h++ {
		a := held("GPU-1", begin, begin.Add(time.Duration(h)*time.Hour), time.Duration(h)*57*time.Minute)
		a.New = h == 1
		history = append(history, a)
	}
	s := Restate(book(t, hourly("1.74", "")), nil, history)
	require.Equal(t, map[StateCurrency]gpu.Nanos{idleEUR: 165.3e9, productiveEUR: 8.7e9}, s.Costs)
	require.Equal(t, gpu.Nanos(174e9), s.Total("EUR"))
	require.Zero(t, s.Total("USD"))
	require.Equal(t, []string{"EUR"}, s.Currencies())
	require.Empty(t, s.Unpriced)
	require.Equal(t, gpu.Nanos(121.8e9), Restate(book(t, hourly("1.74", ", committed_discount: 0.3")), nil, history).Total("EUR"))

	s = Restate(book(t, hourly("1.74", ", region: r")), nil, history)
	require.Empty(t, s.Costs)
	require.Equal(t, map[Unpriced]time.Duration{{NoEntry, Facts{Node: "n1", Model: "NVIDIA L40S"}}: 100 * time.Hour}, s.Unpriced)
	s = Restate(book(t, hourly("1.74", ", region: r")), []gpu.Node{{Name: "n1", Cluster: "c1", Region: "r"}}, history)
	require.Equal(t, gpu.Nanos(174e9), s.Total("EUR"))

	window := history[49:] // of which the first 50 h aren't there
	require.Equal(t, gpu.Nanos(87e9), Restate(book(t, hourly("1.74", "")), nil, window).Total("EUR"))
}

// TestRestateAtTheSameBook is what was told, to the nano-unit.
func TestRestateAtTheSameBook(t *testing.T) {
	b := book(t, hourly("1.74", ""),
		"valid_from: 2026-02-01, kind: list, amount: 38000, currency: USD, for: node, gpus: 8, per: month, month: calendar")
	rapid.Check(t, func(t *rapid.T) {
		c, told := NewCosts(), map[StateCurrency]gpu.Nanos{}
		var history []gpu.Account
		for device := range rapid.IntRange(1, 3).Draw(t, "devices") {
			l := drawLife(t)
			l.device = gpu.DeviceID(fmt.Sprint("GPU-", device))
			last := gpu.Account{}
			for i := range l.steps {
				last = charge(c, b, l.upTo(i+1))
				history = append(history, l.upTo(i+1))
			}
			for key, nanos := range costOf(last) {
				told[key] += nanos
			}
		}
		require.Equal(t, told, Restate(b, nil, history).Costs)
	})
}
