// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// span is the time (from, to].
type span struct{ from, to gpu.Time }

// tenure is a span in which a holder held its device. While it is open, the
// newest set has it.
type tenure struct {
	span
	holder *holder
	share  share
	open   bool
	// latest is how late a dated end can be that came after the set which
	// lacks the holder: the time of that set.
	latest gpu.Time
}

// datedEnd is an end of a tenure that its source saw, with what it had.
type datedEnd struct {
	pod   string
	time  gpu.Time
	claim claim
	told  bool // the share is known
}

// datedEndOf reads an allocation that ended; its share is void, its slots aren't.
func datedEndOf(a gpu.Allocation) datedEnd {
	a.Share = 1
	has, _, told := shareOf(a)
	if !told {
		has = wholeDevice
	}
	c := claim{Holder: a.Holder, begin: a.Begin, containers: containersOf(a.Holder), share: has}
	return datedEnd{pod: a.Holder.Key(), time: a.Time, claim: c, told: told}
}

// before is the order in which one of two ends of a pod at one time counts.
func (e datedEnd) before(o datedEnd) bool {
	return cmp.Or(
		cmp.Compare(e.claim.begin, o.claim.begin), strings.Compare(e.claim.Container, o.claim.Container),
		cmp.Compare(e.claim.share.of, o.claim.share.of), cmp.Compare(e.claim.share.n, o.claim.share.n),
	) < 0
}

// activity is how active a holder was on its device, so far.
type activity struct {
	sinceStart    int64 // ns since its start was over
	attempt       int
	attemptActive int64 // ns in attempt
}

// add takes in active time of an attempt.
func (a *activity) add(nanos int64, attempt int, starting bool) {
	if attempt != a.attempt {
		a.attempt, a.attemptActive = attempt, 0
	}
	a.attemptActive += nanos
	if starting {
		a.sinceStart = 0
	} else {
		a.sinceStart += nanos
	}
}

// holder is a pod on one device, over all its tenures.
type holder struct {
	gpu.Holder
	key        string
	containers []string // that held the device
	device     *device
	host       bool // the host itself, not a pod
	pod        *pod
	join       []joinKey
	accounts   [gpu.HostAttribution + 1]*account
	tenures    int // that aren't settled
	began      gpu.Time
	closed     gpu.Time // end of its newest settled tenure
	// left is the time of the first set that lacks it, or the end of its device;
	// Forever while it holds.
	left gpu.Time

	activity activity
	before   activity // the interval that is being settled
	started  int      // attempts below this one are past start-up
	bookedTo gpu.Time // end of its last settled piece
	stretch  gpu.Time // start of the running idle stretch, or NoTime
	mode     gpu.Reason
}

// learn takes in what a set says of a pod that held already.
func (h *holder) learn(c claim, device gpu.DeviceID) {
	if h.PodIP == "" && c.PodIP != "" {
		h.PodIP = c.PodIP
		h.join = keysOf(h.Holder, device)
	}
	for _, name := range c.containers {
		if !slices.Contains(h.containers, name) {
			h.containers = append(h.containers, name)
		}
	}
}

// opened returns when the first of its accounts opened, also of one that it had
// before it came back, of another attribution than it has now.
func (h *holder) opened() gpu.Time {
	owner, _ := ownerOf(h.Holder, h.device.ledger.cfg.Workloads)
	first := gpu.Forever
	for by, a := range h.accounts {
		if a == nil {
			a = h.device.accounts[accountKey{owner, gpu.Attribution(by)}]
		}
		if a != nil {
			first = min(first, a.opened)
		}
	}
	return first
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
func (h *holder) decideMode(streams []*outputStream, peerActive bool, t, k gpu.Time, maxGap time.Duration) {
	waits, sleeps := peerActive, false
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
	case h.before.sinceStart < provisioningActivity:
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
