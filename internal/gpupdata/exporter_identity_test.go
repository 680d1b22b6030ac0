// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpupdata

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

const (
	migBoard = "GPU-00000000-0000-0000-0000-0000000000d0"
	standIn1 = "MIG-" + migBoard + ":gi1"
	standIn5 = "MIG-" + migBoard + ":gi5"
	standIn9 = "MIG-" + migBoard + ":gi9"
)

// sampled returns the devices that a batch has samples of, in order.
func sampled(t *testing.T, d *Decoder, md pmetric.Metrics) (ids []string, drops Drops) {
	t.Helper()
	b, drops := d.Decode(md, 0)
	for _, s := range b.Samples {
		ids = append(ids, string(s.Device.ID))
	}
	slices.Sort(ids)
	return ids, drops
}

// setOf is an allocation set, with an instance for each pod named.
func setOf(s float64, holds ...[2]string) pmetric.Metrics {
	b := gpu.Batch{AllocationCounts: []gpu.AllocationCount{{Node: "mig", Time: at(s), Count: len(holds)}}}
	for _, h := range holds {
		b.Allocations = append(b.Allocations, gpu.Allocation{
			Device: gpu.DeviceID(h[1]), Node: "mig", Time: at(s), Share: 1,
			Holder: gpu.Holder{Namespace: "ml", Pod: h[0], PodUID: "uid-" + h[0], Container: "c"},
		})
	}
	return Encode(b)
}

// heardAll lets a decoder hear a first scrape and an empty set, long before.
func heardAll(d *Decoder, md pmetric.Metrics) {
	d.Decode(scrapeAt(md, -20), 0)
	d.Decode(setOf(-10), 0)
}

// TestInstanceIdentityWaits: as long as a set may name its UUID, an instance has
// none, but not for ever.
func TestInstanceIdentityWaits(t *testing.T) {
	d, _ := exporterDecoder(false)
	mig := exposition(t, "mig", 0, 30)
	ids, drops := sampled(t, d, mig[0])
	require.Empty(t, ids)
	require.Equal(t, Drops{DropUnknownInstance: 4}, drops, "three activities and one memory")
	ids, drops = sampled(t, d, scrapeAt(mig[0], 89))
	require.Empty(t, ids)
	require.NotNil(t, drops)
	ids, drops = sampled(t, d, scrapeAt(mig[0], 90))
	require.Equal(t, []string{standIn1, standIn5, standIn9}, ids, "nobody tells")
	require.Nil(t, drops)

	d, _ = exporterDecoder(false)
	d.Decode(setOf(0), 0)
	ids, _ = sampled(t, d, mig[0])
	require.Empty(t, ids, "dcgm may tell")
	ids, _ = sampled(t, d, scrapeAt(mig[0], 19))
	require.Empty(t, ids)
	ids, _ = sampled(t, d, scrapeAt(mig[0], 20))
	require.Equal(t, []string{standIn1, standIn5, standIn9}, ids)
}

// TestInstanceIdentityByPod: the instance that a pod holds is the one that has
// its labels, and stays so when the pod is gone.
func TestInstanceIdentityByPod(t *testing.T) {
	d, _ := exporterDecoder(false)
	mig := exposition(t, "mig", 1, 30)
	heardAll(d, mig[0])
	d.Decode(setOf(0, [2]string{"big-0", "MIG-x"}, [2]string{"other", "MIG-y"}), 0)
	ids, _ := sampled(t, d, mig[0])
	require.Equal(t, []string{standIn5, standIn9, "MIG-x"}, ids)
	d.Decode(setOf(10), 0)
	ids, _ = sampled(t, d, mig[1])
	require.Equal(t, []string{standIn5, standIn9, "MIG-x"}, ids)
	d.Decode(setOf(40, [2]string{"small-0", "MIG-x"}), 0)
	ids, _ = sampled(t, d, scrapeAt(mig[1], 41))
	require.Equal(t, []string{standIn1, standIn9, "MIG-x"}, ids, "laid out anew: one instance has a UUID")
}

// TestInstanceIdentityNotGuessed: which of two instances of a pod is which isn't
// told, nor whose an old set is.
func TestInstanceIdentityNotGuessed(t *testing.T) {
	d, _ := exporterDecoder(false)
	mig := exposition(t, "mig", 1, 30)
	heardAll(d, mig[0])
	d.Decode(setOf(0, [2]string{"big-0", "MIG-x"}, [2]string{"big-0", "MIG-y"}), 0)
	ids, _ := sampled(t, d, mig[0])
	require.Equal(t, []string{standIn1, standIn5, standIn9}, ids)
	d.Decode(setOf(2, [2]string{"small-0", "MIG-z"}), 0)
	ids, _ = sampled(t, d, scrapeAt(mig[0], 93))
	require.Equal(t, []string{standIn1, standIn5, standIn9}, ids, "told 91 s ago")
}

// TestInstanceIdentityByResource: dcgm knows better; of a GPU instance that is
// divided again it tells the parts, which are the evidence.
func TestInstanceIdentityByResource(t *testing.T) {
	d, _ := exporterDecoder(false)
	told := pmetric.NewMetrics()
	deviceNumbered(told, "MIG-real", migBoard, 5)
	deviceNumbered(told, "MIG-first", migBoard, 9)
	deviceNumbered(told, "MIG-second", migBoard, 9)
	d.Decode(told, 0)
	mig := exposition(t, "mig", 1, 30)[0]
	heardAll(d, mig)
	ids, drops := sampled(t, d, mig)
	require.Equal(t, []string{standIn1, "MIG-real"}, ids)
	require.Equal(t, Drops{DropShadowed: 1}, drops)
}

// TestAllocationFindsStandIn: an allocator that knows numbers only finds what is
// accounted.
func TestAllocationFindsStandIn(t *testing.T) {
	d, _ := exporterDecoder(false)
	mig := exposition(t, "mig", 1, 30)[0]
	heardAll(d, mig)
	d.Decode(mig, 0)
	device, drops := decodeOne(t, d, allocatedByNumber(2, migBoard, 9))
	require.Equal(t, standIn9, device)
	require.Nil(t, drops)
}

// TestExporterCounts: instances that are gone end by two counts that lack them,
// and the mode after the last; whoever else counts is better.
func TestExporterCounts(t *testing.T) {
	d, memory := exporterDecoder(true)
	mig := exposition(t, "mig", 0, 30)[0]
	plain := pmetric.NewMetrics()
	mig.CopyTo(plain)
	for _, m := range plain.ResourceMetrics().At(0).ScopeMetrics().All() {
		points, _ := numberPoints(m.Metrics().At(0))
		for _, p := range points.All() {
			p.Attributes().Remove(labelGI)
		}
	}
	counts := func(md pmetric.Metrics, s float64) []gpu.PartitionCount {
		b, _ := d.Decode(scrapeAt(md, s), 0)
		return b.PartitionCounts
	}
	want := func(s float64, n int, over bool) []gpu.PartitionCount {
		return []gpu.PartitionCount{{
			Board: gpu.Device{ID: migBoard, Node: "mig", Model: "NVIDIA H100 80GB HBM3"}, Time: at(s), Count: n, Ended: over,
		}}
	}
	require.Equal(t, want(0, 3, false), counts(mig, 0))
	require.Equal(t, want(30, 0, false), counts(plain, 30))
	for range 5 { // what follows it in the pipeline refuses it
		require.Equal(t, want(60, 0, false), counts(plain, 60), "a batch that comes again is no further scrape")
	}
	require.Equal(t, want(30, 0, false), counts(plain, 30))
	require.Equal(t, want(90, 0, true), counts(plain, 90))
	require.Equal(t, want(120, 0, true), counts(plain, 120))
	require.Empty(t, counts(plain, 150))
	require.Equal(t, want(180, 3, false), counts(mig, 180))
	memory.hearCount(migBoard, at(200))
	require.Empty(t, counts(mig, 210))
	require.Equal(t, want(291, 3, false), counts(mig, 291), "it is silent")
}

// TestLabelsOfOneSource: a device of which dcgm-exporter's labels tell isn't
// free because dcgm's points have none.
func TestLabelsOfOneSource(t *testing.T) {
	d, _ := exporterDecoder(true)
	const id = "GPU-00000000-0000-0000-0000-0000000000a0"
	own := func(s float64) pmetric.Metrics {
		return metrics(t, attrs{"hw.id": id}, "gpu.activity", gauge, pt{attrs: engineOnly, time: at(s), value: 0.5})
	}
	holders := func(md pmetric.Metrics) (pods []string) {
		b, _ := d.Decode(md, 0)
		for _, a := range b.DeviceAllocations {
			pods = append(pods, a.Holder.Pod)
		}
		return pods
	}
	require.Equal(t, []string{""}, holders(own(0)), "nobody else tells")
	require.Equal(t, []string{"train-0", ""}, holders(exposition(t, "plain", 1, 30)[0]))
	require.Empty(t, holders(own(2)))
	require.Equal(t, []string{""}, holders(own(92)))
}

// TestExporterOwnPod: labels that the target put on the series name the
// exporter, which holds nothing.
func TestExporterOwnPod(t *testing.T) {
	d, _ := exporterDecoder(true)
	md := exposition(t, "util_only", 1, 30)[0]
	p := md.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().At(0).Gauge().DataPoints().At(0)
	p.Attributes().PutStr("pod", "exporter-x")
	p.Attributes().PutStr("namespace", "monitoring")
	b, _ := d.Decode(md, 0)
	require.Equal(t, gpu.Holder{}, b.DeviceAllocations[0].Holder)
}

// TestExporterMemoryIsBounded: whatever names come, it doesn't grow.
func TestExporterMemoryIsBounded(t *testing.T) {
	_, memory := exporterDecoder(true)
	for i := range 3 * mostRemembered {
		id := gpu.DeviceID("MIG-" + time.Duration(i).String())
		memory.labels(id, at(1))
		memory.hearCount(id, at(1))
		memory.hearAllocation(&gpu.Allocation{Device: id, Holder: gpu.Holder{Pod: string(id)}, Time: at(1)})
		memory.refuse(string(id), DropUnknownMetric)
	}
	for _, n := range []int{len(memory.labelled), len(memory.boards), len(memory.held), len(memory.names)} {
		require.LessOrEqual(t, n, mostRemembered)
	}
}

// scrapeAt returns a scrape at another time.
func scrapeAt(md pmetric.Metrics, s float64) pmetric.Metrics {
	moved := ended(md, at(s))
	for _, sm := range moved.ResourceMetrics().At(0).ScopeMetrics().All() {
		points, _ := numberPoints(sm.Metrics().At(0))
		for _, p := range points.All() {
			p.SetFlags(pmetric.DefaultDataPointFlags)
		}
	}
	return moved
}
