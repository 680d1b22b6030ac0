// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

//go:build realdata

package realdata

import (
	"math/big"
	"slices"
	"sort"
)

// What the recording's page says about the ledger, in seconds.
var (
	maxGap   = big.NewRat(180, 1)
	window   = big.NewRat(57, 1)
	gibibyte = big.NewRat(1<<30, 1)
	percent  = big.NewRat(100, 1)
)

// account has the totals of one container or of all, in seconds, under the
// keys that gpusim gives them.
type account map[string]*big.Rat

func (a account) add(key string, seconds *big.Rat) {
	if a[key] == nil {
		a[key] = new(big.Rat)
	}
	a[key].Add(a[key], seconds)
}

// calculate returns the account of each container.
func calculate(f files) map[string]account {
	duty, memory, requests := byContainer(f.duty), byContainer(f.memory), byContainer(f.requests)
	accounts := make(map[string]account)
	for name, samples := range duty {
		accounts[name] = container{samples, memory[name], requests[name]}.account()
	}
	return accounts
}

// total adds up all containers, and what their devices were free until the
// last sample of the recording.
func total(f files, accounts map[string]account) account {
	sum := make(account)
	for _, a := range accounts {
		for key, seconds := range a {
			sum.add(key, seconds)
		}
	}
	for _, samples := range byContainer(f.duty) {
		free := minus(last(f.duty), last(samples))
		sum.add("unallocated", free)
		sum.add("capacity", free)
	}
	sum.add("capacity", sum["allocated"])
	return sum
}

// container has the rows of one container, in order of time.
type container struct{ duty, memory, requests []sample }

func (c container) account() account {
	a := make(account)
	for _, key := range keys {
		a.add(key, new(big.Rat))
	}
	a.add("allocated", minus(last(c.duty), c.duty[0].time))
	rises := c.rises()
	for i := 1; i < len(c.duty); i++ {
		p, q := c.duty[i-1].time, c.duty[i].time
		length := minus(q, p)
		if length.Cmp(maxGap) > 0 {
			a.add("unobserved_activity", length)
			continue
		}
		busy := new(big.Rat).Quo(c.duty[i].value, percent)
		active := new(big.Rat).Mul(length, busy)
		idle := minus(length, active)
		productive := new(big.Rat).Mul(proven(rises, p, q), busy)
		a.add("active", active)
		a.add("idle", idle)
		if c.resident(q) {
			a.add("idle_resident", idle)
		}
		a.add("productive", productive)
		unproven := "unproven_output_flat"
		if len(c.requests) == 0 {
			unproven = "unproven_no_app_metric"
		}
		a.add(unproven, minus(active, productive))
	}
	return a
}

// rises returns the times of the samples at which the output counter is above
// what it was at the sample before. The counter is the sum of 57 × rate over
// all rows up to the sample.
func (c container) rises() []*big.Rat {
	var rises []*big.Rat
	sum, rows := new(big.Rat), c.requests
	for i, d := range c.duty {
		before := new(big.Rat).Set(sum)
		for len(rows) > 0 && rows[0].time.Cmp(d.time) <= 0 {
			sum.Add(sum, new(big.Rat).Mul(window, rows[0].value))
			rows = rows[1:]
		}
		if i > 0 && sum.Cmp(before) > 0 {
			rises = append(rises, d.time)
		}
	}
	return rises
}

// proven returns how much of (p, q] is followed by a rise within the window.
func proven(rises []*big.Rat, p, q *big.Rat) *big.Rat {
	sum, from := new(big.Rat), p
	next := sort.Search(len(rises), func(i int) bool { return rises[i].Cmp(p) > 0 })
	for _, rise := range rises[next:] { // each proves [rise − window, rise)
		if minus(rise, window).Cmp(q) >= 0 {
			break
		}
		begin := later(from, minus(rise, window))
		end := earlier(rise, q)
		if end.Cmp(begin) > 0 {
			sum.Add(sum, minus(end, begin))
			from = end
		}
	}
	return sum
}

// resident says whether the newest memory sample at or before a time is of a
// loaded model, and not too old.
func (c container) resident(at *big.Rat) bool {
	older := sort.Search(len(c.memory), func(i int) bool { return c.memory[i].time.Cmp(at) > 0 })
	if older == 0 {
		return false
	}
	newest := c.memory[older-1]
	return minus(at, newest.time).Cmp(maxGap) <= 0 && newest.value.Cmp(gibibyte) >= 0
}

func byContainer(rows []sample) map[string][]sample {
	groups := make(map[string][]sample)
	for _, row := range rows {
		groups[row.container] = append(groups[row.container], row)
	}
	for _, group := range groups {
		slices.SortStableFunc(group, func(a, b sample) int { return a.time.Cmp(b.time) })
	}
	return groups
}

func last(rows []sample) *big.Rat {
	newest := rows[0].time
	for _, row := range rows {
		newest = later(newest, row.time)
	}
	return newest
}

func minus(a, b *big.Rat) *big.Rat { return new(big.Rat).Sub(a, b) }

func later(a, b *big.Rat) *big.Rat {
	if a.Cmp(b) >= 0 {
		return a
	}
	return b
}

func earlier(a, b *big.Rat) *big.Rat {
	if a.Cmp(b) <= 0 {
		return a
	}
	return b
}
