// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"maps"
	"slices"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// Consumer is a pod that has a device, or a share of it.
type Consumer struct {
	Pod      string
	Share    string
	Consumed map[string]float64
}

// Part is what a pod has of a device that several can have: parts by number
// or, if Share is above 0, by capacity.
type Part struct {
	Slots gpu.Slots
	Share float64
}

// Divide returns each pod's part of a device with these capacities. If every
// share has some of one capacity, that is the measure; else all pods have equal
// parts. The parts never add up to more than the device.
func Divide(capacity map[string]float64, all []Consumer) map[string]Part {
	pods := map[string]bool{}
	on := map[string]map[string]bool{} // the pods of each share
	for _, c := range all {
		pods[c.Pod] = true
		if on[c.Share] == nil {
			on[c.Share] = map[string]bool{}
		}
		on[c.Share][c.Pod] = true
	}
	parts := make(map[string]Part, len(pods))
	name, measured := measure(capacity, all)
	if !measured {
		for pod := range pods {
			parts[pod] = Part{Slots: gpu.Slots{N: 1, Of: int64(len(pods))}}
		}
		return parts
	}
	whole := capacity[name]
	taken, counted := 0.0, map[string]bool{}
	for _, c := range all {
		if !counted[c.Share] {
			counted[c.Share] = true
			taken += c.Consumed[name]
		}
	}
	whole = max(whole, taken)
	had := map[[2]string]bool{}
	for _, c := range all {
		if key := [2]string{c.Pod, c.Share}; !had[key] {
			had[key] = true
			parts[c.Pod] = Part{Share: parts[c.Pod].Share + c.Consumed[name]/whole/float64(len(on[c.Share]))}
		}
	}
	return parts
}

// measure returns the capacity of which every share has some, the one that says
// most of the device's time first.
func measure(capacity map[string]float64, all []Consumer) (name string, ok bool) {
	names := slices.Sorted(maps.Keys(capacity))
	for _, name := range append([]string{"shares", "memory"}, names...) {
		if capacity[name] > 0 && !slices.ContainsFunc(all, func(c Consumer) bool { return c.Consumed[name] <= 0 }) {
			return name, true
		}
	}
	return "", false
}
