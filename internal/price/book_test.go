// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package price

import (
	"fmt"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// TestExactPrices: what an hour of a GPU costs, as a fraction.
func TestExactPrices(t *testing.T) {
	const month = "valid_from: 2026-01-01, kind: contract, amount: 38000, currency: USD, per: month, "
	eight := Facts{GPUs: 8}
	tests := map[string]struct {
		entry string
		at    string
		want  string // nano-units
	}{
		"hour":                      {hourly("1.74", ""), "2026-09-17", "1740000000"},
		"as small as can be":        {hourly("0.000000001", ""), "2026-09-17", "1"},
		"discount":                  {hourly("1.74", ", committed_discount: 0.3"), "2026-09-17", "1218000000"},
		"node":                      {strings.Replace(hourly("10", ""), "for: gpu", "for: node", 1), "2026-09-17", "1250000000"},
		"node with its own number":  {strings.Replace(hourly("10", ", gpus: 3"), "for: gpu", "for: node", 1), "2026-09-17", "10000000000/3"},
		"calendar month of 28 days": {month + "for: node, month: calendar", "2026-02-28", "38000000000000/5376"},
		"calendar month of 31 days": {month + "for: node, month: calendar", "2026-03-01", "38000000000000/5952"},
		"month of 730 h":            {month + "for: node, month: 730h", "2026-03-01", "38000000000000/5840"},
		"VAT taken out":             {hourly("2.0706", ", vat: included, vat_rate: 0.19"), "2026-09-17", "1740000000"},
		"VAT that isn't taken out":  {hourly("1", ", vat: excluded, vat_rate: 0.19"), "2026-09-17", "1000000000"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := exact(t, book(t, tt.entry), eight, day(tt.at))
			require.Zero(t, got.Cmp(rat(tt.want)), "%s, want %s", got, tt.want)
		})
	}
}

func TestCostsWithVAT(t *testing.T) {
	b, err := Parse([]byte("version: v\nvat: included\nprices:\n" +
		"  - {" + hourly("1", ", vat: excluded, vat_rate: 0.19, model: a") + "}\n" +
		"  - {" + hourly("1", ", model: b") + "}\n"))
	require.NoError(t, err)
	require.Zero(t, exact(t, b, Facts{Model: "a"}, day("2026-09-17")).Cmp(rat("1190000000")))
	require.Zero(t, exact(t, b, Facts{Model: "b"}, day("2026-09-17")).Cmp(rat("1000000000")), "as the file")
}

func TestWhatIsPublished(t *testing.T) {
	b := book(t, hourly("38000.5", ", model: x"))
	p, why, until := b.At(Facts{Model: "x"}, day("2026-09-17"))
	require.Empty(t, why)
	require.Equal(t, gpu.Forever, until)
	require.Equal(t, gpu.Price{
		PerHour: 38_000_500_000_000, Currency: "EUR", Version: b.Version(), Source: "file", Kind: "list",
	}, p.Price)
	require.Regexp(t, "^test-[0-9a-f]{8}$", b.Version())
	require.NotEqual(t, b.Version(), book(t, hourly("38000.6", ", model: x")).Version(), "also if nobody changes version")
}

func TestWhyThereIsNoPrice(t *testing.T) {
	at := day("2026-09-17")
	var none *Book
	_, why, until := none.At(Facts{}, at)
	require.Equal(t, NoFile, why)
	require.Equal(t, gpu.Forever, until)

	b := book(t, hourly("1", ", model: x, zone: z"), "valid_from: 2027-01-01, kind: list, amount: 1, currency: EUR, for: gpu, per: hour, model: later",
		strings.Replace(hourly("1", ", model: node"), "for: gpu", "for: node", 1))
	for _, f := range []Facts{{}, {Model: "y", Zone: "z"}, {Model: "x"}, {Model: "X", Zone: "z"}} {
		_, why, _ = b.At(f, at)
		require.Equal(t, NoEntry, why, f)
	}
	_, why, until = b.At(Facts{Model: "later"}, at)
	require.Equal(t, NotValidYet, why)
	require.Equal(t, day("2027-01-01"), until)
	for _, n := range []int{0, maxGPUs + 1} {
		_, why, _ = b.At(Facts{Model: "node", GPUs: n}, at)
		require.Equal(t, NoGPUCount, why)
	}
}

// TestUntil: the instant at which a price changes belongs to the new price.
func TestUntil(t *testing.T) {
	b := book(t, hourly("1", ""), strings.Replace(hourly("2", ""), "2026-01-01", "2026-09-17", 1))
	at := day("2026-09-17")
	p, _, until := b.At(Facts{}, at-1)
	require.Equal(t, gpu.Nanos(1e9), p.PerHour)
	require.Equal(t, at, until)
	p, _, until = b.At(Facts{}, at)
	require.Equal(t, gpu.Nanos(2e9), p.PerHour)
	require.Equal(t, gpu.Forever, until)

	backwards := book(t, strings.Replace(hourly("2", ""), "2026-01-01", "2026-09-17", 1), hourly("1", ""))
	p, _, _ = backwards.At(Facts{}, at)
	require.Equal(t, gpu.Nanos(2e9), p.PerHour, "whatever the order in the file")

	monthly := book(t, "valid_from: 2026-01-01, kind: list, amount: 1, currency: EUR, for: gpu, per: month, month: calendar")
	_, _, until = monthly.At(Facts{}, day("2026-12-31"))
	require.Equal(t, day("2027-01-01"), until)
}

// TestMostSpecificWins against an oracle: among the entries that are about the
// device and valid, one names all that each other names, or alone names its node;
// of the same keys it is the latest. Files for which that isn't so at some instant are refused.
func TestMostSpecificWins(t *testing.T) {
	refused, accepted := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		var entries []string
		for i := range rapid.IntRange(1, 6).Draw(t, "entries") {
			e := []string{fmt.Sprintf("valid_from: 2026-0%d-01, kind: list, amount: %d, currency: EUR, for: gpu, per: hour",
				rapid.IntRange(1, 3).Draw(t, "from"), i+1)}
			for _, key := range matchNames[:4] {
				if v := rapid.SampledFrom([]string{"", "", "a", "b"}).Draw(t, key); v != "" {
					e = append(e, key+": "+v)
				}
			}
			entries = append(entries, strings.Join(e, ", "))
		}
		b, err := Parse(file(entries...))
		if err != nil {
			refused++
			return
		}
		accepted++
		word := rapid.SampledFrom([]string{"", "a", "b"})
		f := Facts{Node: word.Draw(t, "node"), HostType: word.Draw(t, "host"), Model: word.Draw(t, "model"), Zone: word.Draw(t, "zone")}
		at := day(fmt.Sprintf("2026-0%d-01", rapid.IntRange(1, 4).Draw(t, "at"))) - 1
		requireBest(t, b, f, at)
	})
	require.Positive(t, refused)
	require.Positive(t, accepted)
}

func requireBest(t *rapid.T, b *Book, f Facts, at gpu.Time) {
	var about []entry
	facts := f.values()
	for _, e := range b.entries {
		if e.about(&facts) && e.from <= at {
			about = append(about, e)
		}
	}
	p, why, _ := b.At(f, at)
	if len(about) == 0 {
		require.NotEmpty(t, why)
		return
	}
	require.Empty(t, why)
	for _, best := range about {
		if best.net.Cmp(new(big.Rat).SetInt64(int64(p.PerHour))) != 0 {
			continue
		}
		for _, o := range about {
			require.True(t, best.match.canMeet(&o.match))
			if best.match[byNode] != "" && o.match[byNode] == "" {
				continue
			}
			require.Equal(t, best.match, best.match.meets(o.match), "it names all that the other does")
			require.False(t, o.match == best.match && o.from > best.from)
		}
		return
	}
	t.Fatal("a price of no entry")
}

func TestFixed(t *testing.T) {
	p, why, until := Fixed(1_740_000_000, "EUR").At(Facts{}, 1)
	require.Empty(t, why)
	require.Equal(t, gpu.Forever, until)
	require.Equal(t, gpu.Price{PerHour: 1_740_000_000, Currency: "EUR", Source: "config"}, p.Price)
	require.Equal(t, gpu.Nanos(1_740_000_000), p.Rate.Cost(time.Hour))
}
