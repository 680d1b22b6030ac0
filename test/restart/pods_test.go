// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

//go:build restart

package restart

import (
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// tokenMetric and demandMetric are the application metrics of pods that serve.
const (
	tokenMetric  = "app.tokens"
	demandMetric = "app.waiting"
)

// podAgent tells who holds the devices, and what the pods produced.
type podAgent struct {
	world    *world
	produced map[string]float64
}

// watch returns what the agent saw in (from, to], and the allocation set at to.
func (a *podAgent) watch(from, to time.Duration) gpu.Batch {
	var b gpu.Batch
	count := 0
	for i := range a.world.tenancies {
		t := &a.world.tenancies[i]
		a.milestones(&b, t, to)
		if t.from <= to && to < t.to {
			count++
			b.Allocations = append(b.Allocations, t.allocation(to))
			a.output(&b, t, to)
		}
		if from < t.to && t.to <= to {
			end := t.allocation(t.to)
			end.Ended, end.Share = true, 0
			b.Allocations = append(b.Allocations, end)
		}
	}
	b.AllocationCounts = append(b.AllocationCounts, gpu.AllocationCount{
		Node: nodeName, Cluster: clusterName, Time: epoch.Add(to), Count: count,
	})
	return b
}

func (t *tenancy) allocation(at time.Duration) gpu.Allocation {
	return gpu.Allocation{
		Device: t.device, Node: nodeName, Cluster: clusterName, Holder: t.holder(),
		Sharing: t.sharing, Share: t.share, Slots: t.slots, Time: epoch.Add(at), Begin: epoch.Add(t.from),
	}
}

// milestones adds those that a pod has passed, at every collection, and for a
// while after its end.
func (a *podAgent) milestones(b *gpu.Batch, t *tenancy, at time.Duration) {
	if !t.staged || at > t.to+3*interval {
		return
	}
	for _, m := range []struct {
		name   gpu.MilestoneName
		source string
		at     time.Duration
	}{
		{gpu.Scheduled, "api", t.from},
		{gpu.PullStarted, "events", t.from + 2*time.Second},
		{gpu.ContainerStarted, "api", t.from + 9*time.Second},
		{gpu.Ready, gpu.SourceProbe, t.from + 25*time.Second},
		{gpu.DeletionRequested, "api", t.to - 8*time.Second},
		{gpu.ContainersFinished, "api", t.to - 3*time.Second},
	} {
		if m.at <= at {
			b.Milestones = append(b.Milestones, gpu.Milestone{
				Pod: t.holder().Key(), Name: m.name, Source: m.source, At: epoch.Add(m.at), Time: epoch.Add(at),
			})
		}
	}
}

// output adds what a pod produced: it works three intervals of every five.
func (a *podAgent) output(b *gpu.Batch, t *tenancy, at time.Duration) {
	if !t.serves {
		return
	}
	works := at/interval%5 < 3
	waiting := 0.0
	if works {
		a.produced[t.pod] += 100
		waiting = 2
	}
	h := t.holder()
	join := gpu.Join{PodUID: h.PodUID, Namespace: h.Namespace, Pod: h.Pod}
	b.Outputs = append(b.Outputs,
		gpu.Output{
			Profile: gpu.OutputProfile{Metric: tokenMetric, Unit: "{token}"},
			Join:    join, Start: epoch.Add(t.from), Time: epoch.Add(at), Value: a.produced[t.pod],
		},
		gpu.Output{
			Profile: gpu.OutputProfile{Metric: demandMetric, Kind: gpu.DemandGauge},
			Join:    join, Time: epoch.Add(at), Value: waiting,
		})
}
