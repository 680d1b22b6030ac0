// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package collector

import (
	"fmt"
	"slices"
	"time"
)

// Gaps returns the times between two sets that are longer than a limit.
func (r *Record) Gaps(limit time.Duration) (gaps []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := 1; i < len(r.sets); i++ {
		if d := r.sets[i].Sub(r.sets[i-1]); d > limit {
			gaps = append(gaps, fmt.Sprintf("%v from %v on", d.Round(time.Millisecond), r.sets[i-1].Format(time.TimeOnly)))
		}
	}
	return gaps
}

// Conditions for Await. They are for a record at rest.

// Settled says whether there is an account of so many devices, each up to a time.
func (r *Record) Settled(at time.Time, devices int) bool {
	newest := map[string]time.Time{}
	for _, s := range r.sums {
		device := s.Attributes["hw.id"]
		if s.Metric == "gpu.time" && s.At.After(newest[device]) {
			newest[device] = s.At
		}
	}
	for _, t := range newest {
		if t.Before(at) {
			return false
		}
	}
	return len(newest) >= devices
}

// Has says whether a set had a pod.
func (r *Record) Has(uid string) bool {
	return slices.ContainsFunc(r.holdings, func(h *Holding) bool { return h.UID == uid && !h.First.IsZero() })
}

// HasSince says whether a set of a time or later had a pod.
func (r *Record) HasSince(uid string, at time.Time) bool {
	return slices.ContainsFunc(r.holdings, func(h *Holding) bool { return h.UID == uid && h.Last.After(at) })
}

// Passed says whether a pod has passed a milestone.
func (r *Record) Passed(uid, milestone string) bool {
	return slices.ContainsFunc(r.marks, func(m *Mark) bool { return m.UID == uid && m.Name == milestone })
}

// Up says whether a source answers.
func (r *Record) Up(source string) bool {
	all := r.sources[source]
	return len(all) > 0 && all[len(all)-1].Up
}

// Ended says whether an end of a pod was told.
func (r *Record) Ended(uid string) bool {
	return slices.ContainsFunc(r.holdings, func(h *Holding) bool { return h.UID == uid && len(h.Ends) > 0 })
}

// Workload returns the kind and the name of a pod's workload, as the newest set
// has them.
func (r *Record) Workload(uid string) string {
	for _, h := range r.holdings {
		if h.UID == uid && !h.First.IsZero() {
			return h.Attributes["gpu.workload.kind"] + " " + h.Attributes["gpu.workload.name"]
		}
	}
	return ""
}

// Attribute returns an attribute of a pod's newest hold, "" if it has none.
func (r *Record) Attribute(uid, name string) (value string) {
	for _, h := range r.holdings {
		if h.UID == uid {
			value = h.Attributes[name]
		}
	}
	return value
}

// Denied says whether a source was ever denied.
func (r *Record) Denied(source string) bool {
	return slices.ContainsFunc(r.sources[source], func(s Source) bool { return !s.Up && s.Reason == "denied" })
}
