// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpupdata

import (
	"fmt"
	"math"
	"slices"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// exactNanos is the range in which a double of seconds tells every nanosecond.
const exactNanos = 1 << 23 * 1_000_000_000

// Small sets, so that things meet; "" where a name may be missing.
var (
	genTime     = rapid.Custom(func(t *rapid.T) gpu.Time { return at(rapid.Float64Range(0, 3).Draw(t, "s")) })
	genBegin    = rapid.OneOf(rapid.Just(gpu.NoTime), rapid.Just(gpu.Earliest), genTime)
	genName     = rapid.StringMatching(`[a-zü" =,]{0,2}`)
	genDeviceID = rapid.Map(rapid.StringMatching(`GPU-[a-d]`), func(s string) gpu.DeviceID { return gpu.DeviceID(s) })
	genPartID   = rapid.Map(rapid.StringMatching(`MIG-[a-d]`), func(s string) gpu.DeviceID { return gpu.DeviceID(s) })
	genEngine   = rapid.SampledFrom(gpu.Engines())
	genNanos    = rapid.Int64Range(0, exactNanos)
	genValue    = rapid.Float64Range(0, math.MaxFloat64)
)

var genBoard = rapid.Custom(func(t *rapid.T) gpu.Device {
	return gpu.Device{
		ID:      genDeviceID.Draw(t, "id"),
		Node:    genName.Draw(t, "node"),
		Cluster: genName.Draw(t, "cluster"),
		Model:   genName.Draw(t, "model"),
	}
})

// genDevice gives whole devices and MIG instances.
var genDevice = rapid.Custom(func(t *rapid.T) gpu.Device {
	d := genBoard.Draw(t, "device")
	if rapid.Bool().Draw(t, "partition") {
		d.ID, d.Parent = genPartID.Draw(t, "part"), d.ID
		d.Slices.Of = rapid.IntRange(1, gpu.MaxSlices).Draw(t, "of")
		d.Slices.N = rapid.IntRange(1, d.Slices.Of).Draw(t, "slices")
	}
	return d
})

// genHolder gives holders whose Key isn't empty.
var genHolder = rapid.Custom(func(t *rapid.T) gpu.Holder {
	h := gpu.Holder{
		Namespace: genName.Draw(t, "namespace"),
		Pod:       genName.Draw(t, "pod"),
		PodUID:    genName.Draw(t, "uid"),
		PodIP:     genName.Draw(t, "ip"),
		Container: genName.Draw(t, "container"),
		Workload: gpu.Workload{
			Kind:  genName.Draw(t, "kind"),
			Name:  genName.Draw(t, "name"),
			Class: rapid.SampledFrom([]gpu.Class{gpu.ClassUnclassified, gpu.ClassBatch}).Draw(t, "class"),
			Group: genName.Draw(t, "group"),
		},
	}
	if h.Key() == "" {
		h.Pod = "pod"
	}
	return h
})

func slice[T any](t *rapid.T, name string, draw func(*rapid.T) T) []T {
	return rapid.SliceOfN(rapid.Custom(draw), 0, 4).Draw(t, name)
}

// genBatch gives batches that Encode can write whole. With labels, every
// engine's point tells who held its device.
func genBatch(t *rapid.T, labels bool) gpu.Batch {
	b := gpu.Batch{
		Samples:          slice(t, "samples", drawSample),
		Counters:         slice(t, "counters", drawCounter),
		SeriesEnds:       slice(t, "ends", drawSeriesEnd),
		Processes:        slice(t, "processes", drawProcess),
		Memory:           slice(t, "memory", drawMemory),
		Availability:     slice(t, "availability", drawAvailability),
		Statuses:         slice(t, "statuses", drawStatus),
		Allocations:      slice(t, "allocations", drawAllocation),
		AllocationCounts: slice(t, "counts", drawCount),
		PartitionCounts:  slice(t, "instances", drawPartitionCount),
		Milestones:       slice(t, "milestones", drawMilestone),
		Outputs:          slice(t, "outputs", drawOutput),
	}
	for i := range b.Samples { // of a device without samples, only the ID is known
		if d := b.Samples[i].Device; i < len(b.Processes) && d.Parent != "" {
			b.Processes[i].Device = d.ID
		}
	}
	if labels {
		addLabels(t, &b)
	}
	return b
}

func drawProcess(t *rapid.T) gpu.Process {
	p := gpu.Process{
		Device: genDeviceID.Draw(t, "device"),
		PID:    genName.Draw(t, "pid"),
		Time:   genTime.Draw(t, "time"),
		Value:  rapid.Float64Range(0, 1).Draw(t, "value"),
	}
	if rapid.Bool().Draw(t, "of a pod") {
		p.Pod = genHolder.Draw(t, "holder").Key()
	}
	return p
}

func drawPartitionCount(t *rapid.T) gpu.PartitionCount {
	c := gpu.PartitionCount{
		Board: genBoard.Draw(t, "board"), Time: genTime.Draw(t, "time"), Ended: rapid.Bool().Draw(t, "ended"),
	}
	if !c.Ended {
		c.Count = rapid.IntRange(0, math.MaxInt32).Draw(t, "count")
	}
	return c
}

func drawSample(t *rapid.T) gpu.Sample {
	return gpu.Sample{
		Device: genDevice.Draw(t, "device"),
		Engine: genEngine.Draw(t, "engine"),
		Source: genName.Draw(t, "source"),
		Time:   genTime.Draw(t, "time"),
		Value:  rapid.Float64Range(0, 1).Draw(t, "value"),
	}
}

func drawCounter(t *rapid.T) gpu.Counter {
	return gpu.Counter{
		Device: genDevice.Draw(t, "device"),
		Engine: genEngine.Draw(t, "engine"),
		Source: genName.Draw(t, "source"),
		Part:   rapid.SampledFrom([]gpu.CounterPart{gpu.ActivityPart, gpu.ObservedPart}).Draw(t, "part"),
		Start:  genBegin.Draw(t, "start"),
		Time:   genTime.Draw(t, "time"),
		Nanos:  genNanos.Draw(t, "nanos"),
	}
}

func drawSeriesEnd(t *rapid.T) gpu.SeriesEnd {
	s := drawSample(t)
	return gpu.SeriesEnd{Device: s.Device, Engine: s.Engine, Source: s.Source, Time: s.Time}
}

func drawMemory(t *rapid.T) gpu.Memory {
	isBlank := func(n uint64) bool { return n >= blankInt32 && n < blankInt32+blanks }
	n := rapid.Uint64Range(0, 1<<60).Filter(func(n uint64) bool { return !isBlank(n) }).Draw(t, "bytes")
	return gpu.Memory{Device: genDeviceID.Draw(t, "device"), Time: genTime.Draw(t, "time"), Bytes: n}
}

func drawAvailability(t *rapid.T) gpu.Availability {
	a := gpu.Availability{
		Device: genDeviceID.Draw(t, "device"), Time: genTime.Draw(t, "time"),
		Available: rapid.Bool().Draw(t, "available"),
	}
	if !a.Available {
		a.Reason = rapid.SampledFrom(gpu.Unavailable.Reasons()).Draw(t, "reason")
	}
	return a
}

func drawStatus(t *rapid.T) gpu.Status {
	return gpu.Status{
		Device: genDeviceID.Draw(t, "device"), Time: genTime.Draw(t, "time"), Failed: rapid.Bool().Draw(t, "failed"),
	}
}

func drawAllocation(t *rapid.T) gpu.Allocation {
	a := gpu.Allocation{
		Device:  rapid.OneOf(genDeviceID, genPartID).Draw(t, "device"),
		Ref:     genName.Draw(t, "ref"),
		Node:    genName.Draw(t, "node"),
		Cluster: genName.Draw(t, "cluster"),
		Holder:  genHolder.Draw(t, "holder"),
		Sharing: rapid.SampledFrom([]gpu.Sharing{gpu.Exclusive, gpu.MIG, gpu.MPS, "odd"}).Draw(t, "sharing"),
		Share:   rapid.Float64().Draw(t, "share"),
		Time:    genTime.Draw(t, "time"),
		Begin:   genBegin.Draw(t, "begin"),
		Ended:   rapid.Bool().Draw(t, "ended"),
	}
	if a.Ended {
		a.Share = 0
	}
	if a.Ref != "" && rapid.Bool().Draw(t, "unresolved") {
		a.Device = ""
	}
	if isPartition(a.Device) && a.Sharing == gpu.Exclusive {
		a.Sharing = gpu.MIG
	}
	if rapid.Bool().Draw(t, "slots") {
		a.Slots = gpu.Slots{N: rapid.Int64().Draw(t, "n"), Of: rapid.Int64().Draw(t, "of")}
	}
	return a
}

func drawCount(t *rapid.T) gpu.AllocationCount {
	return gpu.AllocationCount{
		Node: genName.Draw(t, "node"), Cluster: genName.Draw(t, "cluster"),
		Time: genTime.Draw(t, "time"), Count: rapid.IntRange(0, math.MaxInt32).Draw(t, "count"),
	}
}

func drawMilestone(t *rapid.T) gpu.Milestone {
	return gpu.Milestone{
		Pod:       genHolder.Draw(t, "holder").Key(),
		Name:      rapid.SampledFrom(milestoneNames()).Draw(t, "name"),
		Attempt:   rapid.IntRange(0, maxAttempt).Draw(t, "attempt"),
		Container: genName.Draw(t, "container"),
		Source:    genName.Draw(t, "source"),
		At:        genTime.Draw(t, "at") / microsecond * microsecond,
		Time:      genTime.Draw(t, "time"),
	}
}

func drawOutput(t *rapid.T) gpu.Output {
	h := genHolder.Draw(t, "holder")
	o := gpu.Output{
		Profile: rapid.SampledFrom(profiles.Outputs).Draw(t, "profile"),
		Join:    gpu.Join{PodUID: h.PodUID, Namespace: h.Namespace, Pod: h.Pod, PodIP: h.PodIP, Group: h.Workload.Group},
		Start:   genBegin.Draw(t, "start"),
		Time:    genTime.Draw(t, "time"),
		Ended:   rapid.Bool().Draw(t, "ended"),
	}
	if rapid.Bool().Draw(t, "of a device") || h.PodUID == "" && h.PodIP == "" {
		o.Join.Device = genDeviceID.Draw(t, "device")
	}
	if !o.Ended {
		o.Value = genValue.Draw(t, "value")
	}
	var own []label
	if o.Join.Device != "" {
		own = append(own, label{AttrHWID, string(o.Join.Device)})
	}
	keys := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z" =,ü]{1,2}`), 0, 3, rapid.ID[string]).Draw(t, "keys")
	for _, key := range keys {
		own = append(own, label{key, rapid.StringN(1, 3, -1).Draw(t, "value")})
	}
	o.Series = formatSeries(own)
	return o
}

// addLabels says for every engine's point who held its device.
func addLabels(t *rapid.T, b *gpu.Batch) {
	held := map[instant]gpu.Holder{}
	add := func(d gpu.Device, at gpu.Time) {
		key := instant{d.ID, at}
		if _, ok := held[key]; !ok {
			held[key] = rapid.OneOf(rapid.Just(gpu.Holder{}), genHolder).Draw(t, "labels")
		}
		b.DeviceAllocations = append(b.DeviceAllocations, gpu.DeviceAllocation{Device: d, Holder: held[key], Time: at})
	}
	for _, s := range b.Samples {
		if s.Engine == gpu.EngineAny {
			add(s.Device, s.Time)
		}
	}
	for _, c := range b.Counters {
		if c.Engine == gpu.EngineAny && c.Part == gpu.ActivityPart {
			add(c.Device, c.Time)
		}
	}
}

// unordered compares slices as bags, at any depth.
var unordered = cmp.Options{
	cmpopts.EquateEmpty(),
	sorted[gpu.Sample](), sorted[gpu.Counter](), sorted[gpu.SeriesEnd](), sorted[gpu.Memory](),
	sorted[gpu.Availability](), sorted[gpu.Status](), sorted[gpu.Allocation](), sorted[gpu.AllocationCount](),
	sorted[gpu.Process](), sorted[gpu.PartitionCount](), sorted[gpu.DeviceAllocation](), sorted[gpu.Milestone](), sorted[gpu.Output](),
	sorted[gpu.Account](), sorted[gpu.StateTime](), sorted[gpu.DepthTime](), sorted[gpu.OutputTotal](),
}

func sorted[T any]() cmp.Option {
	return cmpopts.SortSlices(func(a, b T) int { return cmpStrings(fmt.Sprintf("%+v", a), fmt.Sprintf("%+v", b)) })
}

func cmpStrings(a, b string) int { return slices.Compare([]byte(a), []byte(b)) }
