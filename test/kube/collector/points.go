// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package collector

import (
	"fmt"
	"iter"
	"strconv"
	"time"

	metricsservice "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	metrics "go.opentelemetry.io/proto/otlp/metrics/v1"
)

// point is a number, with the attributes of its resource and its own.
type point struct {
	metric     string
	attributes map[string]string
	own        map[string]string // its own attributes only
	start, at  time.Time
	value      float64
	none       bool // NoRecordedValue
	counter    bool // of a sum that only rises
}

func points(request *metricsservice.ExportMetricsServiceRequest) iter.Seq[point] {
	return func(yield func(point) bool) {
		for _, resource := range request.ResourceMetrics {
			for _, scope := range resource.ScopeMetrics {
				for _, m := range scope.Metrics {
					for _, n := range numbers(m) {
						if !yield(read(m, resource.Resource.GetAttributes(), n)) {
							return
						}
					}
				}
			}
		}
	}
}

func numbers(m *metrics.Metric) []*metrics.NumberDataPoint {
	if sum := m.GetSum(); sum != nil {
		return sum.DataPoints
	}
	return m.GetGauge().GetDataPoints()
}

func read(m *metrics.Metric, resource []*common.KeyValue, n *metrics.NumberDataPoint) point {
	p := point{
		metric: m.Name, attributes: map[string]string{}, own: map[string]string{}, start: nanos(n.StartTimeUnixNano), at: nanos(n.TimeUnixNano),
		value: n.GetAsDouble(), none: n.Flags&uint32(metrics.DataPointFlags_DATA_POINT_FLAGS_NO_RECORDED_VALUE_MASK) != 0,
		counter: m.GetSum().GetIsMonotonic(),
	}
	if i, ok := n.Value.(*metrics.NumberDataPoint_AsInt); ok {
		p.value = float64(i.AsInt)
	}
	for _, a := range resource {
		p.attributes[a.Key] = text(a.Value)
	}
	for _, a := range n.Attributes {
		p.attributes[a.Key], p.own[a.Key] = text(a.Value), text(a.Value)
	}
	return p
}

func nanos(n uint64) time.Time { return time.Unix(0, int64(n)) }

func text(v *common.AnyValue) string {
	switch v := v.GetValue().(type) {
	case *common.AnyValue_StringValue:
		return v.StringValue
	case *common.AnyValue_IntValue:
		return strconv.FormatInt(v.IntValue, 10)
	case *common.AnyValue_DoubleValue:
		return strconv.FormatFloat(v.DoubleValue, 'g', -1, 64)
	case *common.AnyValue_BoolValue:
		return strconv.FormatBool(v.BoolValue)
	default:
		return fmt.Sprint(v)
	}
}
