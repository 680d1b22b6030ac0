// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package allocation

import (
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/pod"
)

// patience is how many sets in a row doubts about one pod may hold back.
// Sources that disagree for so long won't agree by themselves: then the doubt is
// settled for that pod alone, and the set of all others is sent. A collection in
// which nothing is doubtful about the pod gives back one of them, so that one
// that is listed now and then doesn't cost most sets.
const patience = 3

// subject is a pod that is doubtful: by its name, since a list has no UIDs. That
// a holder isn't listed, or with other devices, is a doubt of its own: it may
// have ended, and the patience that was spent on others doesn't count then.
type subject struct {
	pod    pod.Key
	holder bool
}

// worry is what the doubts about one pod have cost so far.
type worry struct {
	since gpu.Time // the first list with one
	sets  int      // collections with one, less those without any; one more than patience at most
	now   bool     // this collection has one
}

// doubted notes a doubt about a pod, and reports whether it lasts: then it holds
// nothing back any more.
func (b *Book) doubted(key pod.Key, d Doubt) (lasts bool) {
	s, at := subject{key, d == PodUnlisted || d == DevicesChanged}, b.lists.newestAt
	w := b.worries[s]
	if w == nil {
		w = &worry{since: at}
		b.worries[s] = w
	}
	if !w.now {
		w.now = true
		w.sets = min(w.sets+1, patience+1)
	}
	// A kubelet that starts may list nothing: that takes a time, not a number of
	// collections.
	return w.sets > patience && (d != PodUnlisted || at.Sub(w.since) >= missingFor)
}

// calm ends a collection: the doubts about a pod that had none are forgotten in
// time.
func (b *Book) calm() {
	doubtful := map[pod.Key]bool{}
	for s, w := range b.worries {
		doubtful[s.pod] = doubtful[s.pod] || w.now
		w.now = false
	}
	for s, w := range b.worries {
		if !doubtful[s.pod] {
			w.sets--
		}
		if w.sets == 0 {
			delete(b.worries, s)
		}
	}
}
