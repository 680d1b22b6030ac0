// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package kubetest

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
)

// Version is a pod as the API server had it.
type Version struct {
	At  time.Time // when it had arrived
	Pod *corev1.Pod
}

// History keeps every version of every pod, and every event, of the API server:
// objects go with their namespace.
type History struct {
	mu     sync.Mutex // guards what follows
	pods   map[types.UID][]Version
	events map[types.UID][]*corev1.Event // by pod
}

// History begins to watch, until the test ends.
func (c *Cluster) History(t testing.TB) *History {
	t.Helper()
	h := &History{pods: map[types.UID][]Version{}, events: map[types.UID][]*corev1.Event{}}
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	pods, events := c.Client.CoreV1().Pods(""), c.Client.CoreV1().Events("")
	running.Go(func() {
		again(ctx, func() error {
			list, err := pods.List(ctx, metav1.ListOptions{})
			if err != nil {
				return err
			}
			for i := range list.Items {
				h.pod(&list.Items[i])
			}
			changes, err := pods.Watch(ctx, metav1.ListOptions{ResourceVersion: list.ResourceVersion})
			return follow(changes, err, h.pod)
		})
	})
	running.Go(func() {
		again(ctx, func() error {
			list, err := events.List(ctx, metav1.ListOptions{})
			if err != nil {
				return err
			}
			for i := range list.Items {
				h.event(&list.Items[i])
			}
			changes, err := events.Watch(ctx, metav1.ListOptions{ResourceVersion: list.ResourceVersion})
			return follow(changes, err, h.event)
		})
	})
	t.Cleanup(func() { cancel(); running.Wait() })
	return h
}

// again calls once, and again shortly after it has returned: the API server may
// be away.
func again(ctx context.Context, once func() error) {
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for ctx.Err() == nil {
		_ = once() // whatever it was: the next try tells
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
}

// follow hands on what a watch tells, until it ends.
func follow[T any](changes watch.Interface, err error, take func(T)) error {
	if err != nil {
		return err
	}
	defer changes.Stop()
	for change := range changes.ResultChan() {
		if object, ok := change.Object.(T); ok {
			take(object)
		}
	}
	return nil
}

func (h *History) pod(p *corev1.Pod) {
	h.mu.Lock()
	defer h.mu.Unlock()
	all := h.pods[p.UID]
	if n := len(all); n == 0 || all[n-1].Pod.ResourceVersion != p.ResourceVersion {
		h.pods[p.UID] = append(all, Version{At: time.Now(), Pod: p.DeepCopy()})
	}
}

func (h *History) event(e *corev1.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.events[e.InvolvedObject.UID] = append(h.events[e.InvolvedObject.UID], e.DeepCopy())
}

// Versions returns those of a pod, the oldest first.
func (h *History) Versions(uid types.UID) []Version {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.pods[uid])
}

// Bound returns when the scheduler said that a pod was bound, to the
// microsecond; zero if the event was never seen.
func (h *History) Bound(uid types.UID) time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, e := range h.events[uid] {
		if e.Reason == "Scheduled" {
			return e.EventTime.Time
		}
	}
	return time.Time{}
}
