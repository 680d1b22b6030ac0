// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpupdata

import (
	"math"
	"testing"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

func TestDecodeActivity(t *testing.T) {
	sample := func(e gpu.Engine, source string, v float64) gpu.Batch {
		return gpu.Batch{Samples: []gpu.Sample{
			{Device: device0, Engine: e, Source: source, Time: at(1), Value: v},
		}}
	}
	c := func(name string, res attrs, p pt, want gpu.Batch, drops Drops) decodeCase {
		return decodeCase{
			name: name, metric: "gpu.activity", shape: gauge, res: res, points: []pt{p},
			future: at(10), want: want, drops: drops,
		}
	}
	ok := func(name string, a attrs, v any, want gpu.Batch) decodeCase {
		return c(name, res0, pt{attrs: a, time: at(1), value: v}, want, nil)
	}
	drop := func(name string, v any, why DropReason) decodeCase {
		return c(name, res0, pt{attrs: engineOnly, time: at(1), value: v}, gpu.Batch{}, Drops{why: 1})
	}
	stampedAt := func(name string, stamp gpu.Time, why DropReason) decodeCase {
		return c(name, res0, pt{attrs: engineOnly, time: stamp, value: 1.0}, gpu.Batch{}, Drops{why: 1})
	}
	good := pt{attrs: engineOnly, time: at(1), value: 1.0}
	noNode := with(with(res0, "k8s.node.name", nil), "hw.model", nil)
	onHost := gpu.Device{ID: "GPU-0", Node: "h0", Cluster: "c0"}

	runAll(t, []decodeCase{
		ok("double", engineOnly, 0.25, sample(gpu.EngineAny, "", 0.25)),
		ok("int", engineOnly, 1, sample(gpu.EngineAny, "", 1)),
		ok("source", attrs{"gpu.engine": "tensor", "gpu.activity.source": "prof"}, 0.0, sample(gpu.EngineTensor, "prof", 0)),
		ok("fp64 isn't accounted", attrs{"gpu.engine": "fp64"}, 0.5, gpu.Batch{}),
		ok("sm_occupancy isn't accounted", attrs{"gpu.engine": "sm_occupancy"}, 0.5, gpu.Batch{}),
		c("last allowed stamp", res0, pt{attrs: engineOnly, time: at(10), value: 0.5}, gpu.Batch{
			Samples: []gpu.Sample{{Device: device0, Time: at(10), Value: 0.5}},
		}, nil),
		c("engine on the resource", with(res0, "gpu.engine", "sm"), pt{time: at(1), value: 0.5},
			sample(gpu.EngineSM, "", 0.5), nil),
		c("host name", noNode, good, gpu.Batch{
			Samples: []gpu.Sample{{Device: onHost, Time: at(1), Value: 1}},
		}, nil),
		c("device on the point", attrs{"hw.model": "H200", "hw.id": "GPU-9"}, pt{
			attrs: attrs{
				"gpu.engine": "engine", "hw.id": "GPU-0", "k8s.node.name": "n0", "k8s.cluster.name": "c0",
			}, time: at(1), value: 1.0,
		}, sample(gpu.EngineAny, "", 1), nil),
		c("end", res0, pt{attrs: with(engineOnly, "gpu.activity.source", "util"), time: at(1), ended: true}, gpu.Batch{
			SeriesEnds: []gpu.SeriesEnd{{Device: device0, Source: "util", Time: at(1)}},
		}, nil),

		stampedAt("no stamp", 0, DropUnsetClock),
		stampedAt("before CUDA", gpu.Earliest-1, DropUnsetClock),
		stampedAt("future", at(10)+1, DropFuture),
		stampedAt("beyond int64", -1, DropFuture),
		c("no device", with(res0, "hw.id", nil), good, gpu.Batch{}, Drops{DropNoDevice: 1}),
		c("device isn't text", with(res0, "hw.id", 7), good, gpu.Batch{}, Drops{DropNoDevice: 1}),
		c("an enclosure is no board", with(with(res0, "hw.parent", "enclosure"), "gpu.mig.slices", 3), good, gpu.Batch{
			Samples: []gpu.Sample{{Device: device0, Time: at(1), Value: 1}},
		}, nil),
		c("no engine", res0, pt{time: at(1), value: 1.0}, gpu.Batch{}, Drops{DropNoEngine: 1}),
		c("unknown engine", res0, pt{attrs: attrs{"gpu.engine": "warp"}, time: at(1), value: 1.0}, gpu.Batch{},
			Drops{DropUnknownEngine: 1}),
		drop("no value", nil, DropNoValue),
		drop("NaN", math.NaN(), DropNotANumber),
		drop("Inf", math.Inf(1), DropOutOfRange),
		drop("negative", -0.1, DropOutOfRange),
		drop("above 1", 1.0001, DropOutOfRange),
		drop("percent", 98, DropOutOfRange),
		drop("blank double", 140737488355328.0, DropBlank),
		drop("blank double, not permissioned", 140737488355331.0, DropBlank),
		drop("blank int64", 9223372036854775792, DropBlank),
		drop("blank int64, not permissioned", 9223372036854775795, DropBlank),
		drop("blank int32", 2147483632, DropBlank),
		drop("blank int32, not permissioned", 2147483635, DropBlank),
		drop("next to a blank int32", 2147483636, DropOutOfRange),
		drop("blank int32, scraped", 2147483632.0, DropBlank),
	})
}

func TestDecodeCounters(t *testing.T) {
	counted := func(part gpu.CounterPart, start gpu.Time, ns int64) gpu.Batch {
		return gpu.Batch{Counters: []gpu.Counter{
			{Device: device0, Part: part, Start: start, Time: at(1), Nanos: ns},
		}}
	}
	c := func(name, metric string, p pt, want gpu.Batch, drops Drops) decodeCase {
		p.attrs, p.time = engineOnly, at(1)
		return decodeCase{
			name: name, metric: metric, shape: counter, res: res0, points: []pt{p}, want: want, drops: drops,
		}
	}
	drop := func(name string, v any, why DropReason) decodeCase {
		return c(name, "gpu.activity.time", pt{value: v}, gpu.Batch{}, Drops{why: 1})
	}
	runAll(t, []decodeCase{
		c("activity", "gpu.activity.time", pt{start: at(0), value: 0.25}, counted(gpu.ActivityPart, at(0), 25e7), nil),
		c("observed", "gpu.observed.time", pt{start: at(0), value: 1}, counted(gpu.ObservedPart, at(0), 1e9), nil),
		c("rounds up", "gpu.activity.time", pt{value: 1.0000000006}, counted(gpu.ActivityPart, 0, 1e9+1), nil),
		c("rounds down", "gpu.activity.time", pt{value: 1.0000000004}, counted(gpu.ActivityPart, 0, 1e9), nil),
		c("unset start", "gpu.activity.time", pt{start: 5, value: 1.0}, counted(gpu.ActivityPart, 0, 1e9), nil),
		c("start beyond int64", "gpu.activity.time", pt{start: -5, value: 1.0}, counted(gpu.ActivityPart, 0, 1e9), nil),
		c("most", "gpu.activity.time", pt{value: 9223372035.0}, counted(gpu.ActivityPart, 0, 9223372035e9), nil),
		c("end", "gpu.activity.time", pt{ended: true}, gpu.Batch{
			SeriesEnds: []gpu.SeriesEnd{{Device: device0, Time: at(1)}},
		}, nil),
		c("observed end", "gpu.observed.time", pt{ended: true}, gpu.Batch{}, nil),
		drop("overflow", 9223372036.0, DropOutOfRange),
		drop("int overflow", 9223372037, DropOutOfRange),
		drop("negative", -1e-9, DropOutOfRange),
		drop("negative int", -1, DropOutOfRange),
		drop("Inf", math.Inf(1), DropOutOfRange),
		drop("-Inf", math.Inf(-1), DropOutOfRange),
		drop("NaN", math.NaN(), DropNotANumber),
		drop("blank", 9223372036854775793, DropBlank),
		drop("blank double", 140737488355329.0, DropBlank),
		drop("no value", nil, DropNoValue),
	})
}

func TestDecodeLabelAllocation(t *testing.T) {
	exporter := attrs{"k8s.pod.uid": "exporter", "k8s.node.name": "n0", "k8s.container.name": "exporter"}
	onPoint := attrs{"gpu.engine": "engine", "hw.id": "GPU-0", "k8s.namespace.name": "ns", "k8s.pod.name": "pod"}
	scraped := gpu.Device{ID: "GPU-0", Node: "n0"}
	allocation := func(d gpu.Device, h gpu.Holder) []gpu.DeviceAllocation {
		return []gpu.DeviceAllocation{{Device: d, Holder: h, Time: at(1)}}
	}
	c := func(name string, res, a attrs, d gpu.Device, h *gpu.Holder) decodeCase {
		tc := decodeCase{
			name: name, metric: "gpu.activity", shape: gauge, res: res, set: Settings{LabelAllocation: true},
			points: []pt{{attrs: a, time: at(1), value: 1.0}},
		}
		engine, _ := gpu.ParseEngine(a["gpu.engine"].(string))
		tc.want.Samples = []gpu.Sample{{Device: d, Engine: engine, Time: at(1), Value: 1}}
		if h != nil {
			tc.want.DeviceAllocations = allocation(d, *h)
		}
		return tc
	}
	sum := func(metric string, part gpu.CounterPart, want []gpu.DeviceAllocation) decodeCase {
		return decodeCase{
			name: metric, metric: metric, shape: counter, res: exporter, set: Settings{LabelAllocation: true},
			points: []pt{{attrs: onPoint, time: at(1), value: 1.0}},
			want: gpu.Batch{
				Counters:          []gpu.Counter{{Device: scraped, Part: part, Time: at(1), Nanos: 1e9}},
				DeviceAllocations: want,
			},
		}
	}
	named := gpu.Holder{Namespace: "ns", Pod: "pod"}
	off := c("off", res0, with(engineOnly, "k8s.pod.uid", "u"), device0, nil)
	off.set.LabelAllocation = false

	runAll(t, []decodeCase{
		off,
		c("named by the point, not by the exporter", exporter, onPoint, scraped, &named),
		c("the exporter holds nothing", exporter, attrs{"gpu.engine": "engine", "hw.id": "GPU-0"}, scraped, &gpu.Holder{}),
		c("uid", res0, with(engineOnly, "k8s.pod.uid", "u"), device0, &gpu.Holder{PodUID: "u"}),
		c("on the device's resource", with(res0, "k8s.pod.uid", "u"), engineOnly, device0, &gpu.Holder{PodUID: "u"}),
		c("empty labels are absent", res0, with(engineOnly, "k8s.pod.name", ""), device0, &gpu.Holder{}),
		c("other engines don't tell", res0, with(with(engineOnly, "k8s.pod.uid", "u"), "gpu.engine", "sm"), device0, nil),
		sum("gpu.activity.time", gpu.ActivityPart, allocation(scraped, named)),
		sum("gpu.observed.time", gpu.ObservedPart, nil),
		{
			name: "a refused point doesn't tell", metric: "gpu.activity", shape: gauge, res: res0,
			set: Settings{LabelAllocation: true}, points: []pt{{attrs: engineOnly, time: at(1), value: 7.0}},
			drops: Drops{DropOutOfRange: 1},
		},
	})
}
