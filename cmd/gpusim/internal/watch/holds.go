// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package watch

import (
	"sort"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/world"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// Has reports whether a hold is in the set of a collection.
func Has(h *world.Hold, t Tick) bool { return h.From <= t.Real && t.Real < h.To }

// Dated reports whether the end of a hold is told, with its time. That of a
// pod that was deleted by force, or while nobody watched, isn't.
func (n *Node) Dated(h *world.Hold) bool {
	return n.Settings.Ideal || !h.Unseen && !n.away(world.Kubernetes, h.To)
}

// Tells returns the collection with which the end of a hold is told: the first
// set at or after it. It is len(Ticks) if there is none.
func (n *Node) Tells(h *world.Hold) int {
	first := sort.Search(len(n.Ticks), func(i int) bool { return n.Ticks[i].Real >= h.To })
	for ; first < len(n.Ticks) && !n.HasSet(n.Ticks[first]); first++ {
	}
	return first
}

// Known returns the span of a hold as it is told, by the node's clock: from its
// beginning to its dated end, else to the newest set that has it. It is false of
// a hold that no set has and whose end isn't dated: nobody knows of it.
func (n *Node) Known(h *world.Hold) (world.Span, bool) {
	if n.Dated(h) {
		return world.Span{From: n.Told(h.From), To: n.Told(h.To)}, true
	}
	last := gpu.NoTime
	for _, t := range n.Ticks {
		if n.HasSet(t) && Has(h, t) {
			last = t.Told
		}
	}
	return world.Span{From: n.Told(h.From), To: last}, last != gpu.NoTime
}
