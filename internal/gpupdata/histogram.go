// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpupdata

import (
	"iter"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-gpu/otelcol-gpu/internal/profile"
)

// distribution is a point of a histogram, exponential or not.
type distribution interface {
	Attributes() pcommon.Map
	Timestamp() pcommon.Timestamp
	StartTimestamp() pcommon.Timestamp
	Flags() pmetric.DataPointFlags
	Count() uint64
	HasSum() bool
	Sum() float64
}

// histogramPoints returns one number of each point of a histogram as a counter:
// it only rises. They have no resource yet.
func histogramPoints(m pmetric.Metric, part profile.Part) iter.Seq[point] {
	return func(yield func(point) bool) {
		if m.Type() == pmetric.MetricTypeHistogram {
			for _, p := range m.Histogram().DataPoints().All() {
				if !yield(numberOf(p, part)) {
					return
				}
			}
			return
		}
		for _, p := range m.ExponentialHistogram().DataPoints().All() {
			if !yield(numberOf(p, part)) {
				return
			}
		}
	}
}

// numberOf returns a part of a distribution. Without a sum the sum has no value.
func numberOf(d distribution, part profile.Part) point {
	n := pmetric.NewNumberDataPoint()
	n.SetTimestamp(d.Timestamp())
	n.SetStartTimestamp(d.StartTimestamp())
	n.SetFlags(d.Flags())
	switch {
	case part == profile.Count:
		n.SetDoubleValue(float64(d.Count()))
	case d.HasSum():
		n.SetDoubleValue(d.Sum())
	}
	return point{NumberDataPoint: n, attributes: attributes{own: d.Attributes()}}
}
