// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpupdata

import (
	"math"
	"testing"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

func TestDecodeAllocation(t *testing.T) {
	whole := gpu.Allocation{
		Device: "GPU-0", Node: "n0", Cluster: "c0", Holder: holder0, Sharing: "exclusive",
		Share: 1, Time: at(1), Begin: at(0),
	}
	on0 := attrs{"hw.id": "GPU-0"}
	c := func(name string, res attrs, p pt, change func(*gpu.Allocation)) decodeCase {
		a := whole
		change(&a)
		p.time = at(1)
		return decodeCase{
			name: name, metric: "gpu.allocation", shape: upDown, res: res, future: at(10), points: []pt{p},
			want: gpu.Batch{Allocations: []gpu.Allocation{a}},
		}
	}
	drop := func(name string, res attrs, p pt, why DropReason) decodeCase {
		if p.time == 0 {
			p.time = at(1)
		}
		return decodeCase{
			name: name, metric: "gpu.allocation", shape: upDown, res: res, future: at(10), points: []pt{p},
			drops: Drops{why: 1},
		}
	}
	onPart := attrs{"hw.id": "MIG-1"}
	slots := func(name string, n, of any, want gpu.Slots) decodeCase {
		a := with(with(with(on0, "gpu.sharing", "mps"), "gpu.slots", n), "gpu.slots_total", of)
		return c(name, resHolder0, pt{attrs: a, start: at(0), value: 0.5},
			func(a *gpu.Allocation) { a.Sharing, a.Share, a.Slots = gpu.MPS, 0.5, want })
	}
	nameless := with(with(resHolder0, "k8s.pod.uid", nil), "k8s.pod.name", nil)

	runAll(t, []decodeCase{
		c("whole", resHolder0, pt{attrs: on0, start: at(0), value: 1}, func(*gpu.Allocation) {}),
		c("shared", resHolder0, pt{attrs: with(on0, "gpu.sharing", "mps"), start: at(0), value: 0.5},
			func(a *gpu.Allocation) { a.Sharing, a.Share = "mps", 0.5 }),
		c("a share is the ledger's business", resHolder0, pt{attrs: on0, start: at(0), value: -7.0},
			func(a *gpu.Allocation) { a.Share = -7 }),
		c("infinite share", resHolder0, pt{attrs: on0, start: at(0), value: math.Inf(1)},
			func(a *gpu.Allocation) { a.Share = math.Inf(1) }),
		c("no begin", resHolder0, pt{attrs: on0, value: 1.0}, func(a *gpu.Allocation) { a.Begin = gpu.NoTime }),
		c("unset begin", resHolder0, pt{attrs: on0, start: 9, value: 1.0}, func(a *gpu.Allocation) { a.Begin = gpu.NoTime }),
		c("unresolved", resHolder0, pt{attrs: attrs{"gpu.device.ref": "nvidia3"}, start: at(0), value: 1.0},
			func(a *gpu.Allocation) { a.Device, a.Ref = "", "nvidia3" }),
		c("unresolved and shared", resHolder0,
			pt{attrs: attrs{"gpu.device.ref": "MIG-x", "gpu.sharing": "dra"}, start: at(0), value: 1.0},
			func(a *gpu.Allocation) { a.Device, a.Ref, a.Sharing = "", "MIG-x", gpu.DRA }),
		c("instance", resHolder0, pt{attrs: onPart, start: at(0), value: 1.0},
			func(a *gpu.Allocation) { a.Device, a.Sharing = "MIG-1", gpu.MIG }),
		c("exclusive instance", resHolder0, pt{attrs: with(onPart, "gpu.sharing", "exclusive"), start: at(0), value: 1.0},
			func(a *gpu.Allocation) { a.Device, a.Sharing = "MIG-1", gpu.MIG }),
		c("shared instance", resHolder0, pt{attrs: with(onPart, "gpu.sharing", "time_slicing"), start: at(0), value: 1.0},
			func(a *gpu.Allocation) { a.Device, a.Sharing = "MIG-1", gpu.TimeSlicing }),
		c("an odd word is the ledger's business", resHolder0, pt{attrs: with(on0, "gpu.sharing", "odd"), start: at(0), value: 1},
			func(a *gpu.Allocation) { a.Sharing = "odd" }),
		slots("slots", 1, 4, gpu.Slots{N: 1, Of: 4}),
		slots("slots as text", "3", "1000", gpu.Slots{N: 3, Of: 1000}),
		slots("slots of nothing", 3, nil, gpu.Slots{N: 3}),
		slots("slots of an empty total", 3, "", gpu.Slots{N: 3}),
		slots("slots in words", "three", 4, gpu.Slots{N: -1, Of: 4}),
		slots("neither can be read", "three", 0.5, gpu.Slots{N: -1, Of: -1}),
		slots("slots beyond int64", "9223372036854775808", 4, gpu.Slots{N: -1, Of: 4}),
		c("ended", resHolder0, pt{attrs: on0, start: at(0), ended: true},
			func(a *gpu.Allocation) { a.Share, a.Ended = 0, true }),
		c("no uid", with(resHolder0, "k8s.pod.uid", nil), pt{attrs: on0, start: at(0), value: 1.0},
			func(a *gpu.Allocation) { a.Holder.PodUID = "" }),
		c("unknown class", with(resHolder0, "gpu.workload.class", "odd"), pt{attrs: on0, start: at(0), value: 1.0},
			func(a *gpu.Allocation) { a.Holder.Workload.Class = gpu.ClassUnclassified }),
		c("container of the point", resHolder0, pt{attrs: with(on0, "k8s.container.name", "side"), start: at(0), value: 1.0},
			func(a *gpu.Allocation) { a.Holder.Container = "side" }),

		drop("no device", resHolder0, pt{value: 1.0}, DropNoDevice),
		drop("no pod", nameless, pt{attrs: on0, value: 1.0}, DropNoPod),
		drop("NaN", resHolder0, pt{attrs: on0, value: math.NaN()}, DropNotANumber),
		drop("no value", resHolder0, pt{attrs: on0}, DropNoValue),
		drop("future", resHolder0, pt{attrs: on0, time: at(11), value: 1.0}, DropFuture),
		drop("unset clock", resHolder0, pt{attrs: on0, time: 1, value: 1.0}, DropUnsetClock),
	})
}

func TestDecodeAllocationCount(t *testing.T) {
	c := func(name string, v any, want int) decodeCase {
		return deviceCase(name, "gpu.node.allocations", nil, v, gpu.Batch{AllocationCounts: []gpu.AllocationCount{
			{Node: "n0", Cluster: "c0", Time: at(1), Count: want},
		}}, nil)
	}
	drop := func(name string, v any, why DropReason) decodeCase {
		return deviceCase(name, "gpu.node.allocations", nil, v, gpu.Batch{}, Drops{why: 1})
	}
	ended := deviceCase("no recorded value", "gpu.node.allocations", nil, nil, gpu.Batch{}, nil)
	ended.points[0].ended = true
	unset := drop("unset clock", 1, DropUnsetClock)
	unset.points[0].time = 1

	runAll(t, []decodeCase{
		c("none", 0, 0), c("int", 8, 8), c("double", 8.0, 8), ended, unset,
		drop("negative", -1, DropOutOfRange),
		drop("half", 0.5, DropOutOfRange),
		drop("Inf", math.Inf(1), DropOutOfRange),
		drop("too many", 1<<40, DropOutOfRange),
		drop("NaN", math.NaN(), DropNotANumber),
		drop("no value", nil, DropNoValue),
	})
}
