// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package table

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRound(t *testing.T) {
	hundredths := hours().scale
	assert.EqualValues(t, 0, hundredths.round(17_999*time.Millisecond))
	assert.EqualValues(t, 1, hundredths.round(18*time.Second), "halves up")
	assert.EqualValues(t, 256_204_778, seconds().scale.round(71*time.Hour+10*time.Minute+4*time.Second+778*time.Millisecond))
}

// Whatever is rounded: the parts add up to the whole, each is less than one
// unit off, and what is 0 stays 0.
func TestApportion(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	scales := []scale{
		hours().scale, seconds().scale,
		percent(time.Duration(random.Int64N(int64(9e15)) + 1)).scale,
		price(t, "1.74").cents(), price(t, "0.000000001").cents(), price(t, "1000000").cents(),
	}
	for range 5000 {
		parts := make([]time.Duration, 1+random.IntN(6))
		var whole time.Duration
		for i := range parts {
			if random.IntN(3) > 0 {
				parts[i] = time.Duration(random.Int64N(int64(1) << random.IntN(50)))
			}
			whole += parts[i]
		}
		for _, s := range scales {
			total := s.round(whole)
			units := s.apportion(total, parts)
			for i, u := range units {
				floor, _ := s.units(parts[i])
				require.Contains(t, []int64{floor, floor + 1}, u)
				if parts[i] == 0 {
					require.Zero(t, u)
				}
				total -= u
			}
			require.Zero(t, total)
		}
	}
}

func TestApportionTakesTheLargestRemainders(t *testing.T) {
	ms := func(tenths ...int64) []time.Duration {
		var parts []time.Duration
		for _, n := range tenths {
			parts = append(parts, time.Duration(n)*100*time.Microsecond)
		}
		return parts
	}
	assert.Equal(t, []int64{3, 4, 3}, seconds().scale.apportion(10, ms(33, 34, 33)))
	assert.Equal(t, []int64{1, 0, 0}, seconds().scale.apportion(1, ms(3, 3, 3)), "the first of equals")
	assert.Empty(t, seconds().scale.apportion(1, nil))
}

func TestNumber(t *testing.T) {
	for want, c := range map[string]struct {
		units    int64
		decimals int
	}{
		"0":             {0, 0},
		"0.00":          {0, 2},
		"0.007":         {7, 3},
		"12.345":        {12_345, 3},
		"999":           {999, 0},
		"1,000":         {1000, 0},
		"4,824,366.000": {4_824_366_000, 3},
	} {
		assert.Equal(t, want, number(c.units, c.decimals))
	}
}

func TestBar(t *testing.T) {
	assert.Empty(t, bar(0, 10, 4))
	assert.Empty(t, bar(0, 0, 4))
	assert.Equal(t, "████", bar(10, 10, 4))
	assert.Equal(t, "██", bar(5, 10, 4))
	assert.Equal(t, "▏", bar(1, 1_000_000, 4), "a trace is visible")
	assert.Equal(t, "██▌", bar(5, 8, 4))
}

func TestParsePrice(t *testing.T) {
	p := price(t, "1.74")
	assert.True(t, p.Known())
	assert.EqualValues(t, 17_400, p.cents().round(100*time.Hour))
	assert.False(t, Price{}.Known())
	for _, text := range []string{"0", "-1", "1,74", "1e3", "1/3", "free", "1.", ".5", "0x1", "NaN", "1000001", "1.0000000001"} {
		_, err := ParsePrice(text, "EUR")
		require.ErrorContains(t, err, "as 1.74", text)
	}
	for _, code := range []string{"", "eur", "EURO", "€"} {
		_, err := ParsePrice("1.74", code)
		assert.ErrorContains(t, err, "want a code of three letters", code)
	}
}
