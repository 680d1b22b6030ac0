// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpupdata

import "go.opentelemetry.io/collector/pdata/pmetric"

// kinds is a set of metric types that carry number points.
type kinds uint8

const (
	gauges   kinds = 1 << iota
	upDowns        // cumulative sums that may fall
	counters       // cumulative sums that only rise

	levels = gauges | upDowns | counters // anything but deltas
)

// kindOf returns the kind of a metric, 0 if it has no number points or is a
// delta.
func kindOf(m pmetric.Metric) kinds {
	switch m.Type() {
	case pmetric.MetricTypeGauge:
		return gauges
	case pmetric.MetricTypeSum:
		switch {
		case m.Sum().AggregationTemporality() != pmetric.AggregationTemporalityCumulative:
			return 0
		case m.Sum().IsMonotonic():
			return counters
		}
		return upDowns
	default:
		return 0
	}
}

// numberPoints returns the points of a gauge or sum.
func numberPoints(m pmetric.Metric) (pmetric.NumberDataPointSlice, bool) {
	switch m.Type() {
	case pmetric.MetricTypeGauge:
		return m.Gauge().DataPoints(), true
	case pmetric.MetricTypeSum:
		return m.Sum().DataPoints(), true
	default:
		return pmetric.NumberDataPointSlice{}, false
	}
}

// pointCount returns how many points a metric of any type has.
func pointCount(m pmetric.Metric) int {
	switch m.Type() {
	case pmetric.MetricTypeHistogram:
		return m.Histogram().DataPoints().Len()
	case pmetric.MetricTypeExponentialHistogram:
		return m.ExponentialHistogram().DataPoints().Len()
	case pmetric.MetricTypeSummary:
		return m.Summary().DataPoints().Len()
	}
	if points, ok := numberPoints(m); ok {
		return points.Len()
	}
	return 0
}
