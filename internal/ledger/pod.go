// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"slices"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// pod is what the ledger knows of a pod beside its time on devices.
type pod struct {
	key        string
	milestones []milestone         // one of each identity
	touched    gpu.Time            // newest point of it
	holders    map[*holder]*device // the devices that it holds, or held
	totals     []*total
}

// milestoneKey identifies a milestone of a pod.
type milestoneKey struct {
	name              gpu.MilestoneName
	attempt           int
	container, source string
}

// milestone is a mark in the life of a pod, by the time at which it was told.
type milestone struct {
	milestoneKey
	told levels[gpu.Time]
	row  int // in the table of a start, -1: it says nothing of one
}

// maxMilestones bounds the milestones of one pod: a crash loop has some of each
// attempt.
const maxMilestones = 256

// observe takes in a milestone. Of several times the earliest counts, so a
// repeated one says nothing new.
func (p *pod) observe(m gpu.Milestone, counts *Counts) {
	p.touched = max(p.touched, m.Time)
	key := milestoneKey{m.Name, m.Attempt, m.Container, m.Source}
	i := slices.IndexFunc(p.milestones, func(o milestone) bool { return o.milestoneKey == key })
	if i < 0 {
		if len(p.milestones) >= maxMilestones && !p.forgetAttempt(m.Attempt) {
			counts.Points[Limit]++
			return
		}
		i = len(p.milestones)
		p.milestones = append(p.milestones, newMilestone(key))
	}
	if o := &p.milestones[i]; o.at(m.Time) > m.At {
		o.told.set(m.Time, m.At, func(newer, older gpu.Time) bool { return newer < older })
	}
}

// forgetTold drops what was told of each milestone before the last time at or
// before t: the earliest of these counts.
func (p *pod) forgetTold(t gpu.Time) {
	for i := range p.milestones {
		m := &p.milestones[i]
		if earliest := m.at(t); m.told.forget(t) > 0 {
			m.told.timeline[0].value = earliest
		}
	}
}

func newMilestone(key milestoneKey) milestone {
	row, ok := gpu.StartOrder(key.name)
	if !ok {
		row = -1
	}
	return milestone{milestoneKey: key, row: row}
}

// forgetAttempt drops the oldest attempt to make room for a newer one.
func (p *pod) forgetAttempt(newer int) bool {
	oldest := newer
	for _, m := range p.milestones {
		if m.row >= 0 {
			oldest = min(oldest, m.attempt)
		}
	}
	if oldest == newer {
		return false
	}
	p.milestones = slices.DeleteFunc(p.milestones, func(m milestone) bool {
		return m.attempt == oldest && m.row >= 0
	})
	return true
}

// at returns when m was, as known at step k, or Forever.
func (m *milestone) at(k gpu.Time) gpu.Time {
	at := gpu.Forever
	for _, told := range m.told.timeline[:m.told.after(k)] {
		at = min(at, told.value)
	}
	return at
}

// ends reports whether a milestone ends useful work.
func ends(name gpu.MilestoneName) bool {
	return name == gpu.DeletionRequested || name == gpu.ContainersFinished
}

// terminatesAt returns since when the pod is known, at step k, to terminate.
func (p *pod) terminatesAt(k gpu.Time) gpu.Time {
	since := gpu.Forever
	for i := range p.milestones {
		if m := &p.milestones[i]; ends(m.name) {
			since = min(since, m.at(k))
		}
	}
	return since
}
