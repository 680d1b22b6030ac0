// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package feed

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/watch"
	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/world"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// arrival is a set with the time at which it arrives.
type arrival struct{ real, told string }

func arrivals(deliveries []Delivery, until gpu.Time) (sets []arrival) {
	for _, d := range deliveries {
		if d.Real > until {
			break
		}
		for _, c := range d.Batch.AllocationCounts {
			sets = append(sets, arrival{at(d.Real), at(c.Time)})
		}
	}
	return sets
}

// node is an empty node whose collections are those of whole steps of 10 s.
func node(name string, hitches ...world.Hitch) *world.Node {
	return &world.Node{Name: name, Hitches: hitches}
}

func TestHitches(t *testing.T) {
	w := worldOf(5, node("n", world.Hitch{Span: span(0, 1), Late: 2}, world.Hitch{Span: span(2, 4), Twice: true}))
	n := watch.New(w, w.Nodes[0], every(time.Second))
	n.Ticks = nil
	for i := range 6 {
		n.Ticks = append(n.Ticks, watch.Tick{Real: sec(float64(i)), Told: sec(float64(i))})
	}
	assert.Equal(t, []arrival{
		{"0", "0"}, {"2", "2"}, {"3", "1"}, {"3", "3"}, {"4", "3"}, {"4", "4"}, {"5", "4"}, {"5", "5"},
	}, arrivals(all(Node(n, collector)), sec(5)))
}

// What is late at the end of the world still comes before the ending.
func TestHitchAtTheEnd(t *testing.T) {
	w := worldOf(5, node("n", world.Hitch{Span: span(2, 5), Late: 9, Twice: true}))
	got := arrivals(all(Node(watch.New(w, w.Nodes[0], every(10*time.Second)), collector)), sec(20))
	assert.Equal(t, []arrival{{"0", "0"}, {"5", "5"}, {"5", "5"}, {"15", "15"}}, got)
}

func TestMerge(t *testing.T) {
	walk := func(times ...float64) Walk {
		return func() (Delivery, bool) {
			if len(times) == 0 {
				return Delivery{}, false
			}
			first := times[0]
			times = times[1:]
			return Delivery{sec(first), gpu.Batch{AllocationCounts: []gpu.AllocationCount{{Time: sec(first)}}}}, true
		}
	}
	merged := func() Walk { return Merge(walk(0, 3, 7, 8), walk(), walk(0, 1, 9), walk(3)) }
	var times []string
	for _, d := range all(merged()) {
		times = append(times, at(d.Real))
	}
	assert.Equal(t, []string{"0", "0", "1", "3", "3", "7", "8", "9"}, times)

	assert.Equal(t, []arrival{
		{"0", "0"}, {"0", "0"}, {"1", "1"}, {"3", "3"}, {"3", "3"}, {"8", "7"}, {"8", "8"}, {"9", "9"},
	}, arrivals(all(Bundle(merged(), time.Second, 2)), sec(9)))
	assert.Empty(t, all(Bundle(Merge(), 0, 9)))
}

// Bundles keep every point, and don't share room with what they were made of.
func TestBundle(t *testing.T) {
	w := eventful()
	var single, bundled gpu.Batch
	walks := func() Walk {
		s := every(10 * time.Second)
		return Merge(Node(watch.New(w, w.Nodes[0], s), collector), Node(watch.New(w, w.Nodes[1], s), collector))
	}
	for _, d := range all(walks()) {
		single = joined(single, d.Batch)
	}
	bundles := all(Bundle(walks(), 25*time.Second, 99))
	for _, d := range bundles {
		bundled = joined(bundled, d.Batch)
	}
	assert.Equal(t, single, bundled)
	assert.Less(t, len(bundles), 25)
}
