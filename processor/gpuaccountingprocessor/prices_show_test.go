// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpuaccountingprocessor

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/internal/price"
)

// l40s is a GPU of which 5 % of the time is active, for 100 h.
func l40s() site {
	return site{
		begin: time.Date(2026, 9, 17, 0, 0, 0, 0, time.UTC), devices: 1, model: "NVIDIA L40S", step: time.Hour,
		node:   gpu.Node{Name: "n1", Cluster: "c1", HostType: "n2.14d.g1-EU01", Region: "eu01", Zone: "eu01-1", CapacityType: "on_demand", Capacity: 1},
		active: func(int) float64 { return 0.05 },
	}
}

const l40sKeys = ", model: NVIDIA L40S, host_type: n2.14d.g1-EU01, region: eu01, capacity_type: on_demand"

// perActiveHour returns what an active GPU-hour costs, as people read it.
func perActiveHour(cost gpu.Nanos, active float64) string {
	return fmt.Sprintf("%.2f", cost.Units()/(active/3600))
}

// TestShowActiveHour: EUR 1.74 an hour at a duty cycle of 5 % are EUR 34.80 for
// an active hour, 24.36 with a committed discount of 30 %: from the counters that
// the processor sent. The file that is corrected restates the past in the next
// query; what was told then stays.
func TestShowActiveHour(t *testing.T) {
	s, file := l40s(), pricesFile(t)
	writePrices(t, file, hourly("1.74", l40sKeys))
	sent := s.run(t, file, 100)
	active := points(sent, "gpu.active.time")[""]
	require.Equal(t, map[string]float64{"100h": 360_000, "5h": 18_000},
		map[string]float64{"100h": points(sent, "gpu.allocated.time")[""], "5h": active})
	require.InDelta(t, 1.74, points(sent, "gpu.price")[""], 0)
	told := points(sent, "gpu.cost", "gpu.currency")
	require.InDelta(t, 174.00, told["EUR"], 1e-8)

	first := s.restate(t, sent, file)
	require.Equal(t, "34.80", perActiveHour(first.Total("EUR"), active))
	require.InDelta(t, told["EUR"], first.Total("EUR").Units(), 1e-12, "what was told then, at the prices of then")

	writePrices(t, file, hourly("1.74", l40sKeys+", committed_discount: 0.3"))
	corrected := s.restate(t, sent, file)
	require.Equal(t, "24.36", perActiveHour(corrected.Total("EUR"), active))
	require.Equal(t, "121.80", fmt.Sprintf("%.2f", corrected.Total("EUR").Units()))

	again := s.run(t, file, 100)
	require.InDelta(t, 121.80, points(again, "gpu.cost", "gpu.currency")["EUR"], 1e-8, "told with the discount from the start")

	writePrices(t, file, hourly("1.74", ", model: another"))
	require.Equal(t, price.Statement{
		Costs:    map[price.StateCurrency]gpu.Nanos{},
		Unpriced: map[price.Unpriced]time.Duration{{Reason: price.NoEntry, Facts: s.facts()}: 100 * time.Hour},
	}, s.restate(t, sent, file))
}

func (s site) facts() price.Facts {
	return price.Facts{
		Node: s.node.Name, HostType: s.node.HostType, Model: s.model, Zone: s.node.Zone, Region: s.node.Region,
		CapacityType: s.node.CapacityType, GPUs: s.node.Capacity,
	}
}

// TestShowYear: a node with 8 A100 at USD 38,000 a month, active 5 % of the time:
// USD 433,200 of 456,000 a year are idle, by calendar months as by 730 h.
func TestShowYear(t *testing.T) {
	s := site{
		begin: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), devices: 8, model: "NVIDIA A100-SXM4-80GB", step: 12 * time.Hour,
		node:   gpu.Node{Name: "n1", Cluster: "c1", Capacity: 8},
		active: func(int) float64 { return 0.05 },
	}
	const perMonth = "valid_from: 2026-01-01, kind: contract, amount: 38000, currency: USD, for: node, per: month, model: NVIDIA A100-SXM4-80GB, month: "
	file := pricesFile(t)
	writePrices(t, file, perMonth+"calendar")
	sent := s.run(t, file, 365*2)
	told := points(sent, "gpu.cost", "gpu.state", "gpu.currency")
	require.Equal(t, "433200.00", fmt.Sprintf("%.2f", told["idle USD"]))
	require.Equal(t, "22800.00", fmt.Sprintf("%.2f", told["unproven USD"]))
	require.Len(t, told, 2)

	for _, month := range []string{"calendar", "730h"} {
		writePrices(t, file, perMonth+month)
		s := s.restate(t, sent, file)
		require.InDelta(t, 433_200, s.Costs[price.StateCurrency{State: gpu.Idle, Currency: "USD"}].Units(), 1e-6, month)
		require.InDelta(t, 456_000, s.Total("USD").Units(), 1e-6, month)
	}
}

// TestShowPeakWindow: 80 % for 4 minutes and 3 % for 56 minutes of each hour are
// a duty cycle of 8.133 %, not one of 80 %.
func TestShowPeakWindow(t *testing.T) {
	s := l40s()
	s.step, s.active = time.Minute, func(step int) float64 {
		if (step+59)%60 < 4 {
			return 0.8
		}
		return 0.03
	}
	file := pricesFile(t)
	writePrices(t, file, hourly("1.74", l40sKeys))
	sent := s.run(t, file, 10*60)
	active, allocated := points(sent, "gpu.active.time")[""], points(sent, "gpu.allocated.time")[""]
	require.InDelta(t, 36_000, allocated, 0)
	require.Equal(t, "8.133 %", fmt.Sprintf("%.3f %%", 100*active/allocated))
	require.Equal(t, "21.39", perActiveHour(s.restate(t, sent, file).Total("EUR"), active), "1.74 / 0.08133")
}
