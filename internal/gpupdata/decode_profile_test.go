// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpupdata

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/internal/profile"
)

// known reads all known profiles.
func known() *Decoder {
	return NewDecoder(Settings{Profiles: profile.Metrics(profile.Names(), time.Minute)})
}

func TestEveryMetricOfAProfileIsRead(t *testing.T) {
	for _, p := range profile.Known() {
		for _, m := range p.Metrics {
			res, point := attrs{"k8s.pod.uid": "u"}, attrs{}
			if len(m.Only.Jobs) > 0 {
				res["service.name"] = m.Only.Jobs[0]
			}
			for key, values := range m.Only.Attributes {
				point[key] = values[0]
			}
			s := gauge
			if m.Kind == gpu.OutputCounter {
				s = counter
			}
			b, drops := known().Decode(metrics(t, res, m.Metric, s, pt{attrs: point, time: at(0), value: 1.0}), 0)
			require.Nil(t, drops, m.Metric)
			require.Len(t, b.Outputs, 1, m.Metric)
			require.False(t, Owns(m.Metric))
		}
	}
}

func TestOutputsOfTheUserCountFirst(t *testing.T) {
	own := gpu.OutputProfile{Metric: "nv_inference_count", Unit: "{image}", Window: time.Hour}
	d := NewDecoder(Settings{
		Outputs: []gpu.OutputProfile{own}, Profiles: profile.Metrics([]string{"triton", "nim"}, time.Minute),
	})
	b, _ := d.Decode(metrics(t, attrs{"k8s.pod.uid": "u"}, own.Metric, counter, pt{time: at(0), value: 1.0}), 0)
	require.Equal(t, own, b.Outputs[0].Profile)
}

func TestGates(t *testing.T) {
	for _, tc := range []struct {
		name, metric string
		shape        shape
		res, point   attrs
		want         int
	}{
		{"by job", "generation_tokens_total", counter, attrs{"service.name": "ml/nim-llama"}, nil, 1},
		{"by port", "generation_tokens_total", counter, attrs{"service.name": "pods", "server.port": "8000"}, nil, 1},
		{"by the labels of another Prometheus", "num_requests_running", gauge, nil, attrs{"job": "pods", "instance": "10.0.0.1:8000"}, 1},
		{"by the instance", "num_requests_running", gauge, attrs{"service.instance.id": "[fd00::1]:8000"}, nil, 1},
		{"another program", "generation_tokens_total", counter, attrs{"service.name": "minimal", "server.port": "9000"}, nil, 0},
		{"a total of requests on a port that many use", "request_success_total", counter, attrs{"service.name": "shop", "server.port": "8000"}, nil, 0},
		{"a request that failed", "gen_ai.server.request.duration", counter, nil, attrs{"error.type": "timeout"}, 0},
		{"a request that didn't", "gen_ai.server.request.duration", counter, nil, nil, 1},
		{"nothing told", "generation_tokens_total", counter, nil, nil, 0},
		{"awake is a state of sleep", "vllm:engine_sleep_state", gauge, nil, attrs{"sleep_state": "awake"}, 0},
		{"asleep", "vllm:engine_sleep_state", gauge, nil, attrs{"sleep_state": "discard_all"}, 1},
		{"what a client asked", "gen_ai.client.token.usage", counter, nil, attrs{"gen_ai.token.type": "input"}, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			md := metrics(t, with(tc.res, "k8s.pod.uid", "u"), tc.metric, tc.shape, pt{attrs: tc.point, time: at(0), value: 1.0})
			b, drops := known().Decode(md, 0)
			require.Nil(t, drops, "a metric of another program isn't bad input")
			require.Len(t, b.Outputs, tc.want)
		})
	}
}

// TestRanks: the ranks of one engine tell the same, those of data parallelism
// don't.
func TestRanks(t *testing.T) {
	rank := func(tp, dp string, tokens any) pt {
		return pt{attrs: attrs{"tp_rank": tp, "dp_rank": dp}, time: at(1), start: at(0), value: tokens, ended: tokens == nil}
	}
	md := metrics(t, attrs{"k8s.pod.uid": "u"}, "sglang:generation_tokens_total", counter,
		rank("0", "0", nil), rank("1", "0", 100.0), rank("2", "0", 90.0), rank("3", "0", nil),
		rank("4", "1", 7.0), rank("5", "1", 7.0), rank("6", "2", nil))
	b, drops := known().Decode(md, 0)
	require.Nil(t, drops)
	got := map[string]float64{}
	for _, o := range b.Outputs {
		got[o.Series] = o.Value
		require.Equal(t, o.Series == `dp_rank="2"`, o.Ended)
	}
	require.Equal(t, map[string]float64{`dp_rank="0"`: 100, `dp_rank="1"`: 7, `dp_rank="2"`: 0}, got)
	require.Len(t, b.Outputs, 3)
}

func TestHistograms(t *testing.T) {
	for _, exponential := range []bool{false, true} {
		for metric, want := range map[string]float64{
			"tgi_request_generated_tokens": 250, "gen_ai.server.request.duration": 4,
		} {
			for temporality, read := range map[pmetric.AggregationTemporality]int{
				pmetric.AggregationTemporalityCumulative: 1, pmetric.AggregationTemporalityDelta: 0,
			} {
				b, drops := known().Decode(distributed(t, metric, exponential, temporality), 0)
				require.Equal(t, 1-read, drops[DropUnsupportedType])
				require.Len(t, b.Outputs, read)
				if read > 0 {
					require.InDelta(t, want, b.Outputs[0].Value, 0)
					require.Equal(t, at(2), b.Outputs[0].Time)
					require.Equal(t, at(1), b.Outputs[0].Start)
					require.Equal(t, `model="m"`, b.Outputs[0].Series)
				}
			}
		}
	}
	md := distributed(t, "tgi_request_generated_tokens", false, pmetric.AggregationTemporalityCumulative)
	point := md.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().At(0).Histogram().DataPoints().At(0)
	point.RemoveSum()
	_, drops := known().Decode(md, 0)
	require.Equal(t, Drops{DropNoValue: 1}, drops)
	point.SetFlags(point.Flags().WithNoRecordedValue(true))
	b, drops := known().Decode(md, 0)
	require.Nil(t, drops)
	require.True(t, b.Outputs[0].Ended)
}

// distributed returns a histogram of four values that add up to 250.
func distributed(t *testing.T, name string, exponential bool, temporality pmetric.AggregationTemporality) pmetric.Metrics {
	md := metrics(t, attrs{"k8s.pod.uid": "u"}, name, empty)
	m := md.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().At(0)
	if exponential {
		h := m.SetEmptyExponentialHistogram()
		h.SetAggregationTemporality(temporality)
		p := h.DataPoints().AppendEmpty()
		p.SetTimestamp(timestamp(at(2)))
		p.SetStartTimestamp(timestamp(at(1)))
		p.SetCount(4)
		p.SetSum(250)
		p.Attributes().PutStr("model", "m")
		return md
	}
	h := m.SetEmptyHistogram()
	h.SetAggregationTemporality(temporality)
	p := h.DataPoints().AppendEmpty()
	p.SetTimestamp(timestamp(at(2)))
	p.SetStartTimestamp(timestamp(at(1)))
	p.SetCount(4)
	p.SetSum(250)
	p.Attributes().PutStr("model", "m")
	return md
}

func TestJoinByLabels(t *testing.T) {
	scraped := attrs{"k8s.pod.uid": "target", "server.address": "10.0.0.9"}
	for name, tc := range map[string]struct {
		res, point attrs
		want       gpu.Join
	}{
		"relabelled UID":  {scraped, attrs{"k8s_pod_uid": "u"}, gpu.Join{PodUID: "u"}},
		"relabelled name": {nil, attrs{"k8s_namespace_name": "ns", "k8s_pod_name": "p"}, gpu.Join{Namespace: "ns", Pod: "p"}},
		"relabelled IP":   {scraped, attrs{"k8s_pod_ip": "10.0.0.1"}, gpu.Join{PodIP: "10.0.0.1"}},
		"of an operator":  {nil, attrs{"namespace": "ns", "pod": "p"}, gpu.Join{Namespace: "ns", Pod: "p"}},
		"an exporter's own": {
			nil,
			attrs{"namespace": "mon", "pod": "exporter", "exported_namespace": "ns", "exported_pod": "p"},
			gpu.Join{Namespace: "ns", Pod: "p"},
		},
		"discovered and relabelled": {
			attrs{"k8s.pod.uid": "u", "k8s.namespace.name": "ns", "k8s.pod.name": "p"},
			attrs{"namespace": "ns", "pod": "p"},
			gpu.Join{PodUID: "u", Namespace: "ns", Pod: "p"},
		},
		"a namespace of the program's own": {
			nil,
			attrs{"namespace": "ns", "pod": "p", "exported_namespace": "dynamo"},
			gpu.Join{Namespace: "ns", Pod: "p"},
		},
		"a pod label of the program's own": {
			nil,
			attrs{"k8s_namespace_name": "ns", "k8s_pod_name": "p", "namespace": "x", "pod": "y", "exported_pod": "z"},
			gpu.Join{Namespace: "ns", Pod: "p"},
		},
		"half a name":      {scraped, attrs{"pod": "p"}, gpu.Join{PodUID: "target", PodIP: "10.0.0.9"}},
		"attributes first": {nil, attrs{"k8s.pod.uid": "u", "namespace": "ns", "pod": "p"}, gpu.Join{PodUID: "u"}},
		"Triton's device":  {nil, attrs{"gpu_uuid": "GPU-0"}, gpu.Join{Device: "GPU-0"}},
		"a group": {
			attrs{"gpu.workload.group": "of the exporter"},
			attrs{"k8s_pod_uid": "u", "gpu_workload_group": "g"},
			gpu.Join{PodUID: "u", Group: "g"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			md := metrics(t, tc.res, "nv_inference_count", counter, pt{attrs: tc.point, time: at(0), value: 1.0})
			b, _ := known().Decode(md, 0)
			require.Len(t, b.Outputs, 1)
			require.Equal(t, tc.want, b.Outputs[0].Join)
		})
	}
}

func TestFailedScrape(t *testing.T) {
	d := known()
	for name, tc := range map[string]struct {
		res   attrs
		value any
		want  int
	}{
		"failed":     {attrs{"k8s.pod.uid": "u"}, 0.0, 1},
		"worked":     {attrs{"k8s.pod.uid": "u"}, 1.0, 0},
		"no pod":     {attrs{"service.name": "nodes"}, 0.0, 0},
		"an address": {attrs{"server.address": "10.0.0.1"}, 0.0, 0},
		"no value":   {attrs{"k8s.pod.uid": "u"}, nil, 0},
	} {
		b, drops := d.Decode(metrics(t, tc.res, "up", gauge, pt{time: at(0), value: tc.value}), 0)
		require.Nil(t, drops, name)
		require.Len(t, b.Outputs, tc.want, name)
		for _, o := range b.Outputs {
			require.True(t, o.Ended, "a scrape that failed shows no output")
		}
	}
	md := metrics(t, attrs{"k8s.pod.uid": "u"}, "up", gauge, pt{time: at(0), value: 0.0})
	b, _ := NewDecoder(Settings{}).Decode(md, 0)
	require.Empty(t, b.Outputs, "nobody asked for outputs")

	total := gpu.OutputTotal{Holder: holder0, Unit: unitOfUp, Start: at(0), Time: at(1), New: true}
	out := pmetric.NewMetrics()
	EncodeDerived(gpu.Derived{Outputs: []gpu.OutputTotal{total}}, out)
	require.Zero(t, out.DataPointCount(), "a scrape that failed produced nothing")
}
