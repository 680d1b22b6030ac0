// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpupdata

import (
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/internal/profile"
)

// outputKinds returns the metric types that can be evidence of a kind: only
// what is cumulative has rises.
func outputKinds(kind gpu.OutputKind) kinds {
	if kind == gpu.OutputCounter {
		return counters | histograms
	}
	return levels
}

// application reads the points of an application metric.
func (c *decoding) application(m pmetric.Metric, metric *profile.Metric) {
	r := outputReader{decoding: c, metric: metric}
	if kindOf(m)&outputKinds(metric.Kind) == 0 {
		c.drops.add(DropUnsupportedType, pointCount(m))
		return
	}
	if points, ok := numberPoints(m); ok {
		for _, p := range points.All() {
			c.drops.add(r.read(c.resource.point(p)), 1)
		}
		return
	}
	for p := range histogramPoints(m, metric.Histogram) {
		p.outer, p.resource = c.resource.attributes, &c.resource
		c.drops.add(r.read(p), 1)
	}
}

// outputReader reads the points of one application metric.
type outputReader struct {
	*decoding
	metric *profile.Metric
	// ranks are the places in batch.Outputs of series that ranks repeat.
	ranks map[rank]int
}

// rank is what points that repeat each other have in common.
type rank struct {
	join   gpu.Join
	series string
	time   gpu.Time
}

func (r *outputReader) read(p point) DropReason {
	if !p.admitted(&r.metric.Only) {
		return ignored
	}
	t, why := stamp(p.NumberDataPoint, r.future)
	if why != accepted {
		return why
	}
	join, ok := p.join()
	if !ok {
		return DropNoPod
	}
	o := gpu.Output{
		Profile: r.metric.OutputProfile,
		Join:    join,
		Series:  p.series(r.metric.RepeatedBy),
		Start:   start(p.NumberDataPoint),
		Time:    t,
		Ended:   p.ended(),
	}
	if !o.Ended {
		if o.Value, why = finite(p.NumberDataPoint); why != accepted {
			return why
		}
		if o.Profile.Kind == gpu.OutputCounter && o.Value < 0 {
			return DropOutOfRange
		}
	}
	r.take(o)
	return accepted
}

// take adds a point to the batch. Of several ranks that tell one value the
// largest counts: one that began anew is behind the others.
func (r *outputReader) take(o gpu.Output) {
	if len(r.metric.RepeatedBy) > 0 {
		key := rank{o.Join, o.Series, o.Time}
		if i, repeated := r.ranks[key]; repeated {
			if old := &r.batch.Outputs[i]; !o.Ended && (old.Ended || o.Value > old.Value) {
				*old = o
			}
			return
		}
		if r.ranks == nil {
			r.ranks = map[rank]int{}
		}
		r.ranks[key] = len(r.batch.Outputs)
	}
	r.batch.Outputs = append(r.batch.Outputs, o)
}
