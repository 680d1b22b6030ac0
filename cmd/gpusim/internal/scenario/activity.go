// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"cmp"
	"slices"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/world"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// run is a time in which a pattern runs.
type run struct {
	world.Span
	pattern *pattern
	seed    seed
}

// activityOf is that of runs one after another, at rest between them.
func activityOf(runs []run) world.Activity {
	if len(runs) == 0 {
		return nil
	}
	return func() world.Walk { return (&runWalk{runs: runs}).next }
}

// runWalk walks runs; it stands at at.
type runWalk struct {
	runs []run
	walk world.Walk // of the first run, nil before it
	at   gpu.Time
}

func (w *runWalk) next() (world.Step, bool) {
	for len(w.runs) > 0 {
		r := w.runs[0]
		if w.walk == nil {
			w.walk = r.pattern.begin(r.From, r.seed.rand())
			if w.at < r.From {
				w.at = r.From
				return world.Step{Until: r.From}, true
			}
		}
		step, ok := w.walk()
		if !ok || step.Until >= r.To {
			step.Until, w.walk, w.runs = r.To, nil, w.runs[1:]
		}
		if step.Until > w.at {
			w.at = step.Until
			return step, true
		}
	}
	return world.Step{}, false
}

// except is an activity that rests in some spans, which are in order.
func except(a world.Activity, spans []world.Span) world.Activity {
	if a == nil || len(spans) == 0 {
		return a
	}
	return func() world.Walk { return (&exceptWalk{walk: a.Walk(), spans: spans}).next }
}

// exceptWalk stands at at; step is the walk's there.
type exceptWalk struct {
	walk  world.Walk
	spans []world.Span
	step  world.Step
	at    gpu.Time
}

func (w *exceptWalk) next() (world.Step, bool) {
	for w.step.Until <= w.at {
		var ok bool
		if w.step, ok = w.walk(); !ok {
			return world.Step{}, false
		}
	}
	for len(w.spans) > 0 && w.spans[0].To <= w.at {
		w.spans = w.spans[1:]
	}
	cut := w.step
	switch {
	case len(w.spans) == 0 || cut.Until <= w.spans[0].From:
	case w.at < w.spans[0].From:
		cut.Until = w.spans[0].From
	default:
		cut = world.Step{Until: min(cut.Until, w.spans[0].To)}
	}
	w.at = cut.Until
	return cut, true
}

// part is an activity and the time outside of which it rests.
type part struct {
	world.Span
	activity world.Activity
}

// together is the activity of a device on which all parts run. Parts that run
// one after another make one walk, so that a thousand short pods cost no more
// than one long one.
func together(parts []part) world.Activity {
	slices.SortStableFunc(parts, func(a, b part) int { return cmp.Compare(a.From, b.From) })
	var lanes [][]part
	for _, p := range parts {
		if p.activity == nil {
			continue
		}
		i := slices.IndexFunc(lanes, func(l []part) bool { return l[len(l)-1].To <= p.From })
		if i < 0 {
			lanes, i = append(lanes, nil), len(lanes)
		}
		lanes[i] = append(lanes[i], p)
	}
	activities := make([]world.Activity, len(lanes))
	for i, lane := range lanes {
		activities[i] = oneAfterAnother(lane)
	}
	if len(activities) == 0 {
		return nil
	}
	return world.Together(activities...)
}

func oneAfterAnother(lane []part) world.Activity {
	if len(lane) == 1 {
		return lane[0].activity
	}
	return func() world.Walk { return (&laneWalk{lane: lane}).next }
}

// laneWalk walks parts one after another; it stands at at.
type laneWalk struct {
	lane []part
	walk world.Walk // of the first part, nil before it
	at   gpu.Time
}

func (w *laneWalk) next() (world.Step, bool) {
	for len(w.lane) > 0 {
		if w.walk == nil {
			w.walk = w.lane[0].activity.Walk()
		}
		step, ok := w.walk()
		if !ok {
			w.walk, w.lane = nil, w.lane[1:]
		} else if step.Until > w.at { // else a rest in the time of the part before
			w.at = step.Until
			return step, true
		}
	}
	return world.Step{}, false
}
