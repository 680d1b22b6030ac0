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
