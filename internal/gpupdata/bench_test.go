// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpupdata

import (
	"strconv"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

var benchSizes = []int{8, 8000}

func benchDevice(i int) gpu.Device {
	return gpu.Device{
		ID:      gpu.DeviceID("GPU-6f7d2f9c-1b0e-4d7a-9c59-" + strconv.Itoa(1_000_000_000+i)),
		Node:    "node-" + strconv.Itoa(i/8),
		Cluster: "cluster", Model: "NVIDIA H200",
	}
}

func benchHolder(i int) gpu.Holder {
	h := holder0
	h.PodUID = "0b6f7d2f-1b0e-4d7a-9c59-" + strconv.Itoa(1_000_000_000+i)
	return h
}

// benchBatch is one collection: of every device, a gauge and a pair of sums
// for each engine, memory, a process, its holder and how its start goes.
func benchBatch(devices int) gpu.Batch {
	var b gpu.Batch
	for i := range devices {
		d := benchDevice(i)
		for _, e := range gpu.Engines() {
			b.Samples = append(b.Samples, gpu.Sample{Device: d, Engine: e, Source: "prof", Time: at(1), Value: 0.5})
			for _, part := range []gpu.CounterPart{gpu.ActivityPart, gpu.ObservedPart} {
				b.Counters = append(b.Counters, gpu.Counter{
					Device: d, Engine: e, Source: "prof", Part: part, Start: at(0), Time: at(1), Nanos: 5e8,
				})
			}
		}
		b.Memory = append(b.Memory, gpu.Memory{Device: d.ID, Time: at(1), Bytes: 1 << 36})
		h := benchHolder(i)
		b.Processes = append(b.Processes, gpu.Process{Device: d.ID, Pod: h.Key(), PID: "42", Time: at(1), Value: 0.5})
		b.Allocations = append(b.Allocations, gpu.Allocation{
			Device: d.ID, Node: d.Node, Cluster: d.Cluster, Holder: h, Sharing: gpu.TimeSlicing,
			Share: 0.25, Slots: gpu.Slots{N: 1, Of: 4}, Time: at(1), Begin: at(0),
		})
		b.Milestones = append(b.Milestones, gpu.Milestone{
			Pod: h.Key(), Name: gpu.ContainerStarted, Container: h.Container, Attempt: 1, At: at(0), Time: at(1),
		})
	}
	return b
}

func BenchmarkDecode(b *testing.B) {
	for _, n := range benchSizes {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			md := Encode(benchBatch(n))
			d := NewDecoder(profiles)
			b.ReportAllocs()
			for b.Loop() {
				if batch, drops := d.Decode(md, at(10)); len(batch.Samples) != 4*n || drops != nil {
					b.Fatal(drops)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(md.DataPointCount()), "ns/point")
		})
	}
}

// benchDerived is one send: of every device, its holder in five conditions.
func benchDerived(devices int) gpu.Derived {
	var d gpu.Derived
	for i := range devices {
		a := account0()
		a.Device, a.Holder = benchDevice(i), benchHolder(i)
		for _, reason := range gpu.Unproven.Reasons()[:2] {
			a.States = append(a.States, gpu.StateTime{
				Condition: gpu.Condition{State: gpu.Unproven, Reason: reason}, Nanos: time.Second, Start: at(0),
			})
		}
		for j := range a.States {
			a.States[j].New = false
		}
		d.Accounts = append(d.Accounts, a)
	}
	return d
}

func BenchmarkEncodeDerived(b *testing.B) {
	for _, n := range benchSizes {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			d := priced(benchDerived(n), twoEuros)
			points := encodeDerived(d, twoEuros).DataPointCount()
			b.ReportAllocs()
			for b.Loop() {
				EncodeDerived(d, pmetric.NewMetrics())
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(points), "ns/point")
		})
	}
}

// BenchmarkDecodeTime reads a send back, as the self-check does. It is per point
// of the send, most of which it passes by.
func BenchmarkDecodeTime(b *testing.B) {
	for _, n := range benchSizes {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			md := encodeDerived(benchDerived(n), nil)
			b.ReportAllocs()
			for b.Loop() {
				if d, drops := DecodeTime(md); len(d.Accounts) != n || drops != nil {
					b.Fatal(drops)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(md.DataPointCount()), "ns/point")
		})
	}
}

// BenchmarkExporter is a scrape of 8 GPUs with the default metrics of
// dcgm-exporter.
func BenchmarkExporter(b *testing.B) {
	md := pmetric.NewMetrics()
	for i := range 25 {
		name := "DCGM_FI_DEV_OTHER_" + strconv.Itoa(i)
		if i < len(exporterMetrics) {
			name = exporterMetrics[i].name
		}
		var points []pt
		for d := range 8 {
			points = append(points, pt{time: at(1), value: 0.5, attrs: attrs{
				"UUID": "GPU-" + strconv.Itoa(d), "modelName": "NVIDIA H100 80GB HBM3", "Hostname": "n", "gpu": strconv.Itoa(d),
				"pod": "p", "namespace": "ml", "container": "c", "pci_bus_id": "00000000:07:00.0", "device": "nvidia0",
			}})
		}
		add(b, md, attrs{"k8s.node.name": "n"}, name, gauge, points...)
	}
	d, _ := exporterDecoder(true)
	for b.Loop() {
		d.Decode(md, 0)
	}
}
