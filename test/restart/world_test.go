// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

//go:build restart

package restart

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// The simulated hour. Its time is long past, so that no clock plays a part.
const (
	epoch    = gpu.Time(1_748_854_800_000_000_000) // 2025-06-02T09:00:00Z
	hour     = time.Hour
	tick     = time.Second      // between two samples of a device
	interval = 10 * time.Second // of a batch, and between two allocation sets

	nodeName    = "node-1"
	clusterName = "cluster-1"
)

// device is a GPU of the node. A MIG instance has Parent and Slices.
type device struct {
	gpu.Device
	sums   bool          // has sum pairs beside its gauges
	reset  time.Duration // when its sums begin anew, 0 if never
	end    time.Duration // when its series end, 0 if never
	broken [2]time.Duration
}

// tenancy is a pod on a device from one moment of the hour to another.
type tenancy struct {
	device   gpu.DeviceID
	pod      string
	class    gpu.Class
	sharing  gpu.Sharing
	slots    gpu.Slots
	share    float64
	from, to time.Duration
	serves   bool // has an output counter and a demand gauge
	staged   bool // its milestones are told
}

// world is what happens in the hour.
type world struct {
	devices   []device
	tenancies []tenancy
}

const (
	// steadyDevice is held all the time, so that its unobserved time is nothing
	// but gaps in the input: it can be predicted.
	steadyDevice = gpu.DeviceID("GPU-0")
	// endingDevice says within the hour that its series have ended.
	endingDevice = gpu.DeviceID("GPU-3")
)

// newWorld returns the devices and who holds them when. To have another kind of
// device, add it and its tenants to the two tables.
func newWorld(random *rand.Rand) world {
	w := world{
		devices: []device{
			{Device: gpu.Device{ID: steadyDevice}},
			{Device: gpu.Device{ID: "GPU-1"}, sums: true, reset: 31*time.Minute + 7*time.Second},
			{Device: gpu.Device{ID: "GPU-2"}},
			{
				Device: gpu.Device{ID: endingDevice}, sums: true, end: 57 * time.Minute,
				broken: [2]time.Duration{20 * time.Minute, 26 * time.Minute},
			},
			{Device: gpu.Device{ID: "GPU-4"}},
			{Device: gpu.Device{ID: "MIG-5a", Parent: "GPU-5", Slices: gpu.Slices{N: 3, Of: 7}}},
			{Device: gpu.Device{ID: "MIG-5b", Parent: "GPU-5", Slices: gpu.Slices{N: 2, Of: 7}}, sums: true},
		},
		tenancies: []tenancy{
			{device: steadyDevice, pod: "steady", class: gpu.ClassInference, serves: true, from: -hour, to: 2 * hour},
			{device: "GPU-1", pod: "train", class: gpu.ClassBatch, serves: true, staged: true, from: 3*time.Minute + time.Second, to: 52 * time.Minute},
			{device: "GPU-4", pod: "share-a", sharing: gpu.TimeSlicing, slots: gpu.Slots{N: 1, Of: 4}, share: 0.25, from: -hour, to: 2 * hour},
			{device: "GPU-4", pod: "share-b", sharing: gpu.TimeSlicing, slots: gpu.Slots{N: 2, Of: 4}, share: 0.5, serves: true, from: 9 * time.Minute, to: 44 * time.Minute},
			{device: "MIG-5b", pod: "slice", sharing: gpu.MIG, serves: true, staged: true, from: 12*time.Minute + 300*time.Millisecond, to: 50 * time.Minute},
		},
	}
	w.comeAndGo(random, "MIG-5a", hour)
	w.comeAndGo(random, "GPU-2", hour)
	w.comeAndGo(random, endingDevice, 55*time.Minute)
	for i := range w.devices {
		d := &w.devices[i]
		d.Node, d.Cluster, d.Model = nodeName, clusterName, "H200"
	}
	for i := range w.tenancies {
		t := &w.tenancies[i]
		t.sharing = cmp.Or(t.sharing, gpu.Exclusive)
		t.share = cmp.Or(t.share, 1)
	}
	return w
}

// comeAndGo lets one pod after another hold a device, with free time between.
func (w *world) comeAndGo(random *rand.Rand, id gpu.DeviceID, until time.Duration) {
	between := func(low, high time.Duration) time.Duration {
		return low + time.Duration(random.Int64N(int64(high-low)))
	}
	at := between(0, time.Minute)
	for n := 0; ; n++ {
		t := tenancy{
			device: id, pod: fmt.Sprintf("%s-job-%d", id, n), class: gpu.Class(n % 4),
			serves: n%2 == 0, staged: n%3 != 0, from: at, to: at + between(time.Minute, 6*time.Minute),
		}
		if t.to >= until {
			return
		}
		w.tenancies = append(w.tenancies, t)
		at = t.to + between(0, 90*time.Second)
	}
}

func (t *tenancy) holder() gpu.Holder {
	return gpu.Holder{
		Namespace: "team", Pod: t.pod, PodUID: "uid-" + t.pod, PodIP: "10.0.0.9", Container: "main",
		Workload: gpu.Workload{Kind: "Deployment", Name: t.pod, Class: t.class},
	}
}

// held reports whether a device is held by anybody at a time.
func (w *world) held(id gpu.DeviceID, at time.Duration) bool {
	return slices.ContainsFunc(w.tenancies, func(t tenancy) bool {
		return t.device == id && t.from <= at && at < t.to
	})
}

// partitions returns how many MIG instances each board has.
func (w *world) partitions(at gpu.Time) (counts []gpu.PartitionCount) {
	for _, d := range w.devices {
		if d.Parent == "" {
			continue
		}
		board := gpu.Device{ID: d.Parent, Node: d.Node, Cluster: d.Cluster, Model: d.Model}
		i := slices.IndexFunc(counts, func(c gpu.PartitionCount) bool { return c.Board == board })
		if i < 0 {
			i = len(counts)
			counts = append(counts, gpu.PartitionCount{Board: board, Time: at})
		}
		counts[i].Count++
	}
	return counts
}
