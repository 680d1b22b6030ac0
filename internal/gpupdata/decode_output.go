// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpupdata

import "github.com/otelcol-gpu/otelcol-gpu/internal/gpu"

// outputKinds returns the metric types that can be evidence of a kind: only a
// cumulative counter has rises.
func outputKinds(kind gpu.OutputKind) kinds {
	if kind == gpu.OutputCounter {
		return counters
	}
	return levels
}

// output reads a point of an application metric.
func (c *decoding) output(p point) DropReason {
	t, why := stamp(p.NumberDataPoint, c.future)
	if why != accepted {
		return why
	}
	join, ok := p.join()
	if !ok {
		return DropNoPod
	}
	o := gpu.Output{
		Profile: c.profile,
		Join:    join,
		Series:  p.series(),
		Start:   start(p.NumberDataPoint),
		Time:    t,
		Ended:   p.ended(),
	}
	if !o.Ended {
		if o.Value, why = finite(p.NumberDataPoint); why != accepted {
			return why
		}
		if c.profile.Kind == gpu.OutputCounter && o.Value < 0 {
			return DropOutOfRange
		}
	}
	c.batch.Outputs = append(c.batch.Outputs, o)
	return accepted
}
