// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package feed

import (
	"cmp"
	"fmt"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/watch"
	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/world"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpupdata"
)

const seconds = 60 // of a random world

// genWorld gives worlds of one node, in whole milliseconds.
func genWorld(t *rapid.T) *world.World {
	n := &world.Node{Name: "n", Cluster: "c"}
	for i := range rapid.IntRange(1, 3).Draw(t, "devices") {
		d := plain(gpu.DeviceID(fmt.Sprint("GPU-", i)), seconds, genActivity(t))
		d.Lost = genSpans(t, "lost")
		for _, s := range genSpans(t, "closed") {
			d.Closed = append(d.Closed, world.Closed{Span: s, Reason: gpu.ReasonNode})
		}
		d.Memory = []world.Memory{{From: genSpan(t, "memory").From, Bytes: 5}}
		n.Devices = append(n.Devices, d)
	}
	if rapid.Bool().Draw(t, "board") {
		n.Devices = append(n.Devices, &world.Device{Device: gpu.Device{ID: "GPU-b"}, Life: span(0, seconds)},
			instance("MIG-1", 3, genSpan(t, "life"), genActivity(t)), instance("MIG-2", 4, span(0, seconds), genActivity(t)))
	}
	for i := range rapid.IntRange(0, 3).Draw(t, "pods") {
		n.Pods = append(n.Pods, genPod(t, fmt.Sprint("p", i), n.Devices))
	}
	for _, part := range []world.Part{world.Collector, world.Engine, world.Kubernetes} {
		for _, s := range genSpans(t, "outage") {
			n.Outages = append(n.Outages, world.Outage{Span: s, Part: part})
		}
	}
	if rapid.Bool().Draw(t, "clock") {
		n.Clock = []world.ClockStep{{At: genSpan(t, "step").To, By: 1000 * rapid.Int64Range(-3e6, 3e6).Draw(t, "by")}} // milestones are told in whole microseconds
	}
	for _, s := range genSpans(t, "hitch") {
		n.Hitches = append(n.Hitches, world.Hitch{Span: s, Late: rapid.IntRange(0, 3).Draw(t, "late"), Twice: rapid.Bool().Draw(t, "twice")})
	}
	return worldOf(seconds, n)
}

func genSpan(t *rapid.T, name string) world.Span {
	from := rapid.IntRange(0, seconds*1000-1).Draw(t, name)
	to := rapid.IntRange(from+1, seconds*1000).Draw(t, "to")
	return span(float64(from)/1000, float64(to)/1000)
}

func genSpans(t *rapid.T, name string) (spans []world.Span) {
	if rapid.IntRange(0, 2).Draw(t, name) == 0 {
		spans = append(spans, genSpan(t, name))
	}
	return spans
}

func genActivity(t *rapid.T) world.Activity {
	s := genSpan(t, "busy")
	return world.Steps(world.Step{Until: s.From}, world.Step{Until: s.To, Level: world.Level(rapid.IntRange(0, 1000).Draw(t, "level"))})
}

func genPod(t *rapid.T, name string, devices []*world.Device) *world.Pod {
	d := rapid.SampledFrom(devices).Draw(t, "device")
	p := holds(name, genSpan(t, "hold"), d.ID)
	p.Processes = rapid.Bool().Draw(t, "processes")
	h := &p.Holds[0]
	h.Activity, h.Unseen = world.Except(d.Activity, nil), rapid.Bool().Draw(t, "unseen")
	if rapid.Bool().Draw(t, "shared") {
		h.Sharing, h.Slots = gpu.MPS, gpu.Slots{N: 1, Of: 3}
	}
	at := h.From
	for _, name := range []gpu.MilestoneName{gpu.Scheduled, gpu.ContainerStarted, gpu.Ready, gpu.DeletionRequested} {
		at = at.Add(time.Duration(rapid.IntRange(0, 20).Draw(t, "stage")) * time.Second)
		p.Milestones = append(p.Milestones, world.Milestone{Name: name, At: at})
	}
	for range rapid.IntRange(0, 2).Draw(t, "metrics") {
		m := tokens(p, genSpan(t, "metric"))
		if m.Failing = genSpans(t, "failing"); rapid.Bool().Draw(t, "joined by device") {
			m.Join.Device = d.ID
		}
		p.Metrics = append(p.Metrics, m)
	}
	return p
}

func sorted[T any]() gocmp.Option {
	return cmpopts.SortSlices(func(a, b T) bool { return cmp.Less(fmt.Sprintf("%#v", a), fmt.Sprintf("%#v", b)) })
}

// Every batch is what a collector reads of it, to the last bit.
func TestPropRoundTrip(t *testing.T) {
	t.Parallel()
	bags := gocmp.Options{
		cmpopts.EquateEmpty(),
		sorted[gpu.Sample](), sorted[gpu.Counter](), sorted[gpu.SeriesEnd](), sorted[gpu.Process](), sorted[gpu.Memory](),
		sorted[gpu.Availability](), sorted[gpu.Status](), sorted[gpu.Allocation](), sorted[gpu.AllocationCount](),
		sorted[gpu.PartitionCount](), sorted[gpu.Milestone](), sorted[gpu.Output](),
	}
	profile := tokens(&world.Pod{}, world.Span{}).Profile
	decoder := gpupdata.NewDecoder(gpupdata.Settings{Outputs: []gpu.OutputProfile{profile}})
	rapid.Check(t, func(t *rapid.T) {
		w, s := genWorld(t), genSettings(t)
		for _, d := range all(Node(watch.New(w, w.Nodes[0], s), collector)) {
			got, drops := decoder.Decode(gpupdata.EncodeKnowing(d.Batch, Instances(w.Nodes)), 0)
			require.Empty(t, drops)
			require.Empty(t, gocmp.Diff(d.Batch, got, bags))
		}
	})
}

func genSettings(t *rapid.T) watch.Settings {
	s := every(time.Duration(rapid.SampledFrom([]int{4, 10, 30}).Draw(t, "interval")) * time.Second)
	s.Gauges = rapid.Bool().Draw(t, "gauges")
	return s
}

// Sets are complete, nothing is told before it happens, and nothing goes back
// in time unless a hitch or the clock does.
func TestPropWellFormed(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := genWorld(t)
		n := watch.New(w, w.Nodes[0], genSettings(t))
		newest := map[string]gpu.Time{}
		arrived, steady := gpu.NoTime, len(n.Hitches) == 0 && len(n.Clock) == 0
		for _, d := range all(Node(n, collector)) {
			require.GreaterOrEqual(t, d.Real, arrived)
			arrived = d.Real
			complete(t, d.Batch)
			if len(n.Clock) == 0 {
				forward(t, d.Batch)
			}
			for stream, at := range streams(d.Batch) {
				if steady {
					require.LessOrEqual(t, at, d.Real, stream)
					require.Greater(t, at, newest[stream], stream)
				}
				newest[stream] = at
			}
		}
	})
}

func complete(t *rapid.T, b gpu.Batch) {
	require.LessOrEqual(t, len(b.AllocationCounts), 1)
	current := 0
	for _, a := range b.Allocations {
		if !a.Ended {
			require.Equal(t, b.AllocationCounts[0].Time, a.Time)
			current++
		}
	}
	for _, c := range b.AllocationCounts {
		require.Equal(t, c.Count, current)
	}
	require.Zero(t, len(b.Counters)%2, "pairs")
}

// forward checks that nothing begins after the time that tells of it.
func forward(t *rapid.T, b gpu.Batch) {
	for _, a := range b.Allocations {
		require.LessOrEqual(t, a.Begin, a.Time)
	}
	for _, c := range b.Counters {
		require.LessOrEqual(t, c.Nanos, int64(c.Time.Sub(c.Start)))
	}
}

// streams returns the time of the point of each stream that has one at most.
func streams(b gpu.Batch) map[string]gpu.Time {
	times := map[string]gpu.Time{}
	for _, s := range b.Samples {
		times[fmt.Sprint("samples of ", s.Device.ID)] = s.Time
	}
	for _, c := range b.Counters {
		times[fmt.Sprint("counters of ", c.Device.ID)] = c.Time
	}
	for _, c := range b.AllocationCounts {
		times["sets"] = c.Time
	}
	for _, c := range b.PartitionCounts {
		times[fmt.Sprint("instances of ", c.Board.ID)] = c.Time
	}
	for _, s := range b.Statuses {
		times[fmt.Sprint("status of ", s.Device)] = s.Time
	}
	for _, o := range b.Outputs {
		times[fmt.Sprint("output of ", o.Join, o.Series)] = o.Time
	}
	return times
}
