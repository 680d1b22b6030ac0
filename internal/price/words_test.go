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

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// day returns the beginning of a day, in UTC.
func day(text string) gpu.Time {
	t, err := time.Parse(time.DateOnly, text)
	if err != nil {
		panic(err)
	}
	return gpu.Time(t.UnixNano())
}

// book returns the book of a file with these entries, each "key: value, …".
func book(t require.TestingT, entries ...string) *Book {
	b, err := Parse(file(entries...))
	require.NoError(t, err)
	return b
}

func file(entries ...string) []byte {
	var text strings.Builder
	text.WriteString("version: test\nprices:\n")
	for _, e := range entries {
		fmt.Fprintf(&text, "  - {%s}\n", e)
	}
	return []byte(text.String())
}

// hourly is an entry for an hour of a GPU, with more keys.
func hourly(amount, more string) string {
	return "valid_from: 2026-01-01, kind: list, amount: " + amount + ", currency: EUR, for: gpu, per: hour" + more
}

// exact returns the price in force as a fraction of nano-units for an hour.
func exact(t *testing.T, b *Book, f Facts, at gpu.Time) *big.Rat {
	t.Helper()
	p, why, _ := b.At(f, at)
	require.Empty(t, why)
	return fraction(p.Rate)
}

func fraction(r Rate) *big.Rat {
	return new(big.Rat).SetFrac(new(big.Int).SetUint64(r.num), new(big.Int).SetUint64(r.den))
}

func rat(text string) *big.Rat {
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		panic(text)
	}
	return r
}

// held returns an account of one device that was held from begin to end, for so
// long idle and for the rest productive.
func held(id gpu.DeviceID, begin, end gpu.Time, idle time.Duration) gpu.Account {
	state := func(s gpu.State, d time.Duration) gpu.StateTime {
		return gpu.StateTime{Condition: gpu.Condition{State: s}, Nanos: d, Start: begin, New: true}
	}
	return gpu.Account{
		Device: gpu.Device{ID: id, Node: "n1", Cluster: "c1", Model: "NVIDIA L40S"},
		Kind:   gpu.HolderAccount, Holder: gpu.Holder{PodUID: "uid"}, Attribution: gpu.ExclusiveAttribution,
		Start: begin, Time: end, New: true,
		States: []gpu.StateTime{state(gpu.Idle, idle), state(gpu.Productive, end.Sub(begin)-idle)},
	}
}

// costOf returns the cost of an account by state and currency.
func costOf(a gpu.Account) map[StateCurrency]gpu.Nanos {
	costs := map[StateCurrency]gpu.Nanos{}
	for _, c := range a.Costs {
		costs[StateCurrency{c.State, c.Currency}] += c.Nanos
	}
	return costs
}
