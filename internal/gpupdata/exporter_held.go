// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpupdata

import (
	"slices"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// heldInstances are the MIG instances that the pods of a node hold, by its
// newest set of allocations.
type heldInstances struct {
	time  gpu.Time
	byPod map[string][]gpu.DeviceID // by namespace/name
}

// hearSet remembers that a node's allocations of a time are told.
func (e *ExporterMemory) hearSet(node string, t gpu.Time) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.heardSets = true
	e.setOf(node, t)
}

// setOf returns what a node's pods hold at a time, nil if something newer is
// known.
func (e *ExporterMemory) setOf(node string, t gpu.Time) *heldInstances {
	of := e.held[node]
	switch {
	case of == nil || t > of.time:
		bound(e.held)
		of = &heldInstances{t, map[string][]gpu.DeviceID{}}
		e.held[node] = of
	case t < of.time:
		return nil
	}
	return of
}

// hearAllocation remembers which instance a pod holds.
func (e *ExporterMemory) hearAllocation(a *gpu.Allocation) {
	if a.Ended || !isPartition(a.Device) || a.Holder.Pod == "" {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	of, pod := e.setOf(a.Node, a.Time), podName(a.Holder)
	if of != nil && !slices.Contains(of.byPod[pod], a.Device) {
		bound(of.byPod)
		of.byPod[pod] = append(of.byPod[pod], a.Device)
	}
}

// heldBy returns the only instance that a pod holds, "" if it holds none or
// several, or if it isn't known at a time.
func (e *ExporterMemory) heldBy(pod string, t gpu.Time) (id gpu.DeviceID) {
	for _, of := range e.held {
		if ids := of.byPod[pod]; len(ids) > 0 && e.recent(of.time, t) {
			if id != "" || len(ids) > 1 {
				return ""
			}
			id = ids[0]
		}
	}
	return id
}
