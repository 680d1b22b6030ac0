// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package collector

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
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

// take keeps what a test may ask for.
func (r *Record) take(p *point) {
	switch {
	case p.metric == "gpu.allocation":
		r.allocation(p)
	case p.metric == "gpu.milestone.time":
		r.milestone(p)
	case p.metric == "gpu.source.up":
		name := p.attributes["gpu.source"]
		now := Source{At: p.at, Up: p.value == 1, Reason: p.attributes["gpu.source.reason"]}
		if all := r.sources[name]; len(all) == 0 || all[len(all)-1].Up != now.Up || all[len(all)-1].Reason != now.Reason {
			r.sources[name] = append(all, now)
		}
	case p.metric == "gpu.ledger.error" && p.value != 0:
		r.problem("gpu.ledger.error is %g at %v", p.value, p.at)
	case p.counter && strings.HasPrefix(p.metric, "gpu.") && p.metric != "gpu.activity.time":
		r.sum(p)
	}
}

func (r *Record) allocation(p *point) {
	uid, container := p.attributes["k8s.pod.uid"], p.attributes["k8s.container.name"]
	device := p.attributes["hw.id"] + p.attributes["gpu.device.ref"]
	i := slices.IndexFunc(r.holdings, func(h *Holding) bool {
		return h.UID == uid && h.Container == container && h.Device == device && h.Begin.Equal(p.start)
	})
	if i < 0 {
		r.holdings = append(r.holdings, &Holding{UID: uid, Container: container, Device: device, Begin: p.start})
		i = len(r.holdings) - 1
	}
	h := r.holdings[i]
	switch {
	case p.none:
		if !slices.ContainsFunc(h.Ends, p.at.Equal) {
			h.Ends = append(h.Ends, p.at)
		}
	case h.First.IsZero():
		h.First, h.Last, h.Attributes = p.at, p.at, p.attributes
	default:
		h.Last, h.Attributes = p.at, p.attributes
	}
	if len(h.Ends) > 0 && !p.none { // the end itself may be dated before the last set
		r.problem("pod %s has %s at %v, and its end at %v was told before", uid, device, p.at, h.Ends[0])
	}
}

func (r *Record) milestone(p *point) {
	m := Mark{
		UID: p.attributes["k8s.pod.uid"], Name: p.attributes["gpu.milestone"], Attempt: p.attributes["gpu.milestone.attempt"],
		Container: p.own["k8s.container.name"], Source: p.attributes["gpu.milestone.source"],
		At: time.UnixMicro(int64(p.value*1e6 + 0.5)),
	}
	if seconds, err := strconv.ParseFloat(p.attributes["gpu.milestone.uncertainty"], 64); err == nil {
		m.Uncertainty = time.Duration(seconds * float64(time.Second))
	}
	for _, known := range r.marks {
		if known.UID == m.UID && known.Name == m.Name && known.Attempt == m.Attempt && known.Container == m.Container {
			m.Before = known.Before
			if !known.At.Equal(m.At) {
				m.Before = append(m.Before, known.At)
			}
			*known = m
			return
		}
	}
	r.marks = append(r.marks, &m)
}

func (r *Record) sum(p *point) {
	key := p.metric
	for _, k := range slices.Sorted(maps.Keys(p.attributes)) {
		key += fmt.Sprintf(" %s=%s", k, p.attributes[k])
	}
	s := r.sums[key]
	switch {
	case s == nil:
		s = &Sum{Metric: p.metric, Attributes: p.attributes, First: p.start}
		r.sums[key] = s
	case !s.Start.Equal(p.start):
		if p.start.Before(s.At) {
			r.problem("%s begins anew at %v, before its end at %v", key, p.start, s.At)
		}
		s.Earlier += s.Value
	case p.at.After(s.At) && p.value < s.Value:
		r.problem("%s falls from %g to %g", key, s.Value, p.value)
	case p.at.Before(s.At):
		return // sent again
	}
	s.Start, s.At, s.Value = p.start, p.at, p.value
}
