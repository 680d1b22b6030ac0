// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpuaccountingprocessor

import (
	"maps"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpupdata"
)

// exposed is one sample of an exposition.
type exposed struct {
	metric string
	value  float64
	labels map[string]string
}

// target is an endpoint that is scraped, in the form that the prometheus
// receiver gives it: labels of the target are on each point, a series that is
// gone ends once, and up tells of each scrape.
type target struct {
	labels map[string]string
	last   []exposed
}

// scrape returns what the receiver tells of a scrape at s; without samples it
// failed.
func (e *target) scrape(s float64, samples ...exposed) pmetric.Metrics {
	md := pmetric.NewMetrics()
	rm := md.ResourceMetrics().AppendEmpty()
	for key, value := range map[string]string{
		"service.name": "apps", "service.instance.id": "10.0.0.1:8080", "server.address": "10.0.0.1", "server.port": "8080", "url.scheme": "http",
	} {
		rm.Resource().Attributes().PutStr(key, value)
	}
	scope := rm.ScopeMetrics().AppendEmpty()
	up := exposed{metric: "up", value: 1}
	if len(samples) == 0 {
		up.value = 0
		for _, old := range e.last {
			p := e.point(scope, old, s)
			p.SetDoubleValue(0)
			p.SetFlags(p.Flags().WithNoRecordedValue(true))
		}
	}
	e.last = samples
	for _, sample := range append(samples, up) {
		e.point(scope, sample, s)
	}
	return md
}

func (e *target) point(scope pmetric.ScopeMetrics, sample exposed, s float64) pmetric.NumberDataPoint {
	m := scope.Metrics().AppendEmpty()
	m.SetName(sample.metric)
	var p pmetric.NumberDataPoint
	switch sample.metric {
	case "up", "vllm:num_requests_running", "vllm:num_requests_waiting", "vllm:engine_sleep_state":
		p = m.SetEmptyGauge().DataPoints().AppendEmpty()
	default:
		sum := m.SetEmptySum()
		sum.SetIsMonotonic(true)
		sum.SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
		p = sum.DataPoints().AppendEmpty()
	}
	for _, labels := range []map[string]string{sample.labels, e.labels} {
		for key, value := range labels {
			p.Attributes().PutStr(key, value)
		}
	}
	p.SetTimestamp(pcommon.Timestamp(second(s)))
	p.SetDoubleValue(sample.value)
	return p
}

// served is a node whose only GPU is held by a pod that is scraped.
type served struct {
	activity float64
	group    string
	target   *target
	// at is what is exposed s seconds after the beginning; nothing: the scrape fails.
	at func(s float64) []exposed
}

// run lets the node run for so many seconds, collected and then scraped every
// 10 s, and returns the account of the pod, and what it produced.
func (sv served) run(t *testing.T, seconds int) (gpu.Account, map[string]float64) {
	t.Helper()
	cfg := createDefaultConfig().(*Config)
	sink := new(consumertest.MetricsSink)
	p := start(t, cfg, sink)
	if sv.target == nil {
		sv.target = &target{labels: map[string]string{"k8s_pod_uid": "uid-0"}}
	}
	for s := 0; s <= seconds; s += 10 {
		b := tick(float64(s), sv.activity, 0)
		b.Outputs = nil
		b.Allocations[0].Holder.Workload.Group = sv.group
		consume(t, p, b)
		if sv.at != nil {
			require.NoError(t, p.ConsumeMetrics(t.Context(), sv.target.scrape(float64(s), sv.at(float64(s))...)))
		}
	}
	require.NoError(t, p.Shutdown(t.Context()))
	produced := map[string]float64{}
	for _, md := range sink.AllMetrics() {
		derived, _, _ := gpupdata.DecodeDerived(md)
		for _, o := range derived.Outputs {
			produced[o.Unit] = o.Value
		}
	}
	a := accounts(t, sink)["uid-0"]
	require.Equal(t, time.Duration(seconds)*time.Second, a.Allocated)
	return a, produced
}

// times returns the times of an account by state and reason.
func times(a gpu.Account) map[string]time.Duration {
	got := map[string]time.Duration{}
	for _, s := range a.States {
		name := s.Condition.State.String()
		if s.Condition.Reason != gpu.NoReason {
			name += " " + s.Condition.Reason.String()
		}
		if s.Condition.Form == gpu.Episode {
			name += " " + s.Condition.Form.String()
		}
		got[name] += s.Nanos
	}
	maps.DeleteFunc(got, func(_ string, d time.Duration) bool { return d == 0 })
	return got
}
