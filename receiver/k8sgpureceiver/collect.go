// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package k8sgpureceiver

import (
	"context"
	"slices"
	"time"

	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpupdata"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/allocation"
)

// settleTime is longer than a pod is listed before its devices are.
const settleTime = 150 * time.Millisecond

// mostLists is how often devices are listed for one collection, if lists differ.
const mostLists = 4

// format is the name of the encoding, for the collector's own telemetry.
const format = "kubelet"

// collect sends one batch. Whatever is away, there is one.
func (r *nodeReceiver) collect(ctx context.Context) {
	r.listDevices(ctx)
	at := r.desk.now()
	r.desk.mu.Lock()
	clear(r.labels)
	set := r.desk.book.Set(at)
	set.Availability = r.standing(&set)
	r.lookUpAgain(&set)
	r.askForEvents()
	r.desk.askForClaims()
	r.desk.mu.Unlock()
	if ctx.Err() != nil {
		return
	}
	r.own.collected(&set)
	md := r.encode(&set)
	ctx = r.obs.StartMetricsOp(ctx)
	points := md.DataPointCount()
	err := r.next.ConsumeMetrics(ctx, md)
	r.obs.EndMetricsOp(ctx, format, points, err)
	if err == nil {
		r.desk.mu.Lock()
		r.desk.book.Sent(&set)
		r.desk.mu.Unlock()
	}
}

// askForEvents asks for the events of pods whose start has come further. The
// caller holds the desk's lock.
func (r *nodeReceiver) askForEvents() {
	if r.events == nil {
		return
	}
	for _, ref := range r.desk.book.EventsWanted() {
		r.events.Ask(ref)
	}
}

// listDevices lists the devices until two lists agree, for a while.
func (r *nodeReceiver) listDevices(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, min(r.cfg.Timeout, r.cfg.CollectionInterval))
	defer cancel()
	if names, err := r.devices.Allocatable(ctx); err == nil {
		at := r.desk.now()
		r.desk.mu.Lock()
		r.desk.book.Allocatable(names, at)
		r.desk.mu.Unlock()
	} // an error shows in the list as well
	for i := range mostLists {
		asked := r.desk.now()
		list, err := r.devices.List(ctx)
		if err != nil {
			r.own.failed(sourceDevices, err)
			r.desk.mu.Lock()
			r.desk.book.ListFailed()
			r.desk.mu.Unlock()
			return
		}
		r.own.answered(sourceDevices)
		r.desk.mu.Lock()
		settled := r.desk.book.List(list, asked)
		r.desk.mu.Unlock()
		if i > 0 && settled || i+1 < mostLists && !pause(ctx, r.between) {
			return
		}
	}
}

// encode writes a set as points.
func (r *nodeReceiver) encode(set *allocation.Set) pmetric.Metrics {
	b := gpu.Batch{Availability: set.Availability}
	if set.Doubt == allocation.Certain {
		b.Allocations = set.Allocations
		b.AllocationCounts = []gpu.AllocationCount{{
			Node: r.cfg.Node, Cluster: r.cfg.ClusterName, Time: set.Time, Count: len(set.Allocations),
		}}
	}
	b.Allocations = slices.Concat(b.Allocations, set.Ends)
	passed, pods := map[gpu.Milestone]*allocation.Passed{}, map[string]gpu.Holder{}
	for i := range set.Milestones {
		m := &set.Milestones[i]
		key := gpu.Milestone{Pod: m.PodUID, Name: m.Name, Attempt: m.Attempt, Container: m.Container}
		passed[key], pods[m.PodUID] = m, m.Holder
		key.Source, key.At, key.Time = m.Source, m.At, set.Time
		b.Milestones = append(b.Milestones, key)
	}
	md := gpupdata.Encode(b)
	gpupdata.Annotate(md, gpupdata.Notes{
		AllocationSource: func(pod, container, device string) string {
			return set.Sources[allocation.Point{PodUID: pod, Container: container, Device: device}]
		},
		Instance: func(pod, container, device string) (gpu.DeviceID, int, bool) {
			d, known := set.Instances[allocation.Point{PodUID: pod, Container: container, Device: device}]
			return d.Board, d.Number, known
		},
		Partition: func(pod, container, device string) (board, profile string) {
			p := set.Partitions[allocation.Point{PodUID: pod, Container: container, Device: device}]
			return p.Board, p.Profile
		},
		Uncertainty: func(m gpu.Milestone) (time.Duration, bool) {
			if p := passed[m]; p != nil {
				return p.Uncertainty, true
			}
			return 0, false
		},
		Image: func(m gpu.Milestone) gpu.Image {
			if p := passed[m]; p != nil {
				return p.Image
			}
			return gpu.Image{}
		},
		Identity: func(pod string) (gpu.Holder, string, string) { return pods[pod], r.cfg.ClusterName, r.cfg.Node },
		Resource: func(pod string) map[string]string { return r.labels[pod] }, // written by this goroutine only
	})
	gpupdata.EncodeSources(r.own.sources(r.cfg.Node, r.cfg.ClusterName, set.Time), r.host(), md)
	return md
}
