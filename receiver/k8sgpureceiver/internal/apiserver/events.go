// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"context"
	"strings"
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
	client  kubernetes.Interface
	wanted  chan pod.Ref
	tell    func(uid string, events []pod.Event)
	outcome func(error)
}

// NewEvents returns what lists events; tell is called with those of a pod,
// outcome with the error of each request, nil if there was none.
func NewEvents(client kubernetes.Interface, tell func(string, []pod.Event), outcome func(error)) *Events {
	return &Events{client: client, wanted: make(chan pod.Ref, 256), tell: tell, outcome: outcome}
}

// Ask asks for the events of a pod. It never waits; false: too many are asked for.
func (e *Events) Ask(ref pod.Ref) bool {
	select {
	case e.wanted <- ref:
		return true
	default:
		return false
	}
}

// Run lists until ctx ends.
func (e *Events) Run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case ref := <-e.wanted:
			found, err := e.list(ctx, ref)
			if ctx.Err() != nil {
				return
			}
			e.outcome(err)
			if err == nil {
				e.tell(ref.UID, found)
			}
		}
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
