// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package kubetest

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	grpcstatus "google.golang.org/grpc/status"
	corev1 "k8s.io/api/core/v1"
	podresources "k8s.io/kubelet/pkg/apis/podresources/v1"
)

// Holder is a container, as PodResources names it: without the pod's UID.
type Holder struct{ Namespace, Pod, Container string }

// Listed is one answer of PodResources, or an error in its place.
type Listed struct {
	At      time.Time // when it had arrived
	Devices map[Holder][]string
	Err     error
}

// Of returns the devices of a pod's container.
func (l Listed) Of(pod *corev1.Pod, container string) []string {
	return l.Devices[Holder{pod.Namespace, pod.Name, container}]
}

// Has says whether a pod has any device.
func (l Listed) Has(pod *corev1.Pod) bool {
	for holder, devices := range l.Devices {
		if holder.Namespace == pod.Namespace && holder.Pod == pod.Name && len(devices) > 0 {
			return true
		}
	}
	return false
}

func (l Listed) equal(other Listed) bool {
	return (l.Err == nil) == (other.Err == nil) && maps.EqualFunc(l.Devices, other.Devices, slices.Equal)
}

// PodResources asks the kubelet all the time, and keeps each answer that
// differs from the one before.
type PodResources struct {
	mu      sync.Mutex // guards what follows
	answers []Listed
	changed chan struct{} // closed with the next answer that differs
}

// PodResources begins to ask, until the test ends.
func (c *Cluster) PodResources(t testing.TB) *PodResources {
	t.Helper()
	conn, err := dial(c.PodResourcesSocket)
	if err != nil {
		t.Fatalf("connecting to PodResources: %v", err)
	}
	r := &PodResources{changed: make(chan struct{})}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		r.follow(ctx, podresources.NewPodResourcesListerClient(conn))
	}()
	t.Cleanup(func() {
		cancel()
		<-done
		if err := conn.Close(); err != nil {
			t.Errorf("closing a connection to the kubelet: %v", err)
		}
	})
	return r
}

func (r *PodResources) follow(ctx context.Context, client podresources.PodResourcesListerClient) {
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for ctx.Err() == nil {
		answer, err := client.List(ctx, &podresources.ListPodResourcesRequest{})
		if grpcstatus.Code(err) != codes.ResourceExhausted { // else all who ask, together, ask too often: that says nothing
			r.add(Listed{At: time.Now(), Devices: devices(answer), Err: err})
		}
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
}

// devices returns each id once: a device on two NUMA nodes is listed twice.
func devices(answer *podresources.ListPodResourcesResponse) map[Holder][]string {
	found := map[Holder][]string{}
	for _, pod := range answer.GetPodResources() {
		for _, container := range pod.GetContainers() {
			var ids []string
			for _, d := range container.GetDevices() {
				ids = append(ids, d.GetDeviceIds()...)
			}
			slices.Sort(ids)
			found[Holder{pod.GetNamespace(), pod.GetName(), container.GetName()}] = slices.Compact(ids)
		}
	}
	return found
}

func (r *PodResources) add(l Listed) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n := len(r.answers); n > 0 && r.answers[n-1].equal(l) {
		return
	}
	r.answers = append(r.answers, l)
	close(r.changed)
	r.changed = make(chan struct{})
}

// Answers returns all that differ, the oldest first.
func (r *PodResources) Answers() []Listed {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.answers)
}

// Await waits for an answer from the given time on of which something is true.
func (r *PodResources) Await(t testing.TB, from time.Time, what string, condition func(Listed) bool) Listed {
	t.Helper()
	end := time.After(patience)
	for {
		r.mu.Lock()
		answers, changed := r.answers, r.changed
		r.mu.Unlock()
		for i, l := range answers {
			// An answer counts until the next that differs.
			ended := i+1 < len(answers) && answers[i+1].At.Before(from)
			if !ended && condition(l) {
				return l
			}
		}
		select {
		case <-changed:
		case <-end:
			t.Fatalf("waiting for PodResources to say that %s; the last: %s", what, fmt.Sprint(answers[max(0, len(answers)-1):]))
		}
	}
}
