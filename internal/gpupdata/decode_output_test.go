// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpupdata

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

var (
	tokens   = gpu.OutputProfile{Metric: "vllm:generation_tokens_total", Unit: "{token}", Window: time.Minute}
	queue    = gpu.OutputProfile{Metric: "vllm:num_requests_waiting", Kind: gpu.DemandGauge}
	sleeping = gpu.OutputProfile{Metric: "vllm:engine_sleep_state", Kind: gpu.SleepGauge}
	profiles = Settings{Outputs: []gpu.OutputProfile{tokens, queue, sleeping}}
)

func TestDecodeOutput(t *testing.T) {
	pod := attrs{"k8s.pod.uid": "uid"}
	c := func(name string, s shape, profile gpu.OutputProfile, p pt, change func(*gpu.Output)) decodeCase {
		o := gpu.Output{Profile: profile, Join: gpu.Join{PodUID: "uid"}, Start: p.start, Time: at(1)}
		change(&o)
		p.time = at(1)
		return decodeCase{
			name: name, metric: profile.Metric, shape: s, res: pod, set: profiles, future: at(10), points: []pt{p},
			want: gpu.Batch{Outputs: []gpu.Output{o}},
		}
	}
	drop := func(name string, v any, why DropReason) decodeCase {
		return decodeCase{
			name: name, metric: tokens.Metric, shape: counter, res: pod, set: profiles, future: at(10),
			points: []pt{{time: at(1), value: v}}, drops: Drops{why: 1},
		}
	}
	noPod := drop("no pod", 1.0, DropNoPod)
	noPod.res = attrs{"k8s.pod.name": "without-namespace", "server.address": "vllm.ns.svc"}
	late := drop("future", 1.0, DropFuture)
	late.points[0].time = at(11)

	runAll(t, []decodeCase{
		c("counter", counter, tokens, pt{start: at(0), value: 42.0}, func(o *gpu.Output) { o.Value = 42 }),
		c("int", counter, tokens, pt{start: at(0), value: 2147483632}, func(o *gpu.Output) { o.Value = 2147483632 }),
		c("large", counter, tokens, pt{start: at(0), value: 2e14}, func(o *gpu.Output) { o.Value = 2e14 }),
		c("demand gauge", gauge, queue, pt{value: -1.0}, func(o *gpu.Output) { o.Value = -1 }),
		c("demand sum", upDown, queue, pt{value: 3}, func(o *gpu.Output) { o.Value = 3 }),
		c("sleep", gauge, sleeping, pt{attrs: attrs{"sleep_state": "awake"}, value: 1.0},
			func(o *gpu.Output) { o.Value, o.Series = 1, `sleep_state="awake"` }),
		c("ended", counter, tokens, pt{start: at(0), ended: true}, func(o *gpu.Output) { o.Ended = true }),
		noPod, late,
		drop("negative", -1.0, DropOutOfRange),
		drop("Inf", math.Inf(1), DropOutOfRange),
		drop("NaN", math.NaN(), DropNotANumber),
		drop("no value", nil, DropNoValue),
	})
}

func TestFirstProfileOfAMetricCounts(t *testing.T) {
	again := tokens
	again.Unit = "{other}"
	d := NewDecoder(Settings{Outputs: []gpu.OutputProfile{tokens, again}})
	b, _ := d.Decode(metrics(t, attrs{"k8s.pod.uid": "u"}, tokens.Metric, counter, pt{time: at(0), value: 1.0}), 0)
	require.Len(t, b.Outputs, 1)
	require.Equal(t, tokens, b.Outputs[0].Profile)
}

func TestOutputJoin(t *testing.T) {
	exporter := attrs{
		"k8s.pod.uid": "exporter", "k8s.namespace.name": "mon", "k8s.pod.name": "exporter",
		"k8s.pod.ip": "10.0.0.9", "server.address": "10.0.0.9",
	}
	for _, tc := range []struct {
		name       string
		res, point attrs
		want       gpu.Join
	}{
		{"resource", exporter, nil, gpu.Join{PodUID: "exporter", Namespace: "mon", Pod: "exporter", PodIP: "10.0.0.9"}},
		{
			"a point's pod isn't mixed with the resource's", exporter,
			attrs{"k8s.namespace.name": "ns", "k8s.pod.name": "pod"},
			gpu.Join{Namespace: "ns", Pod: "pod"},
		},
		{"address", attrs{"server.address": "10.0.0.1"}, nil, gpu.Join{PodIP: "10.0.0.1"}},
		{"address and port", attrs{"server.address": "10.0.0.1:8000"}, nil, gpu.Join{PodIP: "10.0.0.1"}},
		{"IPv6", attrs{"server.address": "[fd00::1]:8000"}, nil, gpu.Join{PodIP: "fd00::1"}},
		{"IPv6 alone", attrs{"server.address": "fd00:0::1"}, nil, gpu.Join{PodIP: "fd00::1"}},
		{"mapped", attrs{"server.address": "::ffff:10.0.0.1"}, nil, gpu.Join{PodIP: "10.0.0.1"}},
		{"a pod's IP goes first", attrs{"server.address": "10.0.0.1", "k8s.pod.ip": "10.0.0.2"}, nil, gpu.Join{PodIP: "10.0.0.2"}},
		{"device", nil, attrs{"hw.id": "GPU-0"}, gpu.Join{Device: "GPU-0"}},
		{"group", attrs{"server.address": "localhost"}, attrs{"gpu.workload.group": "g"}, gpu.Join{Group: "g"}},
		{"group of the resource", attrs{"gpu.workload.group": "g"}, nil, gpu.Join{Group: "g"}},
		{
			"group beside a pod",
			attrs{"gpu.workload.group": "g", "k8s.pod.uid": "u"},
			nil,
			gpu.Join{PodUID: "u", Group: "g"},
		},
		{
			"a point's pod isn't in the resource's group", with(exporter, "gpu.workload.group", "monitoring"),
			attrs{"k8s.pod.uid": "u"},
			gpu.Join{PodUID: "u"},
		},
		{"nothing", attrs{"server.address": "localhost"}, nil, gpu.Join{}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			md := metrics(t, tc.res, tokens.Metric, counter, pt{attrs: tc.point, time: at(0), value: 1.0})
			b, drops := NewDecoder(profiles).Decode(md, 0)
			if tc.want == (gpu.Join{}) {
				require.Equal(t, Drops{DropNoPod: 1}, drops)
				return
			}
			require.Len(t, b.Outputs, 1)
			require.Equal(t, tc.want, b.Outputs[0].Join)
			require.NotContains(t, b.Outputs[0].Series, "gpu.workload.group", "a group is no series")
		})
	}
}
