// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpupdata

import "go.opentelemetry.io/collector/pdata/pmetric"

// kinds is a set of metric types.
type kinds uint8

const (
	gauges     kinds = 1 << iota
	upDowns          // cumulative sums that may fall
	counters         // cumulative sums that only rise
	histograms       // cumulative ones, exponential or not

	levels = gauges | upDowns | counters // number points of anything but deltas
)

// kindOf returns the kind of a metric, 0 if it is a summary, a delta or nothing.
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
	case pmetric.MetricTypeHistogram:
		return cumulative(m.Histogram().AggregationTemporality())
	case pmetric.MetricTypeExponentialHistogram:
		return cumulative(m.ExponentialHistogram().AggregationTemporality())
	default:
		return 0
	}
}

// cumulative returns the kind of a histogram of this temporality.
func cumulative(t pmetric.AggregationTemporality) kinds {
	if t != pmetric.AggregationTemporalityCumulative {
		return 0
	}
	return histograms
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
