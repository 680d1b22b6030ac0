// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger_test

import (
	"slices"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// --- Start-up: §6 ----------------------------------------------------------

const (
	enoughActivity = int64(10 * time.Second)
	longestStart   = 30 * time.Minute
)

// startUp is how far a holder's start is.
type startUp struct {
	attempt int
	over    bool
	reason  gpu.Reason
}

// oracleMilestone is a milestone of a start, with its place in the table.
type oracleMilestone struct {
	gpu.Milestone

	order  int
	reason gpu.Reason
}

// milestonesOf returns the milestones of a holder's starts, as known at k. Of
// one that several points tell, each is returned: the earliest counts of itself.
func (o *oracle) milestonesOf(d *oracleDevice, key string, k gpu.Time) []oracleMilestone {
	var known []oracleMilestone
	for _, m := range o.all.Milestones {
		order, ok := gpu.StartOrder(m.Name)
		if m.Pod != key || m.Time > k || !ok {
			continue
		}
		if m.Name == gpu.ContainerStarted && m.Container != "" && !slices.Contains(o.containersOf(d, key, k), m.Container) {
			continue
		}
		known = append(known, oracleMilestone{m, order, gpu.StartTable()[order].Reason})
	}
	// Of each milestone the earliest.
	return slices.DeleteFunc(known, func(m oracleMilestone) bool {
		return slices.ContainsFunc(known, func(n oracleMilestone) bool {
			return n.Name == m.Name && n.Attempt == m.Attempt && n.Container == m.Container && n.Source == m.Source && n.At < m.At
		})
	})
}

// containersOf returns the containers that sets named while the holder held.
func (o *oracle) containersOf(d *oracleDevice, key string, k gpu.Time) []string {
	var containers []string
	for _, set := range d.knownSets(k) {
		if set.has(key) && d.first[key].set <= set.time {
			containers = append(containers, set.of(key).containers...)
		}
	}
	for _, a := range o.all.Allocations { // a dated end names one as well
		if a.Ended && a.Holder.Key() == key && idOf(gpu.Device{ID: a.Device, Ref: a.Ref, Node: a.Node}) == d.id {
			containers = append(containers, a.Holder.Container)
		}
	}
	return containers
}

// startUpOf returns how far the start of a holder is in a piece. activity is
// the holder's, by attempt, before the sample interval.
func (o *oracle) startUpOf(d *oracleDevice, key string, piece span, k gpu.Time, activity map[int]int64) startUp {
	milestones := o.milestonesOf(d, key, k)
	s := startUp{reason: gpu.ReasonAdmission}
	for _, m := range milestones {
		if m.At <= piece.from {
			s.attempt = max(s.attempt, m.Attempt)
		}
	}
	milestones = slices.DeleteFunc(milestones, func(m oracleMilestone) bool { return m.Attempt != s.attempt })
	if len(milestones) == 0 || s.attempt < d.started[key] {
		s.over = true
		return s
	}
	s.over = o.risen(d, key, piece, k, s.attempt, milestones)
	latest := oracleMilestone{}
	for _, m := range milestones {
		if m.Name == gpu.Ready && m.At <= piece.from {
			s.over = s.over || m.Source == gpu.SourceProbe ||
				activity[s.attempt] >= enoughActivity || m.At.Add(longestStart) <= piece.from
		}
		if m.reason == gpu.NoReason || m.At > piece.from {
			continue
		}
		if m.At > latest.At || m.At == latest.At && m.order > latest.order {
			latest, s.reason = m, m.reason
		}
	}
	if s.over { // for good
		d.started[key] = s.attempt + 1
	}
	return s
}

// risen says whether an output of the holder rose in this attempt before a piece.
func (o *oracle) risen(
	d *oracleDevice, key string, piece span, k gpu.Time, attempt int, milestones []oracleMilestone,
) bool {
	began := d.first[key].from
	if attempt > 0 {
		began = forever
		for _, m := range milestones {
			began = min(began, m.At)
		}
	}
	for _, stream := range o.streamsOf(d, key, k) {
		for _, series := range stream.series {
			for i, p := range series {
				if rise(series, i) > 0 && began < p.Time && p.Time <= piece.from {
					return true
				}
			}
		}
	}
	return false
}

// startCuts returns the times at which the start of a holder may change.
func (o *oracle) startCuts(d *oracleDevice, key string, k gpu.Time) []gpu.Time {
	var cuts []gpu.Time
	for _, m := range o.milestonesOf(d, key, k) {
		cuts = append(cuts, m.At, m.At.Add(longestStart))
	}
	return cuts
}
