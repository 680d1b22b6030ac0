// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package feed

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/watch"
	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/world"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

var update = flag.Bool("update", false, "write the golden files")

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name+".txt")
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, string(want), got)
}

// fed is what arrives of the first node of a world.
func fed(w *world.World, s watch.Settings) []Delivery {
	return all(Node(watch.New(w, w.Nodes[0], s), Collector{MaxGap: 20 * time.Second, Settle: 5 * time.Second}))
}

// A pod starts, works and goes, on a device that is closed and lost at times.
func TestDevice(t *testing.T) {
	d := plain("GPU-a", 60, busy(10, 60, 500))
	d.Memory = []world.Memory{{From: sec(15), Bytes: 7}}
	d.Lost, d.Closed = []world.Span{span(38, 45)}, []world.Closed{{Span: span(35, 70), Reason: gpu.ReasonHealth}}
	p := holds("p", span(5, 47), "GPU-a")
	p.Milestones = []world.Milestone{
		{Name: gpu.Scheduled, At: sec(4)},
		{Name: gpu.ContainerStarted, Container: "main", Attempt: 1, At: sec(11)},
		{Name: gpu.Ready, Source: gpu.SourceProbe, At: sec(18)},
		{Name: gpu.ContainersFinished, At: sec(31)},
	}
	p.Metrics = []world.Metric{tokens(p, span(14, 33))}
	w := worldOf(60, &world.Node{Name: "n", Cluster: "c", Devices: []*world.Device{d}, Pods: []*world.Pod{p}})
	golden(t, "device", listing(fed(w, every(10*time.Second))))
}

// Pods share a device whose processes are seen; one is deleted by force, one
// lives between two sets. Engine, kubelet and collector are away at times.
func TestShared(t *testing.T) {
	w := worldOf(60, &world.Node{
		Name: "n", Devices: []*world.Device{plain("GPU-a", 60, busy(0, 60, 500))},
		Outages: []world.Outage{
			{Span: span(14, 22), Part: world.Engine},
			{Span: span(30, 36), Part: world.Kubernetes},
			{Span: span(42, 47), Part: world.Collector},
		},
	})
	for i, p := range []*world.Pod{holds("a", span(0, 26), "GPU-a"), holds("b", span(0, 90), "GPU-a"), holds("c", span(22, 24), "GPU-a")} {
		p.Processes = true
		h := &p.Holds[0]
		h.Sharing, h.Slots, h.Activity, h.Unseen = gpu.TimeSlicing, gpu.Slots{N: 1, Of: 4}, busy(0, 60, 250), i == 0
		w.Nodes[0].Pods = append(w.Nodes[0].Pods, p)
	}
	s := every(10 * time.Second)
	s.Gauges = true
	golden(t, "shared", listing(fed(w, s)))
}

// A board is partitioned anew while its instances are at work.
func TestBoard(t *testing.T) {
	w := worldOf(30, &world.Node{
		Name: "n", Devices: []*world.Device{
			{Device: gpu.Device{ID: "GPU-b"}, Life: span(0, 30)},
			instance("MIG-1", 7, span(0, 15), nil), instance("MIG-2", 3, span(16, 30), nil),
		},
		Pods: []*world.Pod{holds("p", span(16, 40), "MIG-2")},
	})
	golden(t, "board", listing(fed(w, every(10*time.Second))))
}

// The clock of a node is set back shortly before the end, at which its kubelet
// is away: nothing is told of the time before the ending, or contradicts it.
func TestEndingAfterAClockStep(t *testing.T) {
	w := worldOf(12, &world.Node{
		Name: "n", Devices: []*world.Device{plain("GPU-a", 12, nil), plain("GPU-held", 12, nil)},
		Pods:    []*world.Pod{holds("p", span(0, 60), "GPU-held")},
		Clock:   []world.ClockStep{{At: sec(11), By: -5e9}},
		Outages: []world.Outage{{Span: span(9, 12), Part: world.Kubernetes}},
	})
	w.Nodes[0].Devices[1].Lost = []world.Span{span(-1, 12)}
	golden(t, "clockstep", listing(fed(w, every(3*time.Second))))
}

func TestSeries(t *testing.T) {
	p := holds("p", span(0, 60), "GPU-a")
	p.Metrics = []world.Metric{tokens(p, span(0, 60)), tokens(p, span(0, 60)), tokens(p, span(0, 60))}
	p.Metrics[2].Join.Device = "GPU-a"
	for i, want := range []string{``, `series="1"`, `hw.id="GPU-a",series="2"`} {
		assert.Equal(t, want, newMetric(p, i).series)
	}
}
