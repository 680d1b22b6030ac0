// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package pod

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// Event is what an event says of a pod's container.
type Event struct {
	Name      string   // of the object
	Reason    string   // Pulling, Pulled, Started, …
	FieldPath string   // spec.containers{name}
	Message   string   // see pulledMessage
	First     gpu.Time // firstTimestamp: whole seconds
}

// At returns when the event happened first. The name of a kubelet's event ends
// in that time in nanoseconds, hexadecimal; it is a UUID if the pod's name can't
// be one of an event.
func (e *Event) At() Mark {
	_, suffix, _ := cutLast(e.Name, '.')
	if ns, err := strconv.ParseInt(suffix, 16, 64); err == nil {
		at := gpu.Time(ns)
		if at >= e.First && at < e.First.Add(Resolution) {
			return Mark{at, SourceEvent, 0}
		}
	}
	if e.First == gpu.NoTime {
		return Mark{}
	}
	return Mark{e.First, SourceEvent, Resolution}
}

func cutLast(s string, sep byte) (before, after string, found bool) {
	if i := strings.LastIndexByte(s, sep); i >= 0 {
		return s[:i], s[i+1:], true
	}
	return s, "", false
}

// Container returns the container that the event is about; the text of newer
// events has no name. init tells one that isn't a main container.
func (e *Event) Container() (name string, init, ok bool) {
	kind, rest, found := strings.Cut(e.FieldPath, "{")
	name, ended := strings.CutSuffix(rest, "}")
	return name, kind == "spec.initContainers", found && ended && name != ""
}

// Successfully pulled image "X" in 1.2s (3.4s including waiting). Image size: 123 bytes.
var pulledMessage = regexp.MustCompile(`^Successfully pulled image .* in ([0-9.a-zµ]+)(?: \(([0-9.a-zµ]+) including waiting\))?(?:\. Image size: (\d+) bytes)?`)

// Pull is what an event Pulled says.
type Pull struct {
	Present bool          // the image was on the node
	Took    time.Duration // the pull itself; older kubelets count the time in the queue in
	Waited  time.Duration // in the queue, 0 if it isn't told
	Bytes   int64         // 0 if it isn't told
}

// ParsePulled reads the message of an event Pulled.
func ParsePulled(message string) (Pull, bool) {
	if strings.Contains(message, " already present on machine") {
		return Pull{Present: true}, true
	}
	m := pulledMessage.FindStringSubmatch(message)
	if m == nil {
		return Pull{}, false
	}
	took, err := time.ParseDuration(m[1])
	if err != nil || took < 0 {
		return Pull{}, false
	}
	p := Pull{Took: took}
	if whole, err := time.ParseDuration(m[2]); err == nil && whole >= took {
		p.Waited = whole - took
	}
	p.Bytes, _ = strconv.ParseInt(m[3], 10, 64) // none if it is too large
	return p, true
}

// ObserveEvent refines the milestones by an event. Repeats of an event tell of
// the first only, so that it is one of attempt 0.
func (m *Milestones) ObserveEvent(e *Event) {
	container, init, ok := e.Container()
	at := e.At()
	if !ok || at.At == gpu.NoTime {
		return
	}
	switch e.Reason {
	case "Pulling":
		m.latch(gpu.PullStarted, 0, container, at)
	case "Pulled":
		pull, known := ParsePulled(e.Message)
		if !known || !m.keep(container, pull, at.At) {
			return
		}
		if pull.Present { // no pull began
			m.latch(gpu.PullFinished, 0, container, at)
			return
		}
		began := at
		began.At = at.At.Add(-pull.Took - pull.Waited)
		began.Uncertainty += time.Millisecond // durations are cut to it
		m.latch(gpu.PullStarted, 0, container, began)
		m.latch(gpu.PullFinished, 0, container, at)
	case "Started":
		name := gpu.ContainerStarted
		if _, isInit := m.marks[markKey{gpu.InitStarted, 0, container}]; init && isInit {
			name = gpu.InitStarted
		}
		m.refine(name, container, at)
	}
}

// pulled is the end of a pull.
type pulled struct {
	Pull
	at gpu.Time
}

// keep remembers the first pull of a container, and reports whether this is it:
// a later one is that of another attempt.
func (m *Milestones) keep(container string, pull Pull, at gpu.Time) bool {
	if first, known := m.pulls[container]; known && first.at <= at {
		return first == pulled{pull, at}
	}
	if m.pulls == nil {
		m.pulls = map[string]pulled{}
	}
	m.pulls[container] = pulled{pull, at}
	return true
}

// Pull returns what an event said of a container's pull, and false if none did.
func (m *Milestones) Pull(container string) (Pull, bool) {
	first, known := m.pulls[container]
	return first.Pull, known
}

// refine takes a mark only of a milestone that is known from a status: what a
// sidecar is, an event doesn't tell.
func (m *Milestones) refine(name gpu.MilestoneName, container string, at Mark) {
	if _, known := m.marks[markKey{name, 0, container}]; known {
		m.latch(name, 0, container, at)
	}
}
