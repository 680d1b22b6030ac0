// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package kubetest

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	grpcstatus "google.golang.org/grpc/status"
	corev1 "k8s.io/api/core/v1"
	pods "k8s.io/kubelet/pkg/apis/pods/v1alpha1"
)

// PodEvent is one event of the kubelet's Pods API, or the error that has ended
// a watch.
type PodEvent struct {
	At   time.Time // when it had arrived
	Type pods.EventType
	Pod  *corev1.Pod
	Err  error
}

// The types of events.
const (
	PodAdded    = pods.EventType_ADDED
	PodModified = pods.EventType_MODIFIED
	PodDeleted  = pods.EventType_DELETED
	PodsSynced  = pods.EventType_INITIAL_SYNC_COMPLETE
)

// PodsAPI watches the kubelet's pods, again whenever a watch ends, and keeps
// each event.
type PodsAPI struct {
	mu      sync.Mutex // guards what follows
	events  []PodEvent
	changed chan struct{} // closed with the next event
}

// PodsAPI begins to watch, until the test ends.
func (c *Cluster) PodsAPI(t testing.TB) *PodsAPI {
	t.Helper()
	conn, err := dial(c.PodsAPISocket)
	if err != nil {
		t.Fatalf("connecting to the Pods API: %v", err)
	}
	p := &PodsAPI{changed: make(chan struct{})}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(pollInterval)
		defer tick.Stop()
		for ctx.Err() == nil {
			if err := p.watch(ctx, pods.NewPodsClient(conn)); ctx.Err() == nil {
				p.add(PodEvent{Err: err})
			}
			select {
			case <-ctx.Done():
			case <-tick.C:
			}
		}
	}()
	t.Cleanup(func() {
		cancel()
		<-done
		if err := conn.Close(); err != nil {
			t.Errorf("closing a connection to the kubelet: %v", err)
		}
	})
	return p
}

func (p *PodsAPI) watch(ctx context.Context, client pods.PodsClient) error {
	stream, err := client.WatchPods(ctx, &pods.WatchPodsRequest{})
	if err != nil {
		return err
	}
	for {
		event, err := stream.Recv()
		if err != nil {
			return err
		}
		pod := &corev1.Pod{}
		if err := pod.Unmarshal(event.GetPod()); err != nil {
			return err
		}
		p.add(PodEvent{Type: event.GetType(), Pod: pod})
	}
}

func (p *PodsAPI) add(e PodEvent) {
	p.mu.Lock()
	defer p.mu.Unlock()
	e.At = time.Now()
	if n := len(p.events); n > 0 && e.Err != nil && grpcstatus.Code(p.events[n-1].Err) == grpcstatus.Code(e.Err) {
		return // the same again
	}
	p.events = append(p.events, e)
	close(p.changed)
	p.changed = make(chan struct{})
}

// Events returns all events of a pod, the oldest first.
func (p *PodsAPI) Events(pod *corev1.Pod) []PodEvent {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(p.events), func(e PodEvent) bool { return e.Pod == nil || e.Pod.UID != pod.UID })
}

// Await waits for an event from the given time on of which something is true.
func (p *PodsAPI) Await(t testing.TB, from time.Time, what string, condition func(PodEvent) bool) PodEvent {
	t.Helper()
	end := time.After(patience)
	for {
		p.mu.Lock()
		events, changed := p.events, p.changed
		p.mu.Unlock()
		for _, e := range events {
			if !e.At.Before(from) && condition(e) {
				return e
			}
		}
		select {
		case <-changed:
		case <-end:
			t.Fatalf("waiting for the Pods API to say that %s; %d events, the last %+v", what, len(events), events[max(0, len(events)-1):])
		}
	}
}

// Ended says that a watch has ended with a code.
func Ended(code codes.Code) func(PodEvent) bool {
	return func(e PodEvent) bool { return e.Err != nil && grpcstatus.Code(e.Err) == code }
}
