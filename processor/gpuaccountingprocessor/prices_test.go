// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpuaccountingprocessor

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpupdata"
	"github.com/otelcol-gpu/otelcol-gpu/internal/price"
)

// pricedNode is a node with a price file.
func pricedNode(t tester, file string) *node {
	n := newNode(t)
	n.cfg.Prices, n.cfg.EmitInterval = pricesIn(file), 10*time.Second
	return n
}

// collect sends some collections, ten seconds each, without the wall clock
// moving.
func (n *node) collect(from, to int) {
	n.t.Helper()
	for i := from; i < to; i++ {
		n.consume(tick(float64(10*i), 0.25, 0))
	}
}

// cost returns the newest cost that was told in a currency, over all states.
func (n *node) cost(currency string) (sum float64) {
	for name, streams := range n.out.streams {
		if !strings.HasPrefix(name, "gpu.cost") || !strings.Contains(name, "gpu.currency:"+currency) {
			continue
		}
		for _, s := range streams {
			sum += s.value
		}
	}
	return sum
}

// TestPriceFileChanges: without a restart, at most once in reload_interval. The
// time before costs what it did; a broken file changes nothing and is told once.
func TestPriceFileChanges(t *testing.T) {
	file := pricesFile(t)
	writePrices(t, file, hourly("3600", ""))
	n := pricedNode(t, file)
	n.start()
	n.collect(0, 3)
	require.InDelta(t, 10.0, n.cost("EUR"), 1e-9, "F is a collection behind")

	writePrices(t, file, hourly("7200", ""))
	n.collect(3, 4)
	require.InDelta(t, 20.0, n.cost("EUR"), 1e-9, "it isn't time to look at the file")
	n.clock = n.clock.Add(time.Minute)
	n.collect(4, 5)
	require.InDelta(t, 40.0, n.cost("EUR"), 1e-9)

	require.NoError(t, os.WriteFile(file, []byte("version: x\nprices: [{amount: 1"), 0o600))
	for i := range 3 {
		n.clock = n.clock.Add(time.Minute)
		n.collect(5+i, 6+i)
	}
	require.InDelta(t, 100.0, n.cost("EUR"), 1e-9, "the prices before it stay in force")
	require.Equal(t, []componentstatus.Status{componentstatus.StatusRecoverableError}, n.statuses())
	require.ErrorContains(t, n.status[0].Err(), "prices: "+file+": no YAML")
	require.Equal(t, map[string]int64{"loaded": 2, "failed": 1}, n.own.loads)

	writePrices(t, file, strings.Replace(hourly("1", ""), "EUR", "USD", 1))
	n.clock = n.clock.Add(time.Minute)
	n.collect(8, 9)
	require.Equal(t, componentstatus.StatusOK, n.statuses()[1])
	require.InDelta(t, 100.0, n.cost("EUR"), 1e-9)
	require.InDelta(t, 10.0/3600, n.cost("USD"), 1e-9)
	n.stop()
}

// TestNoPriceFile: the collector starts, says what is missing, and counts the time
// without a price by reason. When the file comes, costs begin.
func TestNoPriceFile(t *testing.T) {
	file := pricesFile(t)
	core, logs := observer.New(zap.WarnLevel)
	n := pricedNode(t, file)
	n.set.Logger = zap.New(core)
	n.start()
	require.Equal(t, []componentstatus.Status{componentstatus.StatusRecoverableError}, n.statuses())
	require.ErrorContains(t, n.status[0].Err(), "prices::file")
	n.collect(0, 4)
	require.Equal(t, map[price.Reason]time.Duration{price.NoFile: 20 * time.Second}, n.own.noPrice)
	require.Empty(t, n.cost("EUR"))

	writePrices(t, file, hourly("3600", ", model: another"))
	n.clock = n.clock.Add(time.Minute)
	n.collect(4, 6)
	require.Equal(t, map[price.Reason]time.Duration{price.NoFile: 20 * time.Second, price.NoEntry: 20 * time.Second}, n.own.noPrice)
	told := logs.FilterMessageSnippet("no price is in force").All()
	require.Len(t, told, 2, "once for each reason and kind of device")
	require.Equal(t, "n1", told[1].ContextMap()["node"])

	writePrices(t, file, hourly("3600", ""))
	n.clock = n.clock.Add(time.Minute)
	n.collect(6, 7)
	require.InDelta(t, 10.0, n.cost("EUR"), 1e-9)
	require.Equal(t, second(40), n.costStart(), "where the first price was in force")
	require.Equal(t, componentstatus.StatusOK, n.statuses()[1])
	n.stop()
}

func (n *node) costStart() gpu.Time {
	first := gpu.Forever
	for name, streams := range n.out.streams {
		for start := range streams {
			if strings.HasPrefix(name, "gpu.cost") {
				first = min(first, start)
			}
		}
	}
	return first
}

// TestCostsSurviveKills at every step of every collection, across a change of the
// price: the sums that arrive never fall, and add up to what they are without a
// kill.
func TestCostsSurviveKills(t *testing.T) {
	file := pricesFile(t)
	writePrices(t, file, hourly("1.74", ""), strings.Replace(hourly("38000.123456789", ""), "2020-01-01", "2023-11-14T22:15:05Z", 1))
	steps := map[string]func(*node){
		"between two batches": func(n *node) { n.dead = true },
		"before it is stored": func(n *node) { n.disk.Before(n.killOn()) },
		"after it was stored": func(n *node) { n.disk.After(n.killOn()) },
		"after it was sent":   func(n *node) { n.out.after = func() error { n.dead = true; return nil } },
		"it isn't accepted":   func(n *node) { n.out.before = func() error { return errors.New("backend is away") } },
	}
	unbroken := pricedNode(t, file)
	unbroken.cfg.EmitInterval = 30 * time.Second
	unbroken.start()
	for i := range collections {
		unbroken.consume(work(i))
	}
	unbroken.stop()
	want := unbroken.cost("EUR") // 105 s at the first price, 115 s at the second
	require.InDelta(t, (105*1.74+115*38000.123456789)/3600, want, 1e-7)
	for name, step := range steps {
		t.Run(name, func(t *testing.T) {
			for at := 1; at < collections; at++ {
				n := pricedNode(t, file)
				n.cfg.EmitInterval = 30 * time.Second
				n.start()
				for i := range collections {
					if i == at {
						step(n)
					}
					if err := n.try(work(i)); err != nil || n.dead {
						n.out.before, n.out.after = nil, nil
						n.start()
						n.consume(work(i))
					}
				}
				n.stop()
				require.InDelta(t, want, n.cost("EUR"), 1e-7, "killed at %d", at)
			}
		})
	}
}

// TestPricesComeAndGo: a checkpoint without costs is resumed, and costs begin
// where it stands; one with costs is resumed without prices.
func TestPricesComeAndGo(t *testing.T) {
	file := pricesFile(t)
	writePrices(t, file, hourly("3600", ""))
	n := newNode(t).start()
	n.collect(0, 4)
	n.cfg.Prices = pricesIn(file)
	n.start()
	n.collect(4, 6)
	require.Equal(t, 40*time.Second, n.out.published()["uid-0"].allocated)
	require.Equal(t, second(30), n.costStart(), "where they were first due")
	require.InDelta(t, 10.0, n.cost("EUR"), 1e-9)

	n.cfg.Prices = createDefaultConfig().(*Config).Prices
	n.start()
	n.collect(6, 8)
	require.Equal(t, 60*time.Second, n.out.published()["uid-0"].allocated)
	require.Equal(t, second(0), n.out.published()["uid-0"].start, "the streams went on")
	require.InDelta(t, 10.0, n.cost("EUR"), 1e-9)
	n.stop()
}

// TestFactsOfANodeSurvive: the first time after a restart has a price before the
// node was told of again.
func TestFactsOfANodeSurvive(t *testing.T) {
	file := pricesFile(t)
	writePrices(t, file, hourly("3600", ", host_type: h, region: r"))
	n := pricedNode(t, file).start()
	for i := range 4 {
		md := gpupdata.Encode(tick(float64(10*i), 0.25, 0))
		for _, rm := range md.ResourceMetrics().All() {
			if _, is := rm.Resource().Attributes().Get("hw.id"); is { // as a resource processor does
				rm.Resource().Attributes().PutStr("host.type", "h")
				rm.Resource().Attributes().PutStr("cloud.region", "r")
			}
		}
		require.NoError(t, n.ConsumeMetrics(t.Context(), md))
	}
	n.start()
	n.collect(4, 6)
	require.InDelta(t, 40.0, n.cost("EUR"), 1e-9)
	n.stop()
}

// TestPricesWhileTheCheckpointFails: one trouble that is over doesn't hide the
// other, and streams that are given up take their costs with them.
func TestPricesWhileTheCheckpointFails(t *testing.T) {
	file := pricesFile(t)
	writePrices(t, file, hourly("3600", ""))
	n := pricedNode(t, file).start()
	n.collect(0, 4)
	require.NoError(t, os.WriteFile(file, []byte("-"), 0o600))
	n.failWrites(errDisk)
	n.clock = n.clock.Add(time.Minute)
	n.collect(4, 6)
	n.disk.Before(nil)
	n.collect(6, 7)
	require.Equal(t, []componentstatus.Status{
		componentstatus.StatusRecoverableError, componentstatus.StatusRecoverableError,
		componentstatus.StatusOK, componentstatus.StatusRecoverableError,
	}, n.statuses())
	require.ErrorContains(t, n.status[3].Err(), "price file")

	require.Equal(t, 1, n.prices.costs.Len())
	n.failWrites(errDisk)
	n.collect(7, 8)
	n.clock = n.clock.Add(2 * giveUpAfter)
	n.disk.Before(full)
	n.collect(8, 9)
	require.Zero(t, n.prices.costs.Len())
	n.disk.Before(nil)
	n.stop()
}

func TestTornPayload(t *testing.T) {
	n := pricedNode(t, "none").start()
	n.collect(0, 4)
	whole := n.snapshot()
	for i := len(withCosts); i < len(whole); i++ {
		_, _, err := split(whole[:i])
		require.Error(t, err, i)
	}
	_, costs, err := split(whole)
	require.NoError(t, err)
	require.Equal(t, 1, costs.Len())
	_, _, err = split(append([]byte(withCosts), 0, 99))
	require.ErrorIs(t, err, price.ErrNewerFormat)
	n.stop()
}

// TestCostsAreForgotten with the accounts that the ledger forgets.
func TestCostsAreForgotten(t *testing.T) {
	file := pricesFile(t)
	writePrices(t, file, hourly("3600", ""))
	n := pricedNode(t, file).start()
	n.out.quiet = true
	for i := range 60 {
		b := tick(float64(10*i), 0.25, 0)
		pod := &b.Allocations[0].Holder
		pod.PodUID += string(rune('a' + i/3))
		b.Allocations[0].Begin = second(float64(10 * (i - i%3)))
		n.consume(b)
	}
	require.LessOrEqual(t, n.prices.costs.Len(), n.ledger.Counts().Accounts)
	require.Less(t, n.prices.costs.Len(), 6)
	n.stop()
}
