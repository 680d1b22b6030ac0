// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package table

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/counters"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

var update = flag.Bool("update", false, "write the golden files")

// golden compares text with a file of testdata.
func golden(t *testing.T, file, text string) {
	t.Helper()
	file = filepath.Join("testdata", file)
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, string(want), text)
}

func assertFits(t *testing.T, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		assert.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), width, line)
	}
}

func seconds3(s float64) time.Duration { return time.Duration(s*1e3) * time.Millisecond }

func price(t *testing.T, perHour string) Price {
	t.Helper()
	p, err := ParsePrice(perHour, "EUR")
	require.NoError(t, err)
	return p
}

// width is that of a terminal, in characters.
const width = 100

// fleet has every kind of time there is, in amounts that don't round well.
func fleet() []counters.Account {
	idle := func(r gpu.Reason, f gpu.Form, m gpu.Residence) gpu.Condition {
		return gpu.Condition{State: gpu.Idle, Reason: r, Form: f, Residence: m}
	}
	chat := counters.Account{
		Device: "GPU-1", Namespace: "ml", Pod: "container-001122334455", PodUID: "1",
		States: map[gpu.Condition]time.Duration{
			{State: gpu.Unobserved, Reason: gpu.ReasonActivity}:             seconds3(456.001),
			{State: gpu.Unobserved, Reason: gpu.ReasonDevice}:               seconds3(7.5),
			{State: gpu.Terminating}:                                        seconds3(31.7),
			idle(gpu.ReasonStarved, gpu.BetweenWork, gpu.ResidentTrue):      seconds3(101.333),
			idle(gpu.ReasonInference, gpu.BetweenWork, gpu.ResidentTrue):    seconds3(20_000.667),
			idle(gpu.ReasonInference, gpu.BetweenWork, gpu.ResidentUnknown): seconds3(11.111),
			idle(gpu.ReasonInference, gpu.Episode, gpu.ResidentTrue):        seconds3(14_708.334),
			idle(gpu.ReasonProvisioning, gpu.Episode, gpu.ResidentFalse):    seconds3(300.001),
			{State: gpu.Unproven, Reason: gpu.ReasonOutputFlat}:             seconds3(990.272),
			{State: gpu.Unproven, Reason: gpu.ReasonNotScraped}:             seconds3(12),
			{State: gpu.Productive}:                                         seconds3(2020.801),
		},
		Active: seconds3(990.272 + 12 + 2020.801 + 3.2), Productive: seconds3(2020.801),
	}
	train := counters.Account{
		Device: "GPU-2", Namespace: "ml", Pod: "container-ffeeddccbbaa", PodUID: "2",
		States: map[gpu.Condition]time.Duration{
			{State: gpu.Unproven, Reason: gpu.ReasonNoAppMetric}: seconds3(1442.714),
		},
		Active: seconds3(1442.714),
	}
	device := counters.Account{Device: "GPU-2", States: map[gpu.Condition]time.Duration{
		{State: gpu.Unavailable, Reason: gpu.ReasonHealth}:          seconds3(77.7),
		{State: gpu.Unobserved, Reason: gpu.ReasonAllocation}:       seconds3(60.06),
		{State: gpu.Unallocated, Reason: gpu.ReasonFree}:            seconds3(3_900.9),
		{State: gpu.Unallocated, Reason: gpu.ReasonForeignActivity}: seconds3(5),
	}}
	chat.Allocated, train.Allocated = states(chat), states(train)
	return []counters.Account{train, chat, device}
}

func TestWaterfall(t *testing.T) {
	total := counters.Total(fleet())
	assertFits(t, Waterfall(total, price(t, "1.74"))+Notes(total))
	golden(t, "waterfall.txt", Waterfall(total, price(t, "1.74"))+"\n"+Notes(total)+"\n"+ActiveHour(total, price(t, "1.74"))+"\n")
	golden(t, "waterfall-no-price.txt", Waterfall(total, Price{})+"\n"+ActiveHour(total, Price{})+"\n")
}

// Starting is a line of its own: without it, allocated doesn't add up.
func TestWaterfallOfAStart(t *testing.T) {
	a := counters.Account{Pod: "p", States: map[gpu.Condition]time.Duration{
		{State: gpu.Startup, Reason: gpu.ReasonImagePull}: seconds3(30),
		{State: gpu.Startup, Reason: gpu.ReasonModelLoad}: seconds3(70),
		{State: gpu.Productive}:                           seconds3(100),
	}}
	a.Allocated = states(a)
	text := Waterfall(a, Price{})
	for _, line := range []string{
		`(?m)^= Allocated .* 200.000  100.0$`, `(?m)^− Starting .* 100.000   50.0$`,
		`(?m)^    image pull .* 30.000   15.0$`, `(?m)^    model load .* 70.000   35.0$`,
	} {
		assert.Regexp(t, line, text)
	}
	assert.Contains(t, PerContainer([]counters.Account{a}), "starting")
}

func TestWaterfallOfNothing(t *testing.T) {
	total := counters.Total(nil)
	golden(t, "nothing.txt", Waterfall(total, price(t, "1.74"))+"\n"+ActiveHour(total, price(t, "1.74"))+"\n"+
		Largest(nil, 10, price(t, "1.74"))+PerContainer(nil))
	assert.Empty(t, Notes(total))
}

func TestHolders(t *testing.T) {
	golden(t, "largest.txt", Largest(fleet(), 10, price(t, "1.74"))+"\n"+Largest(fleet(), 1, Price{}))
	golden(t, "per-container.txt", PerContainer(fleet()))
}

// Twelve hours of 123 containers fit a terminal.
func TestWidth(t *testing.T) {
	var accounts []counters.Account
	for range 123 {
		a := counters.Account{
			Pod: "container-001122334455", Allocated: seconds3(43_149), Active: seconds3(21_574.5), Productive: seconds3(21_574.5),
			States: map[gpu.Condition]time.Duration{
				{State: gpu.Unobserved, Reason: gpu.ReasonActivity}:                                            seconds3(2_451),
				{State: gpu.Idle, Reason: gpu.ReasonInference, Form: gpu.Episode, Residence: gpu.ResidentTrue}: seconds3(19_123.5),
				{State: gpu.Unproven, Reason: gpu.ReasonOutputFlat}:                                            seconds3(10_000),
				{State: gpu.Unproven, Reason: gpu.ReasonNoAppMetric}:                                           seconds3(10_000),
				{State: gpu.Productive}: seconds3(1_574.5),
			},
		}
		accounts = append(accounts, a)
	}
	total := counters.Total(accounts)
	assertFits(t, Waterfall(total, price(t, "1.74"))+ActiveHour(total, price(t, "1.74"))+"\n"+ActiveHour(total, Price{}))
	assertFits(t, Largest(accounts, 10, price(t, "1.74")))
	assertFits(t, PerContainer(accounts))
}

func TestJSON(t *testing.T) {
	document, err := JSON(fleet())
	require.NoError(t, err)
	golden(t, "figures.json", string(document)+"\n")
}

// At 5 % activity, EUR 1.74 per hour is EUR 34.80 per active hour.
func TestActiveHour(t *testing.T) {
	total := counters.Account{Allocated: 100 * time.Hour, Active: 5 * time.Hour}
	assert.Equal(t, "One active GPU-hour costs EUR 34.80: all allocated time is paid for, 5.0 % of it was active.",
		ActiveHour(total, price(t, "1.74")))
	total.Active = 0
	assert.Equal(t, "No cost per active GPU-hour: nothing was active.", ActiveHour(total, price(t, "1.74")))
}

func TestPriceMovesEveryCost(t *testing.T) {
	total := counters.Account{
		Allocated: 100 * time.Hour, Active: 5 * time.Hour,
		States: map[gpu.Condition]time.Duration{
			{State: gpu.Idle, Reason: gpu.ReasonBatch, Form: gpu.BetweenWork, Residence: gpu.ResidentFalse}: 95 * time.Hour,
			{State: gpu.Productive}: 5 * time.Hour,
		},
	}
	base := "174.00 165.30 8.70" // capacity, idle, active at EUR 1.74
	more := "175.74 166.95 8.79" // 166.953 and 8.787
	for perHour, want := range map[string]string{"1.74": base, "1.7574": more} {
		text := Waterfall(total, price(t, perHour))
		for cost := range strings.FieldsSeq(want) {
			assert.Contains(t, text, cost+"\n", perHour)
		}
	}
	assert.Contains(t, ActiveHour(total, price(t, "100")), "EUR 2,000.00:")
	assert.Contains(t, ActiveHour(total, price(t, "101")), "EUR 2,020.00:", "1 % more")
}

func TestNotesOnTheMeasure(t *testing.T) {
	total := counters.Total(fleet())
	assert.Contains(t, Notes(total), "gpu.active.time is 4,468.987 s, 3.200 s above the line Active: start-up and stopping count, too.")
	total.Active -= seconds3(4.2)
	assert.Contains(t, Notes(total), "1.000 s below the line Active: an error of the collector.")
	assert.Empty(t, Notes(counters.Account{}))
}

func TestAddsUp(t *testing.T) {
	accounts := fleet()
	_, off := AddsUp(accounts)
	assert.Zero(t, off)
	accounts[0].Allocated += time.Microsecond
	accounts[1].Allocated -= time.Millisecond
	holder, off := AddsUp(accounts)
	assert.Equal(t, time.Millisecond, off)
	assert.Equal(t, "container-001122334455", holder)
	assert.Equal(t, states(counters.Total(accounts)), Capacity(accounts))
}
