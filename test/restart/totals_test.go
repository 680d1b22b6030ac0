// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

//go:build restart

package restart

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpupdata"
)

// strictness says how the counters of two runs are compared.
type strictness func(want, got *sum) bool

// exactly: the same values, under the same starts, at the same times.
func exactly(want, got *sum) bool { return slices.Equal(want.lives, got.lives) }

// leap is more than settled time moves from one publication to the next, even
// where a stream of outputs held it back for its window.
const leap = window + 3*interval

// again: the same values in as many lives. A publication whose acceptance
// wasn't stored before a kill is made again with the next batch. A counter that
// begins in that starts where the one before it ended, earlier than without the
// kill; and one that has ended is told once more, later.
func again(want, got *sum) bool {
	return slices.EqualFunc(want.lives, got.lives, func(w, g life) bool {
		return g.value == w.value && g.start <= w.start && w.start.Sub(g.start) < leap &&
			g.time >= w.time && g.time.Sub(w.time) < leap
	})
}

// inAll: the same total. When what was published, and so where a counter
// starts, depends on when batches came.
func inAll(want, got *sum) bool { return want.total() == got.total() }

// differences says where the counters of got aren't those of want.
func differences(want, got *sink, same strictness) (found []string) {
	for _, key := range slices.Sorted(maps.Keys(want.sums)) {
		if got.sums[key] == nil {
			found = append(found, fmt.Sprintf("%s: missing, want %v", key, want.sums[key].lives))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(got.sums)) {
		g, w := got.sums[key], want.sums[key]
		switch {
		case w == nil:
			found = append(found, fmt.Sprintf("%s: got %v, want none", key, g.lives))
		case !same(w, g):
			found = append(found, fmt.Sprintf("%s: got %v, want %v", key, g.lives, w.lives))
		}
	}
	return found
}

// divergence returns the first time at which a counter had another value in
// got than in want, gpu.Forever if there is none. Only times that both
// published are compared.
func divergence(want, got *sink) gpu.Time {
	first := gpu.Forever
	for key, w := range want.history {
		for at, value := range w {
			if v, both := got.history[key][at]; both && v != value {
				first = min(first, at)
			}
		}
	}
	for key, g := range got.history {
		if want.history[key] == nil {
			for at := range g {
				first = min(first, at)
			}
		}
	}
	if first == gpu.Forever && len(differences(want, got, inAll)) > 0 {
		first = want.newest() // only the last points tell
	}
	return first
}

// account is what is told of a device.
type account struct {
	total time.Duration
	first gpu.Time
	last  map[string]gpu.Time // by part
}

// conserved says for which devices the time of all states isn't the time
// between their first start and their last point. A board and its partitions
// are parts of one device; where they are told up to different times, its time
// is between these.
func conserved(s *sink) (wrong []string) {
	devices := map[string]*account{}
	for _, c := range s.sums {
		if c.metric != gpupdata.MetricTime {
			continue
		}
		part := c.attributes[gpupdata.AttrHWID]
		id := cmp.Or(c.attributes[gpupdata.AttrHWParent], part)
		d := devices[id]
		if d == nil {
			d = &account{first: gpu.Forever, last: map[string]gpu.Time{}}
			devices[id] = d
		}
		d.total += time.Duration(c.total())
		d.first = min(d.first, c.lives[0].start)
		d.last[part] = max(d.last[part], c.last())
	}
	for _, id := range slices.Sorted(maps.Keys(devices)) {
		d := devices[id]
		last := slices.Sorted(maps.Values(d.last))
		least, most := last[0].Sub(d.first), last[len(last)-1].Sub(d.first)
		if d.total < least || d.total > most {
			wrong = append(wrong, fmt.Sprintf("%s: %v in all states, %v to %v from its start to its end", id, d.total, least, most))
		}
	}
	if len(devices) == 0 {
		wrong = append(wrong, "no device has any time")
	}
	return wrong
}

// condition is a state with its reason, as people read it in a table.
func condition(c *sum) string {
	text := c.attributes[gpupdata.AttrState]
	if reason := c.attributes[gpupdata.AttrStateReason]; reason != "" {
		text += " (" + reason + ")"
	}
	return text
}

// byCondition adds up the time of all devices for which keep says yes.
func byCondition(s *sink, keep func(*sum) bool) map[string]time.Duration {
	totals := map[string]time.Duration{}
	for _, c := range s.sums {
		if c.metric == gpupdata.MetricTime && keep(c) {
			totals[condition(c)] += time.Duration(c.total())
		}
	}
	return totals
}

func all(*sum) bool { return true }

// endless leaves out the device whose end may be lost.
func endless(c *sum) bool { return c.attributes[gpupdata.AttrHWID] != string(endingDevice) }

// steadyIn returns how long the steady device was in one of the states.
func steadyIn(s *sink, states ...gpu.State) time.Duration {
	return total(byCondition(s, func(c *sum) bool {
		state, _ := gpu.ParseState(c.attributes[gpupdata.AttrState])
		return c.attributes[gpupdata.AttrHWID] == string(steadyDevice) && slices.Contains(states, state)
	}))
}

// newest returns the time of the newest point of all counters.
func (s *sink) newest() (last gpu.Time) {
	for _, c := range s.sums {
		last = max(last, c.last())
	}
	return last
}

func total(times map[string]time.Duration) (sum time.Duration) {
	for _, d := range times {
		sum += d
	}
	return sum
}

// table shows the time of two runs side by side.
func table(nameA string, a *sink, nameB string, b *sink) string {
	x, y := byCondition(a, all), byCondition(b, all)
	names := maps.Clone(x)
	maps.Copy(names, y)
	text := fmt.Sprintf("%-32s %16s %16s %16s\n", "GPU seconds", nameA, nameB, "difference")
	row := func(name string, a, b time.Duration) {
		text += fmt.Sprintf("%-32s %16.6f %16.6f %+16.6f\n", name, a.Seconds(), b.Seconds(), (b - a).Seconds())
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		row(name, x[name], y[name])
	}
	row("all", total(x), total(y))
	return text
}
