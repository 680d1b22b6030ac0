// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package allocation

import (
	"cmp"
	"slices"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// Of a pod that is over, nothing is heard for an hour only if its object is
// gone as well.
const (
	forgetAfter  = time.Hour
	mostReminded = 1024
)

func (b *Book) forget(now gpu.Time) {
	if len(b.closed) <= mostReminded {
		return
	}
	for uid, heard := range b.closed {
		if now.Sub(heard) >= forgetAfter {
			delete(b.closed, uid)
		}
	}
}

// mostUntold is how many lives that are over wait for a set that is accepted:
// more than a node ends in hours.
const mostUntold = 4096

// dropEnds forgets the oldest ends if nobody takes them: the ledger ends their
// holders at its last set.
func (b *Book) dropEnds() {
	var waiting []*life
	for _, l := range b.lives {
		if !l.live() && !l.told {
			waiting = append(waiting, l)
		}
	}
	if len(waiting) <= mostUntold {
		return
	}
	slices.SortFunc(waiting, func(a, b *life) int {
		return cmp.Or(cmp.Compare(a.heard, b.heard), cmp.Compare(a.pod.UID, b.pod.UID))
	})
	for _, l := range waiting[:len(waiting)-mostUntold] {
		if len(l.last) > 0 {
			b.counts.EndsDropped++
		}
		delete(b.lives, l.pod.UID)
		b.closed[l.pod.UID] = l.heard
	}
	b.forget(b.lists.newestAt)
}

// endUnseen forgets ends of devices whose time is long over.
func (b *Book) endUnseen() {
	const most = 4096
	if len(b.lastEnd) < most {
		return
	}
	oldest, key := gpu.Forever, ""
	for k, end := range b.lastEnd {
		if end.At < oldest {
			oldest, key = end.At, k
		}
	}
	delete(b.lastEnd, key)
}

// Counts are what the book couldn't take as it was told.
type Counts struct {
	EndsDropped int // ends that no set told, because none was accepted for too long
	Conflicts   int // news of milestones that contradict what was told before
}

// Counts returns what happened so far.
func (b *Book) Counts() Counts { return b.counts }
