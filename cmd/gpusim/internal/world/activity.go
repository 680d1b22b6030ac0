// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package world

import "github.com/otelcol-gpu/otelcol-gpu/internal/gpu"

// Level is an activity in thousandths: Full is that of a device that is busy
// all the time.
type Level int64

// Full is the highest level.
const Full Level = 1000

// Step says that from the end of the step before, or from the start of the
// world, until Until something is busy at Level.
type Step struct {
	Until gpu.Time
	Level Level
}

// Activity is how busy something is over time. Each call begins a new walk
// over its steps, always the same. After the last step it is at rest; a nil
// Activity always is.
type Activity func() Walk

// Walk returns the next step, and false after the last.
type Walk func() (Step, bool)

// Walk begins a walk.
func (a Activity) Walk() Walk {
	if a == nil {
		return func() (Step, bool) { return Step{}, false }
	}
	return a()
}

// Steps is the activity that has these steps.
func Steps(steps ...Step) Activity {
	return func() Walk {
		i := 0
		return func() (Step, bool) {
			if i == len(steps) {
				return Step{}, false
			}
			i++
			return steps[i-1], true
		}
	}
}

// Together is the activity of a device on which all of these run: the sum of
// their levels, but never more than Full.
func Together(activities ...Activity) Activity {
	if len(activities) == 1 {
		return activities[0]
	}
	return func() Walk {
		parts := make([]*reader, len(activities))
		for i, a := range activities {
			parts[i] = newReader(a)
		}
		return func() (Step, bool) { return together(parts) }
	}
}

func together(parts []*reader) (Step, bool) {
	next := Step{Until: gpu.Forever}
	for _, p := range parts {
		next.Until = min(next.Until, p.step.Until)
		next.Level += p.step.Level
	}
	if next.Until == gpu.Forever {
		return Step{}, false
	}
	for _, p := range parts {
		p.pass(next.Until)
	}
	next.Level = min(next.Level, Full)
	return next, true
}

// reader is a walk with the time and the step at which it stands.
type reader struct {
	walk Walk
	at   gpu.Time
	step Step
}

func newReader(a Activity) *reader {
	r := &reader{walk: a.Walk()}
	r.next()
	return r
}

func (r *reader) next() {
	step, ok := r.walk()
	if !ok {
		step = Step{Until: gpu.Forever}
	}
	r.step = step
}

// pass moves to t.
func (r *reader) pass(t gpu.Time) {
	r.at = t
	for r.step.Until <= t {
		r.next()
	}
}

// Except is an activity that is at rest in some spans, which are in order and
// apart.
func Except(a Activity, spans []Span) Activity {
	if len(spans) == 0 {
		return a
	}
	return func() Walk {
		r, spans := newReader(a), spans
		return func() (Step, bool) { return except(r, &spans) }
	}
}

func except(r *reader, spans *[]Span) (Step, bool) {
	if r.step.Until == gpu.Forever {
		return Step{}, false
	}
	next := r.step
	if len(*spans) > 0 {
		s := (*spans)[0]
		switch at := r.at; {
		case at < s.From:
			next.Until = min(next.Until, s.From)
		default:
			next = Step{Until: min(next.Until, s.To)}
			if next.Until == s.To {
				*spans = (*spans)[1:]
			}
		}
	}
	r.pass(next.Until)
	return next, true
}
