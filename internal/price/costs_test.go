// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package price

import (
	"math/big"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

var (
	idleEUR       = StateCurrency{gpu.Idle, "EUR"}
	productiveEUR = StateCurrency{gpu.Productive, "EUR"}
)

// charge charges one account and returns what it costs by then.
func charge(c *Costs, b *Book, a gpu.Account) gpu.Account {
	d := gpu.Derived{Accounts: []gpu.Account{a}}
	c.Charge(b, &d)
	return d.Accounts[0]
}

// TestPriceChangeIsCut: only the time after the instant has the new price, and
// the time of a state is spread evenly over what was charged at once.
func TestPriceChangeIsCut(t *testing.T) {
	b := book(t, hourly("1", ""), strings.Replace(hourly("3", ""), "2026-01-01", "2026-09-17T06:00:00Z", 1))
	begin := day("2026-09-17")
	got := costOf(charge(NewCosts(), b, held("GPU-1", begin, begin.Add(8*time.Hour), 2*time.Hour)))
	require.Equal(t, map[StateCurrency]gpu.Nanos{idleEUR: 1.5e9 + 1.5e9, productiveEUR: 4.5e9 + 4.5e9}, got)
}

// TestCorrectedFileChangesNothingThatWasTold: the cost goes on at the new price.
func TestCorrectedFileChangesNothingThatWasTold(t *testing.T) {
	c, begin := NewCosts(), day("2026-09-17")
	charge(c, book(t, hourly("1", "")), held("GPU-1", begin, begin.Add(time.Hour), 0))
	got := charge(c, book(t, hourly("0.5", "")), held("GPU-1", begin, begin.Add(3*time.Hour), time.Hour))
	require.Equal(t, map[StateCurrency]gpu.Nanos{idleEUR: 0.5e9, productiveEUR: 1e9 + 0.5e9}, costOf(got))
	require.Equal(t, gpu.Nanos(0.5e9), got.Price.PerHour)
}

// TestCurrenciesStandApart: each has a series of its own, from its first time on.
func TestCurrenciesStandApart(t *testing.T) {
	c, begin := NewCosts(), day("2026-09-17")
	charge(c, book(t, hourly("1", "")), held("GPU-1", begin, begin.Add(time.Hour), 0))
	dollars := book(t, strings.Replace(hourly("2", ""), "EUR", "USD", 1))
	got := charge(c, dollars, held("GPU-1", begin, begin.Add(2*time.Hour), 0))
	require.Equal(t, []gpu.StateCost{
		{State: gpu.Productive, Currency: "EUR", Nanos: 1e9, Start: begin, New: true},
		{State: gpu.Productive, Currency: "USD", Nanos: 2e9, Start: begin.Add(time.Hour), New: true},
	}, got.Costs)
}

// TestNoPriceNoCost: time without a price has none later either, and is told.
func TestNoPriceNoCost(t *testing.T) {
	c, begin := NewCosts(), day("2026-09-17")
	d := gpu.Derived{Accounts: []gpu.Account{held("GPU-1", begin, begin.Add(time.Hour), 0)}}
	missing := c.Charge(nil, &d)
	facts := Facts{Node: "n1", Model: "NVIDIA L40S"}
	require.Equal(t, map[Unpriced]time.Duration{{NoFile, facts}: time.Hour}, missing)
	require.Nil(t, d.Accounts[0].Price)
	require.Empty(t, d.Accounts[0].Costs)

	d = gpu.Derived{Accounts: []gpu.Account{held("GPU-1", begin, begin.Add(2*time.Hour), 0)}}
	missing = c.Charge(book(t, strings.Replace(hourly("1", ""), "2026-01-01", "2026-09-17T01:30:00Z", 1)), &d)
	require.Equal(t, map[Unpriced]time.Duration{{NotValidYet, facts}: 30 * time.Minute}, missing)
	require.Equal(t, []gpu.StateCost{
		{State: gpu.Productive, Currency: "EUR", Nanos: 0.5e9, Start: begin.Add(90 * time.Minute), New: true},
	}, d.Accounts[0].Costs)
}

// TestAccountThatIsNoNews begins where it stands if tallies are kept, and at its
// start if all time has one price.
func TestAccountThatIsNoNews(t *testing.T) {
	begin := day("2026-09-17")
	told := func(hours int) gpu.Account {
		a := held("GPU-1", begin, begin.Add(time.Duration(hours)*time.Hour), 0)
		a.New, a.States[0].New, a.States[1].New = false, false, false
		return a
	}
	c, b := NewCosts(), book(t, hourly("1", ""))
	require.Empty(t, charge(c, b, told(5)).Costs)
	require.Equal(t, []gpu.StateCost{
		{State: gpu.Productive, Currency: "EUR", Nanos: 1e9, Start: begin.Add(5 * time.Hour), New: true},
	}, charge(c, b, told(6)).Costs)

	require.Equal(t, []gpu.StateCost{{State: gpu.Productive, Currency: "EUR", Nanos: 5e9, Start: begin}},
		charge(NewCosts(), Fixed(1e9, "EUR"), told(5)).Costs)
}

func TestConfirmedCostIsNoNews(t *testing.T) {
	c, b, begin := NewCosts(), book(t, hourly("1", "")), day("2026-09-17")
	a := charge(c, b, held("GPU-1", begin, begin.Add(time.Hour), 0))
	require.True(t, a.Costs[0].New)
	c.Confirm(gpu.Derived{Accounts: []gpu.Account{a}})
	a = charge(c, b, held("GPU-1", begin, begin.Add(2*time.Hour), time.Hour))
	require.False(t, a.Costs[0].New)
	require.True(t, a.Costs[1].New, "idle time came with this send")
}

func TestKeepForgets(t *testing.T) {
	c, b, begin := NewCosts(), book(t, hourly("1", "")), day("2026-09-17")
	one, two := held("GPU-1", begin, begin.Add(time.Hour), 0), held("GPU-2", begin, begin.Add(time.Hour), 0)
	charge(c, b, one)
	charge(c, b, two)
	c.Keep(gpu.Derived{Accounts: []gpu.Account{two, held("GPU-3", begin, begin.Add(1), 0)}})
	require.Equal(t, 1, c.Len())
	again := held("GPU-1", begin.Add(time.Hour), begin.Add(2*time.Hour), 0)
	require.Equal(t, gpu.Nanos(1e9), charge(c, b, again).Costs[0].Nanos, "a later account begins at 0")
}

// TestNodesGiveFacts: what a later account of a node leaves out stays.
func TestNodesGiveFacts(t *testing.T) {
	c := NewCosts()
	c.Learn([]gpu.Node{{Name: "n1", Cluster: "c1", HostType: "h", Region: "r", Capacity: 8}})
	c.Learn([]gpu.Node{{Name: "n1", Cluster: "c1", Zone: "z", CapacityType: "spot"}})
	c.Learn([]gpu.Node{{Name: "n2", Region: "elsewhere"}, {Name: "n3", Ended: true}})
	want := Facts{Node: "n1", HostType: "h", Model: "m", Zone: "z", Region: "r", CapacityType: "spot", GPUs: 8}
	require.Equal(t, want, c.Facts(gpu.Device{Node: "n1", Cluster: "c1", Model: "m"}))
	require.Equal(t, "elsewhere", c.Facts(gpu.Device{Node: "n2", Cluster: "c1"}).Region, "told without its cluster")
	c.Learn([]gpu.Node{{Name: "n1", Cluster: "c1", Ended: true}})
	require.Equal(t, want, c.Facts(gpu.Device{Node: "n1", Cluster: "c1", Model: "m"}), "its last time is still to be charged")
}

func TestNodesAreBounded(t *testing.T) {
	c := NewCosts()
	for i := range maxNodes {
		c.Learn([]gpu.Node{{Name: strconv.Itoa(i), Region: "r"}})
	}
	c.Learn([]gpu.Node{{Name: "one more", Region: "r"}})
	require.Empty(t, c.Facts(gpu.Device{Node: "one more"}).Region)
	c.Learn([]gpu.Node{{Name: "7", Ended: true}, {Name: "one more", Region: "r"}})
	require.Equal(t, "r", c.Facts(gpu.Device{Node: "one more"}).Region)
	require.Len(t, c.nodes, maxNodes)
}

// life is a drawn history of one account: steps of time, of which a part is idle.
type life struct {
	device gpu.DeviceID
	begin  gpu.Time
	steps  []lifeStep
}

type lifeStep struct{ span, idle time.Duration }

func drawLife(t *rapid.T) life {
	l := life{device: "GPU-1", begin: day("2026-01-15") + gpu.Time(rapid.Int64Range(0, 1e16).Draw(t, "begin"))}
	for range rapid.IntRange(1, 8).Draw(t, "steps") {
		span := rapid.Int64Range(1, int64(60*24*time.Hour)).Draw(t, "span")
		l.steps = append(l.steps, lifeStep{time.Duration(span), time.Duration(rapid.Int64Range(0, span).Draw(t, "idle"))})
	}
	return l
}

// upTo returns the account after n steps.
func (l life) upTo(n int) gpu.Account {
	end, idle := l.begin, time.Duration(0)
	for _, s := range l.steps[:n] {
		end, idle = end.Add(s.span), idle+s.idle
	}
	a := held(l.device, l.begin, end, idle)
	a.New = n == 1
	return a
}

// TestCostsAgainstOracle: prices that change at dates and with each month, with
// saves and restores in between. The oracle adds up fractions of any size.
func TestCostsAgainstOracle(t *testing.T) {
	b := book(t,
		"valid_from: 2026-01-20, kind: list, amount: 38000, currency: EUR, for: node, gpus: 7, per: month, month: calendar",
		"valid_from: 2026-03-03T03:03:03.000000003Z, kind: contract, amount: 1.74, currency: EUR, for: gpu, per: hour, committed_discount: 0.3333",
		"valid_from: 2026-08-01, kind: list, amount: 9, currency: USD, for: gpu, per: month, month: 730h",
	)
	rapid.Check(t, func(t *rapid.T) {
		l, c := drawLife(t), NewCosts()
		want, told := map[StateCurrency]*big.Rat{}, map[StateCurrency]gpu.Nanos{}
		at := l.begin
		for i, step := range l.steps {
			got := charge(c, b, l.upTo(i+1))
			oracle(b, at, step, want)
			at = at.Add(step.span)
			for key, nanos := range costOf(got) {
				require.GreaterOrEqual(t, nanos, told[key], "it never falls")
				told[key] = nanos
			}
			if rapid.Bool().Draw(t, "restart") {
				restored, err := RestoreCosts(c.Save())
				require.NoError(t, err)
				require.Equal(t, c.Save(), restored.Save())
				c = restored
			}
		}
		for key, sum := range want {
			least := new(big.Rat).Sub(sum, big.NewRat(30, 1)) // a nano-unit for each price that was in force, and cut
			require.LessOrEqual(t, new(big.Rat).SetInt64(int64(told[key])).Cmp(sum), 0, "%v: %d, want %s", key, told[key], sum.FloatString(3))
			require.Positive(t, new(big.Rat).SetInt64(int64(told[key])).Cmp(least), "%v: %d, want %s", key, told[key], sum.FloatString(3))
		}
	})
}

// oracle adds what a step costs: hour by month, entry by entry, in fractions.
func oracle(b *Book, from gpu.Time, s lifeStep, to map[StateCurrency]*big.Rat) {
	end := from.Add(s.span)
	for at := from; at < end; {
		p, why, until := b.At(Facts{}, at)
		until = min(until, end)
		for state, d := range map[gpu.State]time.Duration{gpu.Idle: s.idle, gpu.Productive: s.span - s.idle} {
			if why != "" {
				continue
			}
			key := StateCurrency{state, p.Currency}
			if to[key] == nil {
				to[key] = new(big.Rat)
			}
			amount := big.NewRat(int64(d), int64(time.Hour))
			amount.Mul(amount, big.NewRat(int64(until.Sub(at)), int64(s.span)))
			to[key].Add(to[key], amount.Mul(amount, fraction(p.Rate)))
		}
		at = until
	}
}

// TestNoCutChangesASum: at one price, it doesn't matter how often is charged.
func TestNoCutChangesASum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, c := drawLife(t), NewCosts()
		b := book(t, "valid_from: 2026-01-01, kind: list, amount: "+strconv.Itoa(rapid.IntRange(1, 1e6).Draw(t, "amount"))+
			".123456789, currency: EUR, for: node, gpus: 7, per: month, month: 730h, committed_discount: 0.3333")
		var often gpu.Account
		for i := range l.steps {
			often = charge(c, b, l.upTo(i+1))
		}
		whole := l.upTo(len(l.steps))
		whole.New = true
		require.Equal(t, costOf(charge(NewCosts(), b, whole)), costOf(often))
	})
}
