// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"math/rand/v2"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/world"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// begin begins to walk a pattern at from. The steps have no end, or end where
// the pattern goes to rest for good. All randomness is r's.
func (p *pattern) begin(from gpu.Time, r *rand.Rand) world.Walk {
	switch {
	case p == nil || p.Idle != nil:
		return level(0)
	case p.Steady != nil:
		return level(world.Level(p.Steady.Level))
	case p.Bursts != nil:
		return p.Bursts.begin(from, r)
	case p.Steps != nil:
		return beginSteps(p.Steps, from)
	case p.Trickle != nil:
		return p.Trickle.begin(from, r)
	case p.Phases != nil:
		return beginPhases(p.Phases, false, from, r)
	default:
		return beginPhases(p.Cycle, true, from, r)
	}
}

// level is one step without end.
func level(l world.Level) world.Walk {
	return func() (world.Step, bool) { return world.Step{Until: gpu.Forever, Level: l}, true }
}

func (b *burstsPattern) begin(from gpu.Time, r *rand.Rand) world.Walk {
	at, busy := from, false
	var end gpu.Time
	return func() (world.Step, bool) {
		if busy {
			busy = false
			return world.Step{Until: end, Level: world.Level(b.Level)}, true
		}
		begin := at
		if b.Jitter > 0 {
			begin = at.Add(time.Duration(r.Int64N(int64(b.Jitter) + 1)))
		}
		at, end, busy = at.Add(b.Every), begin.Add(b.Length), true
		return world.Step{Until: begin}, true
	}
}

func beginSteps(steps []stepPattern, from gpu.Time) world.Walk {
	i, at := 0, from
	return func() (world.Step, bool) {
		s := steps[i%len(steps)]
		i++
		at = at.Add(s.For)
		return world.Step{Until: at, Level: world.Level(s.Level)}, true
	}
}

func beginPhases(phases []phasePattern, again bool, from gpu.Time, r *rand.Rand) world.Walk {
	i, at := 0, from
	var end gpu.Time
	var walk world.Walk
	return func() (world.Step, bool) {
		if walk == nil {
			if i == len(phases) {
				return world.Step{}, false
			}
			walk, end = phases[i].begin(at, r), gpu.Forever
			if d := phases[i].For; d > 0 {
				end = at.Add(d)
			}
		}
		step, ok := walk()
		if !ok {
			step = world.Step{Until: end}
		}
		if step.Until >= end {
			step.Until, walk, i = end, nil, i+1
			if again {
				i %= len(phases)
			}
		}
		at = step.Until
		return step, true
	}
}
