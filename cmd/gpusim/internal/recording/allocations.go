// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package recording

import (
	"bytes"
	"maps"
	"slices"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// allocations adds a complete allocation set to every tick: a container
// without a sample at a tick still holds its device if it has a later one.
func (m *mapping) allocations() {
	for _, c := range slices.SortedFunc(maps.Keys(m.lives), compare) {
		l, holder := m.lives[c], m.holder(c)
		for i := m.index(l.first); i <= m.index(l.last); i++ {
			batch := &m.ticks[i].Batch
			batch.Allocations = append(batch.Allocations, gpu.Allocation{
				Device:  c.Device(),
				Node:    Node,
				Cluster: Cluster,
				Holder:  holder,
				Sharing: gpu.Exclusive,
				Share:   1,
				Time:    m.ticks[i].Time,
				Begin:   l.first,
			})
		}
	}
	for i := range m.ticks {
		batch := &m.ticks[i].Batch
		batch.AllocationCounts = []gpu.AllocationCount{count(m.ticks[i].Time, len(batch.Allocations))}
	}
}

func count(t gpu.Time, n int) gpu.AllocationCount {
	return gpu.AllocationCount{Node: Node, Cluster: Cluster, Time: t, Count: n}
}

func compare(a, b Container) int { return bytes.Compare(a[:], b[:]) }
