// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package truth_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/truth"
	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/watch"
	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/world"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

func between(from, to float64) world.Span { return world.Span{From: at(from), To: at(to)} }

func plain(id gpu.DeviceID, seconds float64, a world.Activity) *world.Device {
	return &world.Device{Device: gpu.Device{ID: id}, Life: between(0, seconds), Activity: a}
}

func holder(name string, holds ...world.Hold) *world.Pod {
	return &world.Pod{Holder: gpu.Holder{Pod: name, PodUID: name, Container: "main"}, Holds: holds}
}

// ideal returns the states of every account of a node, as they truly are.
func ideal(seconds float64, n *world.Node) map[string]time.Duration {
	states := map[string]time.Duration{}
	w := &world.World{Start: begin, End: at(seconds), Nodes: []*world.Node{n}}
	for _, a := range truth.Accounts(watch.New(w, n, watch.Ideal()), truth.DefaultRules()) {
		for c, nanos := range a.States {
			states[fmt.Sprintf("%s %s %s %s %s", a.Device.ID, a.Holder.Pod, c.State, c.Reason, c.Form)] = nanos
		}
	}
	return states
}

// A pod starts until it is ready, works at a half, rests, and goes.
func TestOneHolder(t *testing.T) {
	p := holder("a", world.Hold{Span: between(100, 1000), Device: "d", Sharing: gpu.Exclusive})
	p.Milestones = []world.Milestone{
		{Name: gpu.Scheduled, At: at(100)},
		{Name: gpu.PullStarted, At: at(110)},
		{Name: gpu.Ready, Source: gpu.SourceProbe, At: at(130)},
		{Name: gpu.DeletionRequested, At: at(990)},
	}
	a := world.Steps(world.Step{Until: at(200)}, world.Step{Until: at(300), Level: 500})
	assert.Equal(t, map[string]time.Duration{
		"d  unallocated free ":               100 * time.Second,
		"d a startup admission ":             10 * time.Second,
		"d a startup image_pull ":            20 * time.Second,
		"d a idle provisioning between_work": 72_776_500_000, // the first interval of work, up to 205.553 s, begins with none
		"d a idle unclassified between_work": 347_223_500_000,
		"d a idle unclassified episode":      390 * time.Second,
		"d a unproven no_app_metric ":        50 * time.Second,
		"d a terminating  ":                  10 * time.Second,
	}, ideal(1000, &world.Node{Name: "n", Devices: []*world.Device{plain("d", 1000, a)}, Pods: []*world.Pod{p}}))
}

// Two pods with one slot of three each share what is active equally.
func TestShared(t *testing.T) {
	h := world.Hold{Span: between(0, 60), Device: "d", Sharing: gpu.TimeSlicing, Slots: gpu.Slots{N: 1, Of: 3}}
	got := ideal(60, &world.Node{
		Name: "n", Devices: []*world.Device{plain("d", 60, world.Steps(world.Step{Until: at(30), Level: world.Full}))},
		Pods: []*world.Pod{holder("a", h), holder("b", h)},
	})
	assert.Equal(t, 15*time.Second, got["d a unproven no_app_metric "])
	assert.Equal(t, 15*time.Second, got["d b unproven no_app_metric "])
	assert.InDelta(t, 10*time.Second, got["d a idle unclassified between_work"], 3)
	assert.InDelta(t, 10*time.Second, got["d  unallocated shared_slot "], 3)
}

// Activity of a pod on another's slot, or after it, is foreign.
func TestForeign(t *testing.T) {
	p := holder("a", world.Hold{Span: between(0, 30), Device: "d", Sharing: gpu.Exclusive})
	got := ideal(60, &world.Node{
		Name: "n", Devices: []*world.Device{plain("d", 60, world.Steps(world.Step{Until: at(40), Level: 600}))},
		Pods: []*world.Pod{p},
	})
	assert.Equal(t, 18*time.Second, got["d a unproven no_app_metric "])
	assert.Equal(t, 6*time.Second, got["d  unallocated foreign_activity "])
	assert.Equal(t, 24*time.Second, got["d  unallocated free "])
}

// A board of 7 slices of which an instance has 3, for half a minute.
func TestBoard(t *testing.T) {
	i := plain("MIG-1", 0, nil)
	i.Parent, i.Slices, i.Life = "d", gpu.Slices{N: 3, Of: 7}, between(7, 42)
	other := plain("MIG-2", 70, nil)
	other.Parent, other.Slices = "d", gpu.Slices{N: 2, Of: 7}
	got := ideal(70, &world.Node{Name: "n", Devices: []*world.Device{plain("d", 70, nil), i, other}})
	assert.InDelta(t, 15*time.Second, got["MIG-1  unallocated free "], 2)
	assert.InDelta(t, 20*time.Second, got["MIG-2  unallocated free "], 2)
	assert.Equal(t, 70*time.Second, got["MIG-1  unallocated free "]+got["MIG-2  unallocated free "]+got["d  unallocated unpartitioned "])
}

// What is hidden for longer than a gap is unknown; a device that is lost is
// said to have failed.
func TestHidden(t *testing.T) {
	d := plain("d", 400, world.Steps(world.Step{Until: at(400), Level: world.Full}))
	d.Lost = []world.Span{between(300, 400)}
	p := holder("a", world.Hold{Span: between(0, 400), Device: "d", Sharing: gpu.Exclusive})
	got := ideal(400, &world.Node{
		Name: "n", Devices: []*world.Device{d}, Pods: []*world.Pod{p},
		Outages: []world.Outage{{Span: between(50, 150), Part: world.Kubernetes}},
	})
	assert.InDelta(t, 100*time.Second, got["d  unobserved allocation "], 1)
	assert.InDelta(t, 200*time.Second, got["d a unproven no_app_metric "], 1)
	assert.Equal(t, 100*time.Second, got["d a unobserved device "])
}

// An hour of bursts of 20 ms: every one of them counts, and it takes no time.
func TestBursts(t *testing.T) {
	bursts := func() world.Walk {
		now, on := begin, false
		return func() (world.Step, bool) {
			now, on = now.Add(20*time.Millisecond), !on
			s := world.Step{Until: now}
			if on {
				s.Level = world.Full
			}
			return s, now <= at(3600)
		}
	}
	p := holder("a", world.Hold{Span: between(0, 3600), Device: "d", Sharing: gpu.Exclusive})
	got := ideal(3600, &world.Node{Name: "n", Devices: []*world.Device{plain("d", 3600, bursts)}, Pods: []*world.Pod{p}})
	assert.Equal(t, 1800*time.Second, got["d a unproven no_app_metric "])
}
