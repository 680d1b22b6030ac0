// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package truth

import (
	"slices"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/watch"
	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/world"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// use weighs the processes of an interval.
type use struct {
	by      map[*world.Pod]int64
	foreign int64
}

// useOf returns the weights of processes, nil if there are none. Those of pods
// that don't hold the device in the interval are foreign.
func useOf(processes []watch.Process, pieces []piece) *use {
	if len(processes) == 0 {
		return nil
	}
	u := &use{by: map[*world.Pod]int64{}}
	for _, p := range processes {
		weight := (mulFloat(p.Value, 2*millionths) + 1) / 2 // exactly, halves up
		if slices.ContainsFunc(pieces, func(o piece) bool {
			return slices.ContainsFunc(o.holds, func(h *hold) bool { return h.pod.Pod == p.Pod })
		}) {
			u.by[p.Pod] += weight
		} else {
			u.foreign += weight
		}
	}
	return u
}

func (u *use) tells(holds []*hold) bool {
	return u != nil && (u.foreign > 0 ||
		slices.ContainsFunc(holds, func(h *hold) bool { return u.by[h.pod.Pod] > 0 }))
}

// division says how a piece is divided between its holders.
type division struct {
	slots, active []int64 // weights of the holders
	free, foreign int64   // and of nobody
	by            gpu.Attribution
}

func divide(holds []*hold, u *use) (v division) {
	of, sum, shared, started := int64(1), int64(0), false, false
	for _, h := range holds {
		of = max(of, h.share.of)
		shared = shared || h.share.shared
		started = started || !h.start.starting(h.before)
	}
	for _, h := range holds {
		v.slots = append(v.slots, h.share.in(of))
		sum += h.share.in(of)
		weight := int64(1)
		if shared && started && h.start.starting(h.before) {
			weight = 0
		}
		v.active = append(v.active, weight)
	}
	v.free = max(of-sum, 0)
	if shared && u.tells(holds) {
		for i, h := range holds {
			v.active[i] = u.by[h.pod.Pod]
		}
		v.foreign, v.by = u.foreign, gpu.ProcessAttribution
	}
	return v
}

// parts are the amounts of each holder, and at last what is nobody's.
func (v division) parts(a amounts) []amounts {
	unseen := shares(a.unseen, v.slots, v.free)
	idle := shares(a.idle, v.slots, v.free)
	active := shares(a.active, v.active, v.foreign)
	parts := make([]amounts, len(unseen))
	for i := range parts {
		parts[i] = amounts{unseen[i], idle[i], active[i]}
	}
	return parts
}
