// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// pod is what the ledger knows of a pod beside its time on devices.
type pod struct {
	key         string
	terminating levels[gpu.Time]    // by the time at which it was told: since when
	touched     gpu.Time            // newest point of it
	holders     map[*holder]*device // the devices that it holds, or held
	totals      []*total
}

// terminatesAt returns since when the pod is known, at step k, to terminate.
func (p *pod) terminatesAt(k gpu.Time) gpu.Time {
	since := gpu.Forever
	for _, told := range p.terminating.timeline[:p.terminating.after(k)] {
		since = min(since, told.value)
	}
	return since
}

// span is the time (from, to].
type span struct{ from, to gpu.Time }

// tenure is a span in which a holder held its device. While it is open, the
// newest set has it.
type tenure struct {
	span
	holder *holder
	open   bool
	// latest is how late a dated end can be that came after the set which
	// lacks the holder: the time of that set.
	latest gpu.Time
}

// datedEnd is an end of a tenure that its source saw.
type datedEnd struct {
	pod  string
	time gpu.Time
}

// holder is a pod on one device, over all its tenures.
type holder struct {
	gpu.Holder
	key     string
	device  *device
	host    bool // the host itself, not a pod
	pod     *pod
	join    []joinKey
	account *account
	tenures int // that aren't settled

	active   int64    // ns of activity since it began to hold the device
	bookedTo gpu.Time // end of its last settled piece
	stretch  gpu.Time // start of the running idle stretch, or NoTime
	mode     gpu.Reason
	modeOf   gpu.Time // the interval end that mode belongs to
}

// learn takes in the IP of a pod that had none yet.
func (h *holder) learn(w gpu.Holder, device gpu.DeviceID) {
	if h.PodIP == "" && w.PodIP != "" {
		h.PodIP = w.PodIP
		h.join = keysOf(h.Holder, device)
	}
}

// classMode returns the idle mode that the workload's class stands for.
func (h *holder) classMode() gpu.Reason {
	switch h.Workload.Class {
	case gpu.ClassInference:
		return gpu.ReasonInference
	case gpu.ClassBatch:
		return gpu.ReasonBatch
	case gpu.ClassInteractive:
		return gpu.ReasonInteractive
	default:
		return gpu.ReasonUnclassified
	}
}

// provisioningActivity is the activity below which a holder counts as not used
// yet.
const provisioningActivity = int64(time.Second)

// decideMode decides the mode of h for the interval that ends at t.
func (h *holder) decideMode(streams []*outputStream, t, k gpu.Time, maxGap time.Duration) {
	if h.modeOf == t {
		return
	}
	h.modeOf = t
	waits, sleeps := false, false
	for _, s := range streams {
		switch s.profile.Kind {
		case gpu.DemandGauge:
			waits = waits || s.above(t, k, maxGap)
		case gpu.SleepGauge:
			sleeps = sleeps || s.above(t, k, maxGap)
		}
	}
	switch {
	case waits:
		h.mode = gpu.ReasonStarved
	case sleeps:
		h.mode = gpu.ReasonSleeping
	case h.active < provisioningActivity:
		h.mode = gpu.ReasonProvisioning
	default:
		h.mode = h.classMode()
	}
}

// track continues, begins or ends the idle stretch of h with a piece that
// begins at from.
func (h *holder) track(low bool, from gpu.Time) {
	switch {
	case !low:
		h.stretch = gpu.NoTime
	case h.stretch == gpu.NoTime || h.bookedTo != from:
		h.stretch = from
	}
}
