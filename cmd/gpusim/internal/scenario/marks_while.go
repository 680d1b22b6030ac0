// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/world"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// marksWhile is a gauge that looks once a grain: it has a value if there was
// any activity since it looked last, else 0.
func marksWhile(first world.Mark, end gpu.Time, m *metricSpec, a world.Activity) world.Marks {
	return func() func() (world.Mark, bool) {
		w := &whileWalk{
			first: first, end: end, value: float64(m.Value), grain: gpu.Time(m.Grain),
			walk: a.Walk(), off: first.At, at: first.At,
		}
		w.on, w.later = w.off, w.off
		return w.next
	}
}

// whileWalk returns marks by turns: on, off, on, off …
type whileWalk struct {
	first world.Mark
	end   gpu.Time
	value float64
	grain gpu.Time
	walk  world.Walk
	at    gpu.Time // where the walk stands
	begun bool
	isOn  bool
	// The gauge is on in [on, off); the activity after it is seen at later.
	on, off, later gpu.Time
	more           gpu.Time // when what is seen at later goes off
}

func (w *whileWalk) next() (world.Mark, bool) {
	m := w.first
	switch {
	case !w.begun:
		w.begun = true
		w.later, w.more = w.busy()
		return m, true
	case w.isOn:
		m.At = w.off
	default:
		w.on, w.off = w.later, w.more
		for w.on < gpu.Forever {
			if w.later, w.more = w.busy(); w.later > w.off {
				break
			}
			w.off = w.more
		}
		m.At, m.Value = w.on, w.value
	}
	w.isOn = !w.isOn
	return m, m.At < w.end
}

// busy returns from when to when the next activity is seen, gpu.Forever after
// the last.
func (w *whileWalk) busy() (on, off gpu.Time) {
	for {
		step, ok := w.walk()
		if !ok {
			return gpu.Forever, gpu.Forever
		}
		from := w.at
		w.at = max(w.at, step.Until)
		if step.Level > 0 && w.at > from {
			return w.look(from + 1), w.look(w.at) + w.grain
		}
	}
}

// look returns when the gauge looks at what happens at t.
func (w *whileWalk) look(t gpu.Time) gpu.Time {
	return w.first.At + (t-w.first.At+w.grain-1)/w.grain*w.grain
}
