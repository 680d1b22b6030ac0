// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/world"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// begin walks requests that come independently of each other (a Poisson
// process). One that comes while another is served only lengthens the time.
func (p *tricklePattern) begin(from gpu.Time, r *rand.Rand) world.Walk {
	comes := p.arrivals(from, r)
	at, end, next := from, from, comes()
	return func() (world.Step, bool) {
		step := world.Step{Until: next}
		if at < end {
			step = world.Step{Until: min(end, next), Level: world.Level(p.Level)}
		}
		at = step.Until
		if at == next {
			end, next = next.Add(p.Length), comes()
		}
		return step, true
	}
}

// arrivals returns the times of the requests, one after another. Those of the
// busiest hour are drawn; in another hour some of them don't come.
func (p *tricklePattern) arrivals(from gpu.Time, r *rand.Rand) func() gpu.Time {
	most := 100
	if p.Day != nil {
		most = slices.Max(p.Day)
	}
	mean := float64(time.Hour) * 100 / (float64(p.PerHour) * float64(most))
	return func() gpu.Time {
		for {
			from = from.Add(time.Duration(r.ExpFloat64() * mean))
			if p.Day == nil || r.IntN(most) < p.Day[hourOf(from)] {
				return from
			}
		}
	}
}

func hourOf(t gpu.Time) int { return int(t / gpu.Time(time.Hour) % 24) }
