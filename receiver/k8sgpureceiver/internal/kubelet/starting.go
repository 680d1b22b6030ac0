// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package kubelet

import (
	"errors"
	"slices"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/pod"
)

// errStarting is of an answer without any pod of the API server, from a kubelet
// that had some: it starts, and hasn't heard of them yet.
var errStarting = errors.New("the kubelet has no pods of the API server, though it had some: it starts")

// startsWithin is longer than a kubelet takes to hear of its pods. After that it
// is believed.
const startsWithin = time.Minute

// annotationSource says where the kubelet has a pod from.
const annotationSource = "kubernetes.io/config.source"

// empties says whether a kubelet that answers lacks all pods that it had.
type empties struct {
	had   bool
	since time.Time // the first such answer, zero if the newest isn't
}

// starts takes an answer and reports whether it is of a kubelet that starts. Pods
// of files on the node don't count: it has those at once.
func (e *empties) starts(found []pod.Pod, now time.Time) bool {
	ofServer := func(p pod.Pod) bool {
		source := p.Annotations[annotationSource]
		return source != "file" && source != "http"
	}
	switch {
	case slices.ContainsFunc(found, ofServer):
		e.had, e.since = true, time.Time{}
		return false
	case !e.had:
		return false
	case e.since.IsZero():
		e.since = now
	}
	if now.Sub(e.since) < startsWithin {
		return true
	}
	e.had = false
	return false
}
