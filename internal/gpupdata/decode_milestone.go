// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpupdata

import "github.com/otelcol-gpu/otelcol-gpu/internal/gpu"

// microsecond is what a milestone's time is read in: a double of Unix seconds
// tells no finer.
const microsecond = 1000

// maxAttempt is more starts than a container has in its life: with the longest
// back-off of 5 minutes it takes 9 years.
const maxAttempt = 1_000_000

// marks says whether a milestone says something to the ledger: those of a
// start, and those that end useful work.
func marks(name gpu.MilestoneName) bool {
	_, ofStart := gpu.StartOrder(name)
	return ofStart || name == gpu.DeletionRequested || name == gpu.ContainersFinished
}

// milestone reads a point of gpu.milestone.time.
func (c *decoding) milestone(p point) DropReason {
	m := gpu.Milestone{Name: gpu.MilestoneName(p.str(AttrMilestone))}
	if !marks(m.Name) || p.ended() {
		return ignored
	}
	var why DropReason
	if m.Time, why = stamp(p.NumberDataPoint, c.future); why != accepted {
		return why
	}
	if m.Pod = p.holder().Key(); m.Pod == "" {
		return DropNoPod
	}
	if m.At, why = passed(p); why != accepted {
		return why
	}
	attempt := p.whole(AttrMilestoneAttempt)
	if attempt < 0 || attempt > maxAttempt {
		return DropOutOfRange
	}
	m.Attempt = int(attempt)
	m.Container = p.milestoneContainer(m.Name)
	m.Source = p.str(AttrMilestoneSource)
	c.batch.Milestones = append(c.batch.Milestones, m)
	return accepted
}

// passed returns when the pod passed the milestone: the point's value.
func passed(p point) (gpu.Time, DropReason) {
	seconds, why := finite(p.NumberDataPoint)
	if why != accepted {
		return 0, why
	}
	at, why := scaled(seconds, microsecond)
	if why != accepted {
		return 0, why
	}
	if gpu.Time(at) < gpu.Earliest {
		return 0, DropUnsetClock
	}
	return gpu.Time(at), accepted
}

// ofHolder says whether a milestone, of which the point names no container, is
// that of the container that holds the device. The others are the pod's, or
// (init_*) those of containers that run before it.
func ofHolder(name gpu.MilestoneName) bool {
	switch name {
	case gpu.PullStarted, gpu.PullFinished, gpu.BackoffStarted, gpu.ContainerStarted:
		return true
	}
	return false
}

// milestoneContainer returns the container that passed the milestone, "" if it
// is the pod's. The resource's is the one that holds the device.
func (p point) milestoneContainer(name gpu.MilestoneName) string {
	if ofHolder(name) {
		return p.pod().str(AttrContainerName)
	}
	return text(p.own, AttrContainerName)
}
