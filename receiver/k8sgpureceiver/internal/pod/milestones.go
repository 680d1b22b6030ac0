// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package pod

import (
	"cmp"
	"slices"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// Who says when something happened.
const (
	SourceAPI       = "api"       // the API server's clock, whole seconds
	SourceScheduler = "scheduler" // the scheduler's, whole seconds
	SourceStatus    = "status"    // the kubelet's, whole seconds
	SourceKubelet   = "kubelet"   // the kubelet's, nanoseconds
	SourceWatch     = "watch"     // arrival of a status on a stream, within the second that it tells
	SourceEvent     = "event"     // the name of an event: nanoseconds
	SourceNone      = "none"      // of ready: no probe told
)

// Mark is a time, who says so, and how far the true time may be from it: later,
// if a whole second was told, earlier, if it is the arrival of news.
type Mark struct {
	At          gpu.Time
	Source      string
	Uncertainty time.Duration
}

// Milestone is a mark that a pod passed.
type Milestone struct {
	Name      gpu.MilestoneName
	Attempt   int
	Container string // "" if it is the pod's
	Mark
}

type markKey struct {
	name      gpu.MilestoneName
	attempt   int
	container string
}

// Milestones follows the milestones of one pod. Each is latched: later news
// can make it more certain, never another time.
type Milestones struct {
	marks   map[markKey]Mark
	pulls   map[string]pulled // by container
	attempt int               // the newest
	// Conflicts counts news that contradict what was told before.
	Conflicts int
}

// attemptsKept is how many attempts of a crash loop are remembered, beside the
// first.
const attemptsKept = 8

// outOfOrder is how far, beyond its uncertainty, a mark may be from where it has
// to be: the clocks of two machines differ, and a kubelet notices late.
const outOfOrder = 5 * time.Second

// Narrow returns the mark of something that a status dates to a whole second.
// If the news came on a stream within that second, its arrival is closer.
func Narrow(second, arrival gpu.Time, streamed bool) Mark {
	if streamed && second <= arrival && arrival < second.Add(Resolution) {
		return Mark{arrival, SourceWatch, arrival.Sub(second)}
	}
	return Mark{second, SourceStatus, Resolution}
}

// latch takes a mark, unless a better one of the same milestone is known.
func (m *Milestones) latch(name gpu.MilestoneName, attempt int, container string, mark Mark) {
	if mark.At < gpu.Earliest { // NoTime, or no real time
		return
	}
	key := markKey{name, attempt, container}
	known, has := m.marks[key]
	if has && (mark.Uncertainty >= known.Uncertainty || apart(mark, known)) {
		return
	}
	if m.marks == nil {
		m.marks = map[markKey]Mark{}
	}
	floor, ceiling := m.bounds(key)
	bound := max(floor, min(mark.At, ceiling))
	moved := max(bound.Sub(mark.At), mark.At.Sub(bound))
	if floor > ceiling || moved > mark.Uncertainty+outOfOrder {
		m.Conflicts++ // news that fit nowhere, or of another start: none is better than a wrong one
		return
	}
	// Clocks and resolutions differ: a stage has no negative length.
	mark.At, mark.Uncertainty = bound, max(mark.Uncertainty, moved)
	m.marks[key] = mark
	if attempt > m.attempt {
		m.attempt = attempt
		m.prune()
	}
}

// apart reports whether two marks can't be of one time.
func apart(a, b Mark) bool {
	distance := max(a.At.Sub(b.At), b.At.Sub(a.At))
	return distance > a.Uncertainty+b.Uncertainty
}

// bounds returns the times between which a milestone has to be: those of the
// ones that come before and after it.
func (m *Milestones) bounds(key markKey) (floor, ceiling gpu.Time) {
	ceiling = gpu.Forever
	for other, mark := range m.marks {
		switch {
		case other == key:
		case precedes(other, key):
			floor = max(floor, mark.At)
		case precedes(key, other):
			ceiling = min(ceiling, mark.At)
		}
	}
	return floor, ceiling
}

// precedes reports whether a always comes before b.
func precedes(a, b markKey) bool {
	switch {
	case a.name == gpu.ContainersFinished || b.name == gpu.ContainersFinished:
		return b.name == gpu.Failed || a.name == gpu.ContainerStarted || a.name == gpu.Admitted
	case a.name == gpu.DeletionRequested || b.name == gpu.DeletionRequested, a.name == gpu.Failed || b.name == gpu.Failed:
		return false
	case a.container != b.container && a.container != "" && (b.name != gpu.Ready || a.name != gpu.ContainerStarted):
		return false
	case a.name == gpu.Ready && b.name != gpu.Ready: // each container counts its own attempts
		return false
	}
	if a.attempt != b.attempt {
		return a.attempt < b.attempt
	}
	first, _ := gpu.StartOrder(a.name)
	second, _ := gpu.StartOrder(b.name)
	return first < second
}

// prune forgets old attempts.
func (m *Milestones) prune() {
	for key := range m.marks {
		if key.attempt > 0 && key.attempt <= m.attempt-attemptsKept {
			delete(m.marks, key)
		}
	}
}

// All returns every milestone that is known, by attempt and time.
func (m *Milestones) All() []Milestone {
	all := make([]Milestone, 0, len(m.marks))
	for key, mark := range m.marks {
		all = append(all, Milestone{key.name, key.attempt, key.container, mark})
	}
	slices.SortFunc(all, func(a, b Milestone) int {
		return cmp.Or(cmp.Compare(a.Attempt, b.Attempt), cmp.Compare(a.At, b.At),
			cmp.Compare(order(a.Name), order(b.Name)), cmp.Compare(a.Container, b.Container))
	})
	return all
}

// endOrder is the order of the milestones that aren't of a start.
var endOrder = []gpu.MilestoneName{gpu.DeletionRequested, gpu.ContainersFinished, gpu.Failed}

// order sorts milestones of one time: those of a start, then those of an end.
func order(name gpu.MilestoneName) int {
	if i, ok := gpu.StartOrder(name); ok {
		return i
	}
	return len(gpu.StartTable()) + slices.Index(endOrder, name)
}

// Stage counts how far a start is: 1 when the kubelet has admitted the pod, 2
// when a container of it started, 3 when it was ready. An attempt after the
// first is no further.
func (m *Milestones) Stage() int {
	stage := 0
	for key := range m.marks {
		switch key.name {
		case gpu.Admitted:
			stage = max(stage, 1)
		case gpu.ContainerStarted:
			stage = max(stage, 2)
		case gpu.Ready:
			stage = 3
		}
	}
	return stage
}

// How long after a start is over its milestones are still repeated: a minute,
// in case that batches are lost. Without a probe the ledger waits for activity,
// 30 minutes at most.
const (
	repeatProbed   = time.Minute
	repeatUnprobed = 31 * time.Minute
)

// Due returns the milestones that a batch at now carries: all until the start
// is over, then only those that say how the pod stands.
func (m *Milestones) Due(now gpu.Time) []Milestone {
	all := m.All()
	ready, known := m.marks[markKey{gpu.Ready, m.attempt, ""}]
	repeat := repeatUnprobed
	if ready.Source == gpu.SourceProbe {
		repeat = repeatProbed
	}
	if !known || now.Sub(ready.At) < repeat {
		return all
	}
	return slices.DeleteFunc(all, func(s Milestone) bool {
		switch s.Name {
		case gpu.Ready:
			return s.Attempt != m.attempt
		case gpu.DeletionRequested, gpu.ContainersFinished, gpu.Failed:
			return false
		}
		return true
	})
}
