// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpupdata

import (
	"time"

	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// metricSpec is what a metric that we write looks like.
type metricSpec struct {
	name        string
	unit        string
	description string
	kind        kinds // one
}

// writer writes points of one resource, a metric for each spec.
type writer struct {
	metrics pmetric.MetricSlice
	open    []openMetric // few: a search beats a map
}

type openMetric struct {
	name   string
	points pmetric.NumberDataPointSlice
}

// newResource appends a resource and returns it with its writer.
func newResource(dest pmetric.Metrics, scope string) (pmetric.ResourceMetrics, *writer) {
	rm := dest.ResourceMetrics().AppendEmpty()
	sm := rm.ScopeMetrics().AppendEmpty()
	sm.Scope().SetName(scope)
	return rm, &writer{metrics: sm.Metrics()}
}

// points returns the points of the metric, which it appends if need be.
func (w *writer) points(spec *metricSpec) pmetric.NumberDataPointSlice {
	for _, m := range w.open {
		if m.name == spec.name {
			return m.points
		}
	}
	points := newMetric(w.metrics.AppendEmpty(), spec)
	w.open = append(w.open, openMetric{spec.name, points})
	return points
}

func newMetric(m pmetric.Metric, spec *metricSpec) pmetric.NumberDataPointSlice {
	m.SetName(spec.name)
	m.SetUnit(spec.unit)
	m.SetDescription(spec.description)
	if spec.kind == gauges {
		return m.SetEmptyGauge().DataPoints()
	}
	sum := m.SetEmptySum()
	sum.SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
	sum.SetIsMonotonic(spec.kind == counters)
	return sum.DataPoints()
}

// point appends a point at t that has no value yet.
func (w *writer) point(spec *metricSpec, start, t gpu.Time) pmetric.NumberDataPoint {
	p := w.points(spec).AppendEmpty()
	p.SetTimestamp(timestamp(t))
	p.SetStartTimestamp(timestamp(start))
	return p
}

// noRecordedValue makes a point the end of its series.
func noRecordedValue(p pmetric.NumberDataPoint) {
	p.SetFlags(pmetric.DefaultDataPointFlags.WithNoRecordedValue(true))
}

// seconds returns the double nearest to d. Above 2⁵³ ns (104 days) d itself
// isn't a double: its whole seconds and the rest of them are.
func seconds(d time.Duration) float64 {
	if d.Abs() < 1<<53 {
		return float64(d) / 1e9
	}
	return d.Seconds()
}
