// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package exporter

import (
	"time"

	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpupdata"
)

// known is the truth of a device, as a person reads it from the text.
type known struct {
	device   gpu.DeviceID
	parent   gpu.DeviceID
	slices   gpu.Slices
	pods     []string // each has one slot
	activity []float64
}

// truths is what the files say. A sample speaks for the time before it, so the
// activity up to a scrape is what the scrape has.
var truths = map[string][]known{
	"plain": {
		{device: "GPU-00000000-0000-0000-0000-0000000000a0", pods: []string{"train-0"}, activity: []float64{0.875, 0.5, 0.125}},
		{device: "GPU-00000000-0000-0000-0000-0000000000a1", activity: []float64{0, 0, 0}},
	},
	"plain_4_9": {
		{device: "GPU-00000000-0000-0000-0000-0000000000b0", pods: []string{"new-0"}, activity: []float64{0.875, 0.25}},
	},
	"util_only": {
		{device: "GPU-00000000-0000-0000-0000-0000000000c0", pods: []string{"util-0"}, activity: []float64{0.55, 0.07}},
	},
	"mig": {
		{
			device: "MIG-GPU-00000000-0000-0000-0000-0000000000d0:gi1", parent: "GPU-00000000-0000-0000-0000-0000000000d0",
			slices: gpu.Slices{N: 3, Of: 7}, pods: []string{"big-0"}, activity: []float64{0.75, 0.5},
		},
		{
			device: "MIG-GPU-00000000-0000-0000-0000-0000000000d0:gi5", parent: "GPU-00000000-0000-0000-0000-0000000000d0",
			slices: gpu.Slices{N: 2, Of: 7}, pods: []string{"small-0"}, activity: []float64{0.25, 1},
		},
		{
			device: "MIG-GPU-00000000-0000-0000-0000-0000000000d0:gi9", parent: "GPU-00000000-0000-0000-0000-0000000000d0",
			slices: gpu.Slices{N: 1, Of: 7}, activity: []float64{0, 0},
		},
	},
	"virtual": {
		{device: "GPU-00000000-0000-0000-0000-0000000000e0", pods: []string{"a-0", "b-0", "b-0"}, activity: []float64{0.75, 0.25}},
	},
	"dra": {
		{device: "GPU-00000000-0000-0000-0000-0000000000f0", pods: []string{"claim-0"}, activity: []float64{0.5}},
		{
			device: "MIG-00000000-0000-0000-0000-0000000000f2", parent: "GPU-00000000-0000-0000-0000-0000000000f1",
			slices: gpu.Slices{N: 2, Of: 7}, pods: []string{"claim-1"}, activity: []float64{0.25},
		},
		{
			device: "MIG-GPU-00000000-0000-0000-0000-0000000000f1:gi9", parent: "GPU-00000000-0000-0000-0000-0000000000f1",
			slices: gpu.Slices{N: 1, Of: 7}, activity: []float64{0},
		},
	},
	"blanks": {
		{device: "GPU-00000000-0000-0000-0000-000000000100", pods: []string{"blank-0"}, activity: []float64{0.5, 1}},
		{device: "GPU-00000000-0000-0000-0000-000000000101", activity: []float64{0.5, 1}},
	},
	"exported": {
		{device: "GPU-00000000-0000-0000-0000-000000000110", pods: []string{"real-0"}, activity: []float64{0.5}},
		{device: "GPU-00000000-0000-0000-0000-000000000111", activity: []float64{0}},
	},
}

// told returns the truth of a node as dcgm and k8s_gpu tell it, at the times of
// its scrapes.
func told(node string, devices []known, scrapes []scrape) pmetric.Metrics {
	var b gpu.Batch
	sums, first := make([]time.Duration, len(devices)), scrapes[0].time
	for i, s := range scrapes {
		now, set := s.time, 0
		for n, of := range devices {
			d := gpu.Device{ID: of.device, Parent: of.parent, Slices: of.slices, Node: node}
			if i > 0 {
				sums[n] += time.Duration(of.activity[s.number%len(of.activity)] * float64(now.Sub(scrapes[i-1].time)))
			}
			for part, sum := range map[gpu.CounterPart]time.Duration{gpu.ActivityPart: sums[n], gpu.ObservedPart: now.Sub(first)} {
				b.Counters = append(b.Counters, gpu.Counter{Device: d, Source: "prof", Part: part, Start: first, Time: now, Nanos: int64(sum)})
			}
			for slot, pod := range of.pods {
				b.Allocations = append(b.Allocations, of.allocation(node, pod, slot, now))
				set++
			}
		}
		b.AllocationCounts = append(b.AllocationCounts, gpu.AllocationCount{Node: node, Time: now, Count: set})
	}
	return gpupdata.Encode(b)
}

// allocation is the part of a device that a pod's slot is. Each is a container
// of its own.
func (k known) allocation(node, pod string, slot int, now gpu.Time) gpu.Allocation {
	a := gpu.Allocation{
		Device: k.device, Node: node, Time: now, Share: 1, Sharing: gpu.Exclusive,
		Holder: gpu.Holder{Namespace: "ml", Pod: pod, Container: string(rune('a' + slot))},
	}
	if n := len(k.pods); n > 1 {
		a.Sharing, a.Share = gpu.TimeSlicing, 1/float64(n)
		a.Slots = gpu.Slots{N: 1, Of: int64(n)}
	}
	return a
}
