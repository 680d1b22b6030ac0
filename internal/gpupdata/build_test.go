// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpupdata

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// at is t seconds after an arbitrary instant.
func at(t float64) gpu.Time {
	return gpu.Time(1_700_000_000_000_000_000).Add(time.Duration(t * 1e9))
}

// attrs are attributes of any type.
type attrs = map[string]any

// shape is a metric type with its temporality.
type shape int

const (
	gauge shape = iota
	counter
	upDown
	delta
	unspecified
	histogram
	exponential
	summary
	empty
)

// pt is a number point; a value of nil is none.
type pt struct {
	attrs       attrs
	start, time gpu.Time
	value       any
	ended       bool
}

// putRaw puts attributes in the order of their keys.
func putRaw(t testing.TB, dest pcommon.Map, a attrs) {
	t.Helper()
	for _, key := range slices.Sorted(maps.Keys(a)) {
		require.NoError(t, dest.PutEmpty(key).FromRaw(a[key]))
	}
}

func (p pt) put(t testing.TB, dest pmetric.NumberDataPoint) {
	t.Helper()
	putRaw(t, dest.Attributes(), p.attrs)
	dest.SetTimestamp(timestamp(p.time))
	dest.SetStartTimestamp(timestamp(p.start))
	switch v := p.value.(type) {
	case float64:
		dest.SetDoubleValue(v)
	case int:
		dest.SetIntValue(int64(v))
	}
	if p.ended {
		noRecordedValue(dest)
	}
}

// add appends a resource with one metric.
func add(t testing.TB, md pmetric.Metrics, res attrs, name string, s shape, points ...pt) {
	t.Helper()
	rm := md.ResourceMetrics().AppendEmpty()
	putRaw(t, rm.Resource().Attributes(), res)
	m := rm.ScopeMetrics().AppendEmpty().Metrics().AppendEmpty()
	m.SetName(name)
	var dest pmetric.NumberDataPointSlice
	switch s {
	case gauge:
		dest = m.SetEmptyGauge().DataPoints()
	case counter, upDown, delta, unspecified:
		sum := m.SetEmptySum()
		sum.SetIsMonotonic(s != upDown)
		temporality := pmetric.AggregationTemporalityCumulative
		if s == delta {
			temporality = pmetric.AggregationTemporalityDelta
		} else if s == unspecified {
			temporality = pmetric.AggregationTemporalityUnspecified
		}
		sum.SetAggregationTemporality(temporality)
		dest = sum.DataPoints()
	default:
		putOther(m, s, len(points))
		return
	}
	for _, p := range points {
		p.put(t, dest.AppendEmpty())
	}
}

// putOther gives the metric n points that aren't numbers.
func putOther(m pmetric.Metric, s shape, n int) {
	for range n {
		switch s {
		case histogram:
			if m.Type() == pmetric.MetricTypeEmpty {
				m.SetEmptyHistogram()
			}
			m.Histogram().DataPoints().AppendEmpty()
		case exponential:
			if m.Type() == pmetric.MetricTypeEmpty {
				m.SetEmptyExponentialHistogram()
			}
			m.ExponentialHistogram().DataPoints().AppendEmpty()
		case summary:
			if m.Type() == pmetric.MetricTypeEmpty {
				m.SetEmptySummary()
			}
			m.Summary().DataPoints().AppendEmpty()
		}
	}
}

func metrics(t testing.TB, res attrs, name string, s shape, points ...pt) pmetric.Metrics {
	t.Helper()
	md := pmetric.NewMetrics()
	add(t, md, res, name, s, points...)
	return md
}

// wire returns what goes over the wire.
func wire(t testing.TB, md pmetric.Metrics) []byte {
	t.Helper()
	data, err := (&pmetric.ProtoMarshaler{}).MarshalMetrics(md)
	require.NoError(t, err)
	return data
}

// with returns the attributes with one changed; nil takes it away.
func with(a attrs, key string, value any) attrs {
	out := maps.Clone(a)
	if out == nil {
		out = attrs{}
	}
	out[key] = value
	if value == nil {
		delete(out, key)
	}
	return out
}

var (
	device0 = gpu.Device{ID: "GPU-0", Node: "n0", Cluster: "c0", Model: "H200"}
	res0    = attrs{
		"hw.id": "GPU-0", "hw.type": "gpu", "hw.model": "H200",
		"k8s.node.name": "n0", "host.name": "h0", "k8s.cluster.name": "c0",
	}
	engineOnly = attrs{"gpu.engine": "engine"}
	holder0    = gpu.Holder{
		Namespace: "ns", Pod: "pod", PodUID: "uid", PodIP: "10.0.0.1", Container: "main",
		Workload: gpu.Workload{Kind: "Deployment", Name: "llm", Class: gpu.ClassInference, Group: "g"},
	}
	resHolder0 = attrs{
		"k8s.namespace.name": "ns", "k8s.pod.name": "pod", "k8s.pod.uid": "uid", "k8s.pod.ip": "10.0.0.1",
		"k8s.container.name": "main", "k8s.node.name": "n0", "k8s.cluster.name": "c0",
		"gpu.workload.kind": "Deployment", "gpu.workload.name": "llm", "gpu.workload.class": "inference",
		"gpu.workload.group": "g",
	}
)
