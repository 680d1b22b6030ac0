// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpupdata

import (
	"math"
	"testing"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// deviceCase is a point of a device without attributes of its own.
func deviceCase(name, metric string, a attrs, v any, want gpu.Batch, drops Drops) decodeCase {
	return decodeCase{
		name: name, metric: metric, shape: upDown, res: res0, future: at(10),
		points: []pt{{attrs: a, time: at(1), value: v}}, want: want, drops: drops,
	}
}

var (
	board     = gpu.Device{ID: "GPU-0", Node: "n0", Cluster: "c0", Model: "H200"}
	instance  = gpu.Device{ID: "MIG-1", Parent: "GPU-0", Slices: gpu.Slices{N: 3, Of: 7}, Node: "n0", Cluster: "c0", Model: "H200"}
	resOfPart = attrs{
		"hw.id": "MIG-1", "hw.type": "gpu", "hw.parent": "GPU-0", "gpu.mig.slices": 3, "gpu.mig.slices_total": 7,
		"hw.model": "H200", "k8s.node.name": "n0", "k8s.cluster.name": "c0",
	}
)

// TestDecodePartition: of a MIG instance, its board and its slices are told.
func TestDecodePartition(t *testing.T) {
	c := func(name string, res, a attrs, want gpu.Device) decodeCase {
		tc := decodeCase{
			name: name, metric: "gpu.activity", shape: gauge, res: res,
			points: []pt{{attrs: with(a, "gpu.engine", "engine"), time: at(1), value: 1.0}},
			want:   gpu.Batch{Samples: []gpu.Sample{{Device: want, Time: at(1), Value: 1}}},
		}
		if want == (gpu.Device{}) {
			tc.want, tc.drops = gpu.Batch{}, Drops{DropPartition: 1}
		}
		return tc
	}
	bad := func(name, key string, value any) decodeCase {
		return c(name, with(resOfPart, key, value), nil, gpu.Device{})
	}
	runAll(t, []decodeCase{
		c("on the resource", resOfPart, nil, instance),
		c("on the point", attrs{"k8s.node.name": "x", "hw.id": "GPU-0"}, with(resOfPart, "hw.type", nil), instance),
		c("as text", with(with(resOfPart, "gpu.mig.slices", "3"), "gpu.mig.slices_total", "7"), nil, instance),
		bad("no board", "hw.parent", nil),
		bad("empty board", "hw.parent", ""),
		bad("an instance as the board", "hw.parent", "MIG-0"),
		bad("no slices", "gpu.mig.slices", nil),
		bad("no total", "gpu.mig.slices_total", nil),
		bad("slices in words", "gpu.mig.slices", "three"),
		bad("slices of another type", "gpu.mig.slices", true),
		bad("no slice", "gpu.mig.slices", 0),
		bad("negative slices", "gpu.mig.slices", -3),
		bad("more than all", "gpu.mig.slices", 8),
		bad("too many", "gpu.mig.slices_total", gpu.MaxSlices+1),
		bad("far too many", "gpu.mig.slices_total", 1<<32+7),
	})
}

func TestDecodePartitionCount(t *testing.T) {
	c := func(name string, v any, want int) decodeCase {
		return deviceCase(name, "gpu.mig.instances", nil, v, gpu.Batch{PartitionCounts: []gpu.PartitionCount{
			{Board: board, Time: at(1), Count: want},
		}}, nil)
	}
	drop := func(name string, v any, why DropReason) decodeCase {
		return deviceCase(name, "gpu.mig.instances", nil, v, gpu.Batch{}, Drops{why: 1})
	}
	ended := c("no MIG mode", nil, 0)
	ended.points[0].ended, ended.want.PartitionCounts[0].Ended = true, true
	undated := drop("undated end", nil, DropUnsetClock)
	undated.points[0].ended, undated.points[0].time = true, 0
	noBoard := drop("no board", 1, DropNoDevice)
	noBoard.res = with(res0, "hw.id", nil)
	ofInstance := drop("of an instance", 1, DropPartition)
	ofInstance.res = resOfPart

	runAll(t, []decodeCase{
		c("none", 0, 0), c("int", 7, 7), c("double", 7.0, 7), ended, undated, noBoard, ofInstance,
		drop("negative", -1, DropOutOfRange),
		drop("half", 0.5, DropOutOfRange),
		drop("NaN", math.NaN(), DropNotANumber),
		drop("no value", nil, DropNoValue),
	})
}

func TestDecodeProcess(t *testing.T) {
	c := func(name string, a attrs, v any, want gpu.Process) decodeCase {
		want.Device, want.Time = "GPU-0", at(1)
		return decodeCase{
			name: name, metric: "gpu.process.activity", shape: gauge, res: res0, future: at(10),
			points: []pt{{attrs: a, time: at(1), value: v}}, want: gpu.Batch{Processes: []gpu.Process{want}},
		}
	}
	of := attrs{"k8s.pod.uid": "uid", "process.pid": 42}
	drop := func(name string, v any, why DropReason) decodeCase {
		tc := c(name, of, v, gpu.Process{})
		tc.want, tc.drops = gpu.Batch{}, Drops{why: 1}
		return tc
	}
	ended := drop("no recorded value", nil, DropNoValue)
	ended.points[0].ended, ended.drops = true, nil
	late := drop("future", 1.0, DropFuture)
	late.points[0].time = at(11)
	noDevice := drop("no device", 1.0, DropNoDevice)
	noDevice.res = with(res0, "hw.id", nil)
	partition := drop("partition", 1.0, DropPartition)
	partition.res = with(resOfPart, "gpu.mig.slices", nil)
	onInstance := c("on an instance", of, 1.0, gpu.Process{Pod: "uid", PID: "42", Value: 1})
	onInstance.res, onInstance.want.Processes[0].Device = resOfPart, "MIG-1"
	byResource := c("of the resource's pod", nil, 0.5, gpu.Process{Pod: "ns/pod", PID: "7", Value: 0.5})
	byResource.res = attrs{"hw.id": "GPU-0", "k8s.namespace.name": "ns", "k8s.pod.name": "pod", "process.pid": 7}

	runAll(t, []decodeCase{
		c("of a pod", of, 0.25, gpu.Process{Pod: "uid", PID: "42", Value: 0.25}),
		c("text as PID", with(of, "process.pid", "42"), 1, gpu.Process{Pod: "uid", PID: "42", Value: 1}),
		c("by name", attrs{"k8s.namespace.name": "ns", "k8s.pod.name": "p"}, 0.0, gpu.Process{Pod: "ns/p"}),
		c("nobody's", attrs{"process.pid": 42}, 1.0, gpu.Process{PID: "42", Value: 1}),
		byResource, onInstance, ended, late, noDevice, partition,
		drop("negative", -0.1, DropOutOfRange),
		drop("above 1", 1.1, DropOutOfRange),
		drop("Inf", math.Inf(1), DropOutOfRange),
		drop("NaN", math.NaN(), DropNotANumber),
		drop("blank", 2147483632, DropBlank),
		drop("no value", nil, DropNoValue),
	})
}

func TestDecodeMemory(t *testing.T) {
	c := func(name string, v any, want uint64) decodeCase {
		return deviceCase(name, "hw.gpu.memory.usage", nil, v, gpu.Batch{
			Memory: []gpu.Memory{{Device: "GPU-0", Time: at(1), Bytes: want}},
		}, nil)
	}
	drop := func(name string, v any, why DropReason) decodeCase {
		return deviceCase(name, "hw.gpu.memory.usage", nil, v, gpu.Batch{}, Drops{why: 1})
	}
	ended := c("no recorded value", nil, 0)
	ended.points[0].ended, ended.want = true, gpu.Batch{}
	partition := drop("partition", 1, DropPartition)
	partition.res = with(res0, "hw.id", "MIG-1")
	noDevice := drop("no device", 1, DropNoDevice)
	noDevice.res = with(res0, "hw.id", nil)
	late := drop("future", 1, DropFuture)
	late.points[0].time = at(11)

	runAll(t, []decodeCase{
		c("int", 1<<30, 1<<30),
		c("more than a double holds", 1<<53+1, 1<<53+1),
		c("double", 1073741824.0, 1<<30),
		c("rounds", 1.6, 2),
		c("nothing", 0, 0),
		ended, partition, noDevice, late,
		drop("negative", -1, DropOutOfRange),
		drop("Inf", math.Inf(1), DropOutOfRange),
		drop("NaN", math.NaN(), DropNotANumber),
		drop("no value", nil, DropNoValue),
		drop("blank int32", 2147483633, DropBlank),
		drop("blank int64", 9223372036854775794, DropBlank),
		drop("blank double", 140737488355330.0, DropBlank),
	})
}

func TestDecodeAvailability(t *testing.T) {
	c := func(name string, a attrs, v any, available bool, reason gpu.Reason) decodeCase {
		return deviceCase(name, "gpu.device.available", a, v, gpu.Batch{Availability: []gpu.Availability{
			{Device: "GPU-0", Time: at(1), Available: available, Reason: reason},
		}}, nil)
	}
	because := func(reason string) attrs { return attrs{"gpu.unavailable.reason": reason} }
	drop := func(name string, v any, why DropReason) decodeCase {
		return deviceCase(name, "gpu.device.available", nil, v, gpu.Batch{}, Drops{why: 1})
	}
	ended := deviceCase("no recorded value", "gpu.device.available", nil, nil, gpu.Batch{}, nil)
	ended.points[0].ended = true

	runAll(t, []decodeCase{
		c("available", nil, 1, true, gpu.NoReason),
		c("available as double", because("taint"), 1.0, true, gpu.NoReason),
		c("health", because("health"), 0, false, gpu.ReasonHealth),
		c("taint", because("taint"), 0, false, gpu.ReasonTaint),
		c("node", because("node"), 0.0, false, gpu.ReasonNode),
		c("reconfiguration", because("reconfiguration"), 0, false, gpu.ReasonReconfiguration),
		c("no reason", nil, 0, false, gpu.ReasonHealth),
		c("unknown reason", because("gremlins"), 0, false, gpu.ReasonHealth),
		c("a reason of another state", because("starved"), 0, false, gpu.ReasonHealth),
		ended,
		drop("half", 0.5, DropOutOfRange),
		drop("NaN", math.NaN(), DropNotANumber),
		drop("no value", nil, DropNoValue),
	})
}

func TestDecodeStatus(t *testing.T) {
	c := func(name string, a attrs, v any, want ...gpu.Status) decodeCase {
		return deviceCase(name, "hw.status", a, v, gpu.Batch{Statuses: want}, nil)
	}
	drop := func(name string, v any, why DropReason) decodeCase {
		return deviceCase(name, "hw.status", attrs{"hw.state": "failed"}, v, gpu.Batch{}, Drops{why: 1})
	}
	fine := gpu.Status{Device: "GPU-0", Time: at(1)}
	failed := gpu.Status{Device: "GPU-0", Time: at(1), Failed: true}
	noType := c("no hw.type", attrs{"hw.state": "failed"}, 1)
	noType.res = with(res0, "hw.type", nil)
	ended := c("no recorded value", attrs{"hw.state": "failed"}, nil)
	ended.points[0].ended = true
	noDevice := drop("no device", 1, DropNoDevice)
	noDevice.res = with(res0, "hw.id", nil)

	runAll(t, []decodeCase{
		c("ok", attrs{"hw.state": "ok"}, 1, fine),
		c("degraded", attrs{"hw.state": "degraded"}, 1.0, fine),
		c("failed", attrs{"hw.state": "failed"}, 1, failed),
		c("not the current state", attrs{"hw.state": "failed"}, 0),
		c("predicted failure", attrs{"hw.state": "predicted_failure"}, 1),
		c("no state", nil, 1),
		c("a fan", attrs{"hw.state": "failed", "hw.type": "fan"}, 1),
		noType, ended, noDevice,
		drop("two", 2, DropOutOfRange),
		drop("NaN", math.NaN(), DropNotANumber),
	})
}
