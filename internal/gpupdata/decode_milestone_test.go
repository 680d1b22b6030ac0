// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpupdata

import (
	"math"
	"testing"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// milestoneCase is a milestone of the pod "uid", whose container "main" holds
// the device.
func milestoneCase(name string, a attrs, v any, change func(*gpu.Milestone)) decodeCase {
	m := gpu.Milestone{
		Pod: "uid", Name: gpu.MilestoneName(a["gpu.milestone"].(string)), At: at(0), Time: at(1),
	}
	change(&m)
	return decodeCase{
		name: name, metric: "gpu.milestone.time", shape: gauge, res: resHolder0,
		points: []pt{{attrs: a, time: at(1), value: v}},
		want:   gpu.Batch{Milestones: []gpu.Milestone{m}},
	}
}

func same(*gpu.Milestone) {}

var (
	deleted = attrs{"gpu.milestone": "deletion_requested"}
	started = attrs{"gpu.milestone": "container_started"}
)

func TestDecodeMilestone(t *testing.T) {
	drop := func(name string, v any, why DropReason) decodeCase {
		tc := milestoneCase(name, deleted, v, same)
		tc.want, tc.drops = gpu.Batch{}, Drops{why: 1}
		return tc
	}
	pass := func(name string, a attrs) decodeCase {
		return decodeCase{
			name: name, metric: "gpu.milestone.time", shape: gauge, points: []pt{{attrs: a, time: 0}},
		}
	}
	ended := pass("no recorded value", deleted)
	ended.points[0].ended = true
	noPod := drop("no pod", 1.7e9, DropNoPod)
	noPod.res = attrs{"k8s.namespace.name": "ns"}
	byName := milestoneCase("by name", deleted, 1.7e9, func(m *gpu.Milestone) { m.Pod = "ns/p" })
	byName.res = attrs{"k8s.namespace.name": "ns", "k8s.pod.name": "p"}

	cases := []decodeCase{
		milestoneCase("to the microsecond", deleted, 1700000000.1234567, func(m *gpu.Milestone) { m.At = at(0.123457) }),
		milestoneCase("before its point", deleted, 1700000000.25, func(m *gpu.Milestone) { m.At = at(0.25) }),
		byName, ended, noPod,
		pass("failed", attrs{"gpu.milestone": "failed"}),
		pass("unknown", attrs{"gpu.milestone": "coffee"}),
		pass("no name", nil),
		drop("unset", 0.0, DropUnsetClock),
		drop("negative", -1.0, DropOutOfRange),
		drop("too large", 1e18, DropOutOfRange),
		drop("Inf", math.Inf(1), DropOutOfRange),
		drop("NaN", math.NaN(), DropNotANumber),
		drop("no value", nil, DropNoValue),
	}
	for _, name := range milestoneNames() {
		a := attrs{"gpu.milestone": string(name)}
		cases = append(cases, milestoneCase(string(name), with(a, "k8s.container.name", "c"), 1700000000,
			func(m *gpu.Milestone) { m.Container = "c" }))
	}
	runAll(t, cases)
}

// milestoneNames returns the names that are read.
func milestoneNames() []gpu.MilestoneName {
	names := []gpu.MilestoneName{gpu.DeletionRequested, gpu.ContainersFinished}
	for _, p := range gpu.StartTable() {
		names = append(names, p.Milestone)
	}
	return names
}

func TestDecodeMilestoneAttempt(t *testing.T) {
	c := func(name string, attempt any, want int) decodeCase {
		return milestoneCase(name, with(deleted, "gpu.milestone.attempt", attempt), 1700000000,
			func(m *gpu.Milestone) { m.Attempt = want })
	}
	bad := func(name string, attempt any) decodeCase {
		tc := c(name, attempt, 0)
		tc.want, tc.drops = gpu.Batch{}, Drops{DropOutOfRange: 1}
		return tc
	}
	runAll(t, []decodeCase{
		c("none", nil, 0), c("empty", "", 0), c("first", 0, 0), c("int", 3, 3), c("text", "12", 12),
		c("most", 1_000_000, 1_000_000),
		bad("more", 1_000_001), bad("negative", -1), bad("words", "second"), bad("half", 0.5), bad("huge", "1e99"),
	})
}

func TestDecodeMilestoneContainerAndSource(t *testing.T) {
	c := func(name string, a attrs, container, source string) decodeCase {
		return milestoneCase(name, a, 1700000000, func(m *gpu.Milestone) { m.Container, m.Source = container, source })
	}
	of := func(name string) attrs { return attrs{"gpu.milestone": name} }
	elsewhere := c("of a pod that the point names", with(started, "k8s.pod.uid", "other"), "", "")
	elsewhere.want.Milestones[0].Pod = "other"

	runAll(t, []decodeCase{
		c("the resource's", started, "main", ""),
		c("the point's goes first", with(started, "k8s.container.name", "side"), "side", ""),
		c("pull", of("pull_started"), "main", ""),
		c("pulled", of("pull_finished"), "main", ""),
		c("backoff", of("backoff_started"), "main", ""),
		c("init is another container's", of("init_started"), "", ""),
		c("ready is the pod's", of("ready"), "", ""),
		c("first CUDA call", of("first_cuda"), "", ""),
		c("source", with(of("ready"), "gpu.milestone.source", "probe"), "", gpu.SourceProbe),
		elsewhere,
	})
}
