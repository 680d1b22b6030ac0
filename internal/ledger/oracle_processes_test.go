// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger_test

import (
	"math/big"
	"slices"
)

// --- Processes: §4 ---------------------------------------------------------

// weighProcesses finds the weights of the processes of an interval, by pod; ""
// is nobody's.
func (o *oracle) weighProcesses(d *oracleDevice, b *booking, pods []string) {
	b.processes = map[string]int64{}
	if !b.ev.speaks {
		return
	}
	for i, p := range o.all.Processes {
		if p.Device != d.id || p.Time <= b.ev.from || b.ev.to < p.Time || o.outdone(i) {
			continue
		}
		pod := p.Pod
		if !slices.Contains(pods, pod) {
			pod = ""
		}
		b.processes[pod] += millionths(p.Value)
	}
}

// outdone says whether another point of the same process and time counts
// instead of the i-th.
func (o *oracle) outdone(i int) bool {
	p := o.all.Processes[i]
	for j, q := range o.all.Processes {
		if q.Device == p.Device && q.PID == p.PID && q.Time == p.Time &&
			(q.Value > p.Value || q.Value == p.Value && j < i) {
			return true
		}
	}
	return false
}

// millionths returns value · 10⁶, exactly, rounded to the nearest whole number,
// halves up.
func millionths(value float64) int64 {
	exact := new(big.Rat).SetFloat64(value)
	exact.Mul(exact, big.NewRat(1_000_000, 1))
	exact.Add(exact, big.NewRat(1, 2))
	return new(big.Int).Quo(exact.Num(), exact.Denom()).Int64()
}

// processWeights returns the weights of the parties and of foreign processes,
// and whether they tell anything.
func (b *booking) processWeights(parties []party) (weights []int64, tell bool) {
	for _, p := range parties {
		weights = append(weights, b.processes[p.key])
	}
	weights = append(weights, b.processes[""])
	return weights, slices.Max(weights) > 0
}
