// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package pod

import "github.com/otelcol-gpu/otelcol-gpu/internal/gpu"

// Around is what other objects than the pod say of its scheduling.
type Around struct {
	// NodeCreated is when the object of the pod's node was created, NoTime if
	// nobody tells.
	NodeCreated gpu.Time
	// Claims are all resource claims of the pod; nil, unless all are known.
	Claims []ClaimTime
}

// ClaimTime is when a resource claim of a pod was allocated.
type ClaimTime struct {
	// Allocated is status.allocation.allocationTimestamp, NoTime if there is none:
	// the scheduler doesn't always write it, and nothing else in a claim is dated.
	Allocated gpu.Time
}

// ObserveAround takes what other objects say. It may be called again, with the
// same or more.
func (m *Milestones) ObserveAround(p *Pod, a Around) {
	if p.Created == gpu.NoTime || !p.Scheduled.True {
		return // a claim may be allocated for nothing, and a node made for another
	}
	if a.NodeCreated > p.Created { // in the same second nobody waited for it
		m.within(p, gpu.NodeCreated, a.NodeCreated, SourceAPI)
	}
	last := gpu.NoTime
	for _, c := range a.Claims {
		if c.Allocated == gpu.NoTime {
			return // it may have been the last
		}
		last = max(last, c.Allocated)
	}
	m.within(p, gpu.ClaimAllocated, last, SourceScheduler)
}

// within latches a milestone of the time between a pod's creation and its
// binding. What was there before the pod came, or came after it, isn't of its
// start: a node that runs for long, a claim that others use, an object that was
// made anew.
func (m *Milestones) within(p *Pod, name gpu.MilestoneName, at gpu.Time, source string) {
	if at >= p.Created && at <= p.Scheduled.At.Add(Resolution+outOfOrder) {
		m.latch(name, 0, "", Mark{at, source, Resolution})
	}
}
