// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/kubernetes"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/pod"
)

// Events lists the events of single pods, beside the collection. It watches
// none: a node's events are many, those of a start are few.
type Events struct {
	client kubernetes.Interface
	tell   func(uid string, events []pod.Event)
	failed func(error)
	more   chan struct{} // something is wanted

	mu     sync.Mutex // guards wanted
	wanted []request  // a pod once
}

// request is a pod whose events are wanted, and how often they were asked for
// without an answer.
type request struct {
	pod.Ref
	tries int
}

// mostWanted is more pods than start on a node while its API server is away.
const mostWanted = 1024

// The waits after failures. The API server keeps events for an hour: after so
// many tries a start's are gone.
const (
	firstRetry, lastRetry = 200 * time.Millisecond, 30 * time.Second
	mostTries             = 120
)

var (
	errForgotten = errors.New("too many pods wait for their events: those of the oldest won't be asked for")
	errGivenUp   = errors.New("a pod's events couldn't be listed while the API server keeps them")
)

// NewEvents returns what lists events; tell is called with those of a pod,
// failed with errors.
func NewEvents(client kubernetes.Interface, tell func(string, []pod.Event), failed func(error)) *Events {
	return &Events{client: client, more: make(chan struct{}, 1), tell: tell, failed: failed}
}

// Ask asks for the events of a pod. It never waits. If they can't be listed, it
// is tried again.
func (e *Events) Ask(ref pod.Ref) { e.want(request{Ref: ref}) }

func (e *Events) want(r request) {
	e.mu.Lock()
	full := false
	if !slices.ContainsFunc(e.wanted, func(w request) bool { return w.UID == r.UID }) {
		if full = len(e.wanted) >= mostWanted; full {
			e.wanted = slices.Delete(e.wanted, 0, 1)
		}
		e.wanted = append(e.wanted, r)
	}
	e.mu.Unlock()
	if full {
		e.failed(errForgotten)
	}
	select {
	case e.more <- struct{}{}:
	default: // Run hasn't taken the last one yet
	}
}

// next takes the pod that waits for longest. It waits for one until ctx ends.
func (e *Events) next(ctx context.Context) (r request, ok bool) {
	for {
		e.mu.Lock()
		if len(e.wanted) > 0 {
			r = e.wanted[0]
			e.wanted = slices.Delete(e.wanted, 0, 1)
			e.mu.Unlock()
			return r, ctx.Err() == nil
		}
		e.mu.Unlock()
		select {
		case <-ctx.Done():
			return request{}, false
		case <-e.more:
		}
	}
}

// Run lists until ctx ends.
func (e *Events) Run(ctx context.Context) {
	wait := firstRetry
	for {
		r, ok := e.next(ctx)
		if !ok {
			return
		}
		found, err := e.list(ctx, r.Ref)
		if ctx.Err() != nil {
			return
		}
		if err == nil {
			wait = firstRetry
			e.tell(r.UID, found)
			continue
		}
		e.failed(err)
		e.again(r)
		if !pause(ctx, wait) {
			return
		}
		wait = min(2*wait, lastRetry)
	}
}

// again puts a pod behind the others.
func (e *Events) again(r request) {
	if r.tries++; r.tries < mostTries {
		e.want(r)
		return
	}
	e.failed(errGivenUp)
}

// pause waits, and reports whether ctx still goes on.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// mostEvents is more than a start has.
const mostEvents = 200

func (e *Events) list(ctx context.Context, ref pod.Ref) ([]pod.Event, error) {
	selector := fields.Set{"involvedObject.kind": "Pod", "involvedObject.uid": ref.UID}.String()
	list, err := e.client.CoreV1().Events(ref.Namespace).List(ctx, metav1.ListOptions{FieldSelector: selector, Limit: mostEvents})
	if err != nil {
		return nil, err
	}
	found := make([]pod.Event, 0, len(list.Items))
	for i := range list.Items {
		if item := &list.Items[i]; strings.HasPrefix(item.Source.Component, "kubelet") {
			found = append(found, readEvent(item))
		}
	}
	return found, nil
}

func readEvent(e *corev1.Event) pod.Event {
	out := pod.Event{Name: e.Name, Reason: e.Reason, FieldPath: e.InvolvedObject.FieldPath, Message: e.Message}
	if first := e.FirstTimestamp.Time; first.Unix() >= int64(time.Duration(gpu.Earliest)/time.Second) {
		out.First = gpu.Time(first.UnixNano())
	}
	return out
}
