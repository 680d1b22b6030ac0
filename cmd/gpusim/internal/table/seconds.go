// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package table

import (
	"cmp"
	"slices"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/counters"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// Seconds prints what became of the time of each holder, in seconds: its states,
// which add up, and how much of it the device was active.
func Seconds(accounts []counters.Account) string {
	shown := []figure{
		allocatedTime,
		{title: "no data", of: in(counters.State(gpu.Unobserved))},
		{title: "starting", of: in(counters.State(gpu.Startup))},
		{title: "stopping", of: in(counters.State(gpu.Terminating))},
		idleTime,
		{title: "unproven", of: in(counters.State(gpu.Unproven))},
		{title: "productive", of: in(counters.State(gpu.Productive))},
		activeTime,
	}
	head := []string{"pod", "device"}
	for _, f := range shown {
		head = append(head, f.title)
	}
	g := grid{texts: 2, rows: [][]string{head}}
	for _, a := range slices.SortedFunc(slices.Values(accounts), func(a, b counters.Account) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Pod, b.Pod), cmp.Compare(a.Device, b.Device))
	}) {
		cells := []string{a.Namespace + "/" + a.Pod, a.Device}
		for _, f := range shown {
			cells = append(cells, plain(f.of(a)))
		}
		g.add(cells...)
	}
	return g.String()
}
