// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger_test

import (
	"cmp"
	"flag"
	"fmt"
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// minimize is for those who look for the cause of a difference:
// go test ./internal/ledger -run Prop -rapid.shrinktime=0s -minimize.
var minimize = flag.Bool("minimize", false, "leave out of a failing scenario all points that don't matter")

// minimal returns the arrivals without all those that they fail without.
func minimal(arrivals []arrival, fails func([]arrival) bool) []arrival {
	for n := len(arrivals) / 2; n > 0; n /= 2 {
		for i := 0; i < len(arrivals); {
			without := whole(slices.Delete(slices.Clone(arrivals), i, min(i+n, len(arrivals))))
			if fails(without) {
				arrivals = without
			} else {
				i++
			}
		}
	}
	return arrivals
}

func (s scenario) minimal(fails func(scenario) bool) scenario {
	s.events = points(minimal(flat([]delivery{{0, s.events}}), func(left []arrival) bool {
		return fails(scenario{s.cfg, points(left)})
	}))
	return s
}

func points(arrivals []arrival) []point {
	var out []point
	for _, a := range arrivals {
		out = append(out, a.point)
	}
	return out
}

// whole returns the arrivals without halves of pairs that lack the other one
// and labels that lack a sample.
func whole(arrivals []arrival) []arrival {
	samples := map[string]int{}
	for _, a := range arrivals {
		for _, g := range a.Samples {
			samples[fmt.Sprint(g.Device.ID, g.Time)] |= 4
		}
		for _, c := range a.Counters {
			samples[fmt.Sprint(c.Device.ID, c.Time)] |= 1 << c.Part
		}
	}
	return slices.DeleteFunc(arrivals, func(a arrival) bool {
		for _, c := range a.Counters {
			return samples[fmt.Sprint(c.Device.ID, c.Time)]&3 != 3
		}
		for _, l := range a.DeviceAllocations {
			of := samples[fmt.Sprint(l.Device.ID, l.Time)]
			return of&4 == 0 && of&3 != 3
		}
		return false
	})
}

// delivery is a batch of points, and when it is delivered.
type delivery struct {
	nr     int
	events []point
}

// arrival is a point of a delivery.
type arrival struct {
	nr int
	point
}

func flat(deliveries []delivery) []arrival {
	var out []arrival
	for _, d := range deliveries {
		for _, e := range d.events {
			out = append(out, arrival{d.nr, e})
		}
	}
	return out
}

// drawArrivals groups events into deliveries of any length.
func drawArrivals(t *rapid.T, events []point) []arrival {
	g := &generator{t: t}
	var out []arrival
	for nr := 0; len(events) > 0; nr++ {
		n := min(1+g.intn(pick(g, 1, 8, 32)), len(events))
		out = append(out, flat([]delivery{{nr, events[:n]}})...)
		events = events[n:]
	}
	return out
}

// arrive returns what a ledger says after the arrivals.
func (s scenario) arrive(arrivals []arrival, finish bool) gpu.Derived {
	return s.observe(inDeliveries(arrivals), finish)
}

func inDeliveries(arrivals []arrival) []gpu.Batch {
	var bs []gpu.Batch
	for len(arrivals) > 0 {
		nr, events := arrivals[0].nr, []point(nil)
		for len(arrivals) > 0 && arrivals[0].nr == nr {
			events = append(events, arrivals[0].point)
			arrivals = arrivals[1:]
		}
		bs = append(bs, merge(events))
	}
	return bs
}

// listed returns arrivals in words.
func listed(arrivals []arrival) string {
	var b strings.Builder
	for _, a := range arrivals {
		fmt.Fprintf(&b, "batch %d: %s", a.nr, scenario{events: []point{a.point}})
	}
	return b.String()
}

// inOrder returns the different points, by time, one a delivery.
func inOrder(arrivals []arrival) []arrival {
	var out []arrival
	seen := map[string]bool{}
	for _, a := range arrivals {
		if key := fmt.Sprint(a.point); !seen[key] {
			seen[key] = true
			out = append(out, a)
		}
	}
	slices.SortStableFunc(out, func(a, b arrival) int { return cmp.Compare(a.at, b.at) })
	for i := range out {
		out[i].nr = i
	}
	return out
}

// firstSorted says whether every point comes in order of time when it comes
// first.
func firstSorted(arrivals []arrival) bool {
	seen, newest := map[string]bool{}, gpu.NoTime
	for _, a := range arrivals {
		key := fmt.Sprint(a.point)
		if !seen[key] && a.at < newest {
			return false
		}
		seen[key], newest = true, max(newest, a.at)
	}
	return true
}

// delayed returns the events as they arrive if each is late by less than most,
// and up to the end of its second more.
func delayed(t *rapid.T, events []point, most time.Duration) []point {
	g := &generator{t: t}
	arrives := map[int]gpu.Time{}
	order := make([]int, len(events))
	for i, e := range events {
		latest := wholeSecond(e.at).Add(most) - 1
		order[i], arrives[i] = i, e.at+(latest-e.at)/7*gpu.Time(g.intn(8))
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(arrives[a], arrives[b]) })
	var out []point
	for _, i := range order {
		out = append(out, events[i])
	}
	return out
}

// deviceIDs returns the devices that the points name, also boards.
func deviceIDs(events []point) []gpu.DeviceID {
	var ids []gpu.DeviceID
	see := func(d gpu.Device) {
		if !slices.Contains(ids, idOf(d)) {
			ids = append(ids, idOf(d))
		}
		if d.Parent != "" && !slices.Contains(ids, d.Parent) {
			ids = append(ids, d.Parent)
		}
	}
	for _, e := range events {
		for _, s := range e.Samples {
			see(s.Device)
		}
		for _, c := range e.Counters {
			see(c.Device)
		}
		for _, a := range e.Allocations {
			see(gpu.Device{ID: a.Device, Ref: a.Ref, Node: a.Node})
		}
	}
	return ids
}
