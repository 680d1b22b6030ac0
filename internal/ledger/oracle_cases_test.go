// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger_test

import (
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// milestone tells a milestone of A when it is passed.
func (c *tape) milestone(at float64, m gpu.Milestone) *tape {
	m.Pod, m.At, m.Time = "A", sec(at), sec(at)
	return c.add(at, gpu.Batch{Milestones: []gpu.Milestone{m}})
}

// sample is a gauge of any device.
func (c *tape) sample(d gpu.Device, at, value float64) *tape {
	d.Node = caseNode
	return c.add(at, gpu.Batch{Samples: []gpu.Sample{{Device: d, Source: gaugeSource, Time: sec(at), Value: value}}})
}

func (c *tape) partitions(at float64, count int) *tape {
	p := gpu.PartitionCount{Board: gpu.Device{ID: caseDevice, Node: caseNode}, Time: sec(at), Count: count, Ended: count < 0}
	return c.add(at, gpu.Batch{PartitionCounts: []gpu.PartitionCount{p}})
}

func (c *tape) process(at float64, pod, pid string, value float64) *tape {
	return c.add(at, gpu.Batch{Processes: []gpu.Process{{Device: caseDevice, Pod: pod, PID: pid, Time: sec(at), Value: value}}})
}

// shares is an allocation of n of r slots.
func shares(pod string, n, r int64) gpu.Allocation {
	a := held(pod, 0)
	a.Sharing, a.Share, a.Slots = gpu.TimeSlicing, float64(n)/float64(r), gpu.Slots{N: n, Of: r}
	return a
}

// on is an allocation of another device, or of one that only a reference names.
func on(d gpu.Device, a gpu.Allocation) gpu.Allocation {
	a.Device, a.Ref = d.ID, d.Ref
	return a
}

// in is an allocation of a container.
func in(container string, a gpu.Allocation) gpu.Allocation {
	a.Holder.Container = container
	return a
}

// ofGroup is an allocation of a rank of a group.
func ofGroup(group string, a gpu.Allocation) gpu.Allocation {
	a.Holder.Workload.Group = group
	return a
}

// instance is a partition of the case's device.
func instance(id gpu.DeviceID, n, of int) gpu.Device {
	return gpu.Device{ID: id, Parent: caseDevice, Slices: gpu.Slices{N: n, Of: of}}
}

const (
	sharedSlot    = "unallocated{shared_slot  }"
	unpartitioned = "unallocated{unpartitioned  }"
	starved       = "idle{starved between_work unknown}"
	batchIdle     = "idle{batch between_work unknown}"
	admission     = "startup{admission  }"
	imagePull     = "startup{image_pull  }"
	beforeCUDA    = "startup{before_cuda  }"
	modelLoad     = "startup{model_load  }"
)

// whose names who got time in a case.
func whose(device gpu.DeviceID, pod string, a gpu.Attribution) who { return who{device, pod, a} }

// TestCasesOfShares holds the oracle, and the ledger, to expectations that
// were computed by hand, of starts, shares, partitions, groups and devices
// that nobody could resolve.
func TestCasesOfShares(t *testing.T) {
	const s, ms = time.Second, time.Millisecond
	type by = map[who]map[string]time.Duration
	own := whose(caseDevice, "", gpu.NoAttribution)
	exclusive := func(pod string) who { return whose(caseDevice, pod, gpu.ExclusiveAttribution) }
	equal := func(pod string) who { return whose(caseDevice, pod, gpu.EqualAttribution) }
	process := func(pod string) who { return whose(caseDevice, pod, gpu.ProcessAttribution) }
	mig1, mig2 := instance("MIG-1", 1, 2), instance("MIG-2", 1, 2)
	wide := instance("MIG-3", 2, 2)
	half, most := instance("MIG-1", 2, 4), instance("MIG-2", 3, 4)
	partition := func(d gpu.Device, pod string) who { return whose(d.ID, pod, gpu.PartitionAttribution) }
	ownOf := func(d gpu.Device) who { return whose(idOf(d), "", gpu.NoAttribution) }
	unknown := gpu.Device{Ref: "nvidia0", Node: caseNode}
	second := gpu.Device{ID: "GPU-1"}
	for name, c := range map[string]struct {
		tape *tape
		want by
	}{
		"a start, stage by stage": {
			new(tape).gauge(0, 0).set(0, held("A", 0)).milestone(2, gpu.Milestone{Name: gpu.PullStarted}).
				milestone(4, gpu.Milestone{Name: gpu.ContainerStarted}).milestone(6, gpu.Milestone{Name: gpu.FirstCUDA}).
				milestone(8, gpu.Milestone{Name: gpu.Ready, Source: gpu.SourceProbe}).gauge(10, 0.5).set(10, held("A", 0)),
			by{exclusive("A"): {admission: 2 * s, imagePull: 2 * s, beforeCUDA: 2 * s, modelLoad: 2 * s, starting: s, noMetric: s}},
		},
		"another container's start is none": {
			new(tape).gauge(0, 0).set(0, in("main", held("A", 0))).
				milestone(2, gpu.Milestone{Name: gpu.ContainerStarted, Container: "side"}).gauge(10, 0).set(10, in("main", held("A", 0))),
			by{exclusive("A"): {starting: 10 * s}},
		},
		"ready without a probe: ten seconds of activity": {
			new(tape).gauge(0, 0).set(0, held("A", 0)).milestone(0, gpu.Milestone{Name: gpu.Ready}).gauge(10, 1).set(10, held("A", 0)).
				gauge(20, 1).set(20, held("A", 0)),
			by{exclusive("A"): {admission: 10 * s, noMetric: 10 * s}},
		},
		"ready without a probe: half an hour": {
			new(tape).gauge(0, 0).set(0, held("A", 0)).milestone(4-1800, gpu.Milestone{Name: gpu.Ready}).gauge(10, 0).set(10, held("A", 0)),
			by{exclusive("A"): {admission: 4 * s, starting: 6 * s}},
		},
		"an output ends a start, another attempt is another start": {
			new(tape).gauge(0, 1).set(0, held("A", 0)).milestone(0, gpu.Milestone{Name: gpu.FirstCUDA}).output(1, "A", 0).output(4, "A", 1).
				gauge(10, 1).set(10, held("A", 0)).milestone(12, gpu.Milestone{Name: gpu.BackoffStarted, Attempt: 1}).gauge(20, 1).set(20, held("A", 0)),
			by{exclusive("A"): {modelLoad: 4 * s, notScraped: 8 * s, "startup{backoff  }": 8 * s}},
		},
		"a deletion ends a start": {
			new(tape).gauge(0, 0).set(0, held("A", 0)).milestone(0, gpu.Milestone{Name: gpu.Created}).deleted(6, "A").gauge(10, 0).set(10, held("A", 0)),
			by{exclusive("A"): {admission: 6 * s, terminating: 4 * s}},
		},
		"two of four slots": {
			new(tape).gauge(0, 0).set(0, shares("A", 1, 4), shares("B", 1, 4)).gauge(10, 0.5).set(10, shares("A", 1, 4), shares("B", 1, 4)),
			by{
				own:        {sharedSlot: 2500 * ms},
				equal("A"): {noMetric: 2500 * ms, starting: 1250 * ms}, equal("B"): {noMetric: 2500 * ms, starting: 1250 * ms},
			},
		},
		"slots of different totals": {
			// Of eight, A has 2 and B 1; 5 are free. Nobody sampled it.
			new(tape).set(0, shares("A", 1, 4), shares("B", 1, 8)).set(8, shares("A", 1, 4), shares("B", 1, 8)),
			by{own: {sharedSlot: 5 * s}, equal("A"): {noActivity: 2 * s}, equal("B"): {noActivity: s}},
		},
		"two containers, and slots that change": {
			new(tape).set(0, in("x", shares("A", 1, 4)), in("y", shares("A", 1, 4))).set(8, in("x", shares("A", 1, 4)), in("y", shares("A", 1, 4))).
				set(16, in("x", shares("A", 1, 4))).set(24, in("x", held("A", 0))),
			by{own: {sharedSlot: 10 * s}, equal("A"): {noActivity: 6 * s}, exclusive("A"): {noActivity: 8 * s}},
		},
		"who still starts gets no activity while others work": {
			new(tape).gauge(0, 0).set(0, shares("A", 1, 2), shares("B", 1, 2)).milestone(0, gpu.Milestone{Name: gpu.Created}).
				gauge(10, 0.8).set(10, shares("A", 1, 2), shares("B", 1, 2)),
			by{equal("A"): {admission: s}, equal("B"): {noMetric: 8 * s, starting: s}},
		},
		"what processes tell": {
			new(tape).gauge(0, 0).set(0, shares("A", 1, 2), shares("B", 1, 2)).process(5, "A", "1", 0.5).process(10, "", "2", 0.25).
				process(10, "C", "3", 0.25).gauge(10, 0.8).set(10, shares("A", 1, 2), shares("B", 1, 2)),
			by{own: {foreign: 4 * s}, process("A"): {noMetric: 4 * s, starting: s}, process("B"): {starting: s}},
		},
		"a shared and an exclusive holder": {
			new(tape).gauge(0, 0).set(0, shares("A", 1, 4), held("B", 0)).gauge(10, 0.5).set(10, shares("A", 1, 4), held("B", 0)),
			by{equal("A"): {noMetric: 2500 * ms, starting: s}, exclusive("B"): {noMetric: 2500 * ms, starting: 4 * s}},
		},
		"an allocation that says nothing": {
			new(tape).gauge(0, 0).set(0, shares("A", 1, 4)).gauge(10, 0.5).set(10, shares("A", 5, 4)),
			by{own: {noAllocation: 10 * s}},
		},
		"a partition and the rest of its board": {
			new(tape).sample(mig1, 0, 0).set(0, on(mig1, held("A", 0))).sample(mig1, 10, 0.5).set(10, on(mig1, held("A", 0))),
			by{own: {unpartitioned: 5 * s}, partition(mig1, "A"): {noMetric: 2500 * ms, starting: 2500 * ms}},
		},
		"a partition that is absent": {
			// Of (0, 10] both have 5 s; MIG-2 ends at 10, of (10, 20] its 5 s are the board's.
			new(tape).sample(mig1, 0, 0).sample(mig2, 0, 0).set(0).partitions(0, 2).sample(mig1, 10, 0).sample(mig2, 10, 0).set(10).
				partitions(10, 2).sample(mig1, 20, 0).set(20).partitions(20, 1),
			by{own: {unpartitioned: 5 * s}, ownOf(mig1): {free: 10 * s}, ownOf(mig2): {free: 5 * s}},
		},
		"a partition that needs the slices of others": {
			new(tape).sample(mig1, 0, 0).sample(mig2, 0, 0).set(0).sample(mig1, 10, 0).sample(mig2, 10, 0).set(10).
				sample(wide, 20, 0).set(20).sample(wide, 30, 0).set(30),
			by{ownOf(mig1): {free: 10 * s}, ownOf(mig2): {free: 10 * s}, ownOf(wide): {free: 10 * s}},
		},
		"who left with a partition that ended at its F": {
			// MIG-2 ends at 8, up to where it was settled: from then on what B does doesn't hold MIG-1 back.
			new(tape).sample(half, 0, 0).set(1, on(half, ofGroup("g", held("A", 0))), on(most, ofGroup("g", held("B", 0)))).
				sample(most, 5, 0).sample(half, 8, 0).sample(most, 8, 0).output(21, "B", 1).sample(most, 22, 0).sample(half, 23, 0).clock(29),
			by{
				own: {unpartitioned: 10750 * ms}, partition(half, "A"): {noActivity: 500 * ms},
				ownOf(half): {noAllocation: 9500 * ms}, ownOf(most): {noAllocation: 2250 * ms},
			},
		},
		"a device is a board for a while": {
			// Its own second life begins with its own sample at 30, when the count said that the mode is over.
			new(tape).gauge(0, 0).set(0).gauge(10, 0).set(10).sample(wide, 10, 0).partitions(10, 1).sample(wide, 20, 0).gauge(20, 0).set(20).
				add(21, gpu.Batch{SeriesEnds: []gpu.SeriesEnd{{Device: wide, Source: gaugeSource, Time: sec(20)}}}).
				partitions(25, -1).gauge(30, 0).set(30).gauge(40, 0).set(40),
			by{own: {free: 20 * s, unpartitioned: 10 * s}, ownOf(wide): {free: 10 * s}},
		},
		"ranks of a group": {
			// B's device works in (0, 10] and is idle in (10, 20].
			new(tape).sample(second, 0, 0).gauge(0, 0).set(0, ofGroup("g", held("A", 0)), on(second, ofGroup("g", held("B", 0)))).
				sample(second, 5, 1).sample(second, 10, 1).gauge(10, 0.5).set(10, ofGroup("g", held("A", 0)), on(second, ofGroup("g", held("B", 0)))),
			by{
				exclusive("A"): {"idle{provisioning between_work unknown}": 5 * s, "unproven{group_unknown  }": 5 * s},
				whose("GPU-1", "B", gpu.ExclusiveAttribution): {"unproven{group_unknown  }": 10 * s},
			},
		},
		"a device that nobody resolved": {
			new(tape).set(0, on(unknown, held("A", 0))).set(10, on(unknown, held("A", 0))).set(20).set(30, on(unknown, held("A", 24))),
			by{whose(idOf(unknown), "A", gpu.ExclusiveAttribution): {noActivity: 16 * s}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			want := totals{}
			for of, conditions := range c.want {
				for condition, nanos := range conditions {
					want.add(of, condition, nanos)
				}
			}
			if diff := gocmp.Diff(want, runOracle(scenarioConfig(), merge(c.tape.events), true).flatten().states()); diff != "" {
				t.Errorf("oracle (-want +got):\n%s", diff)
			}
			if diff := gocmp.Diff(want, flatten(c.tape.ledger(scenarioConfig()).Snapshot()).states()); diff != "" {
				t.Errorf("ledger (-want +got):\n%s", diff)
			}
		})
	}
}
