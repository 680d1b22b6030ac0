// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Package kubelettest is a kubelet for tests: real gRPC servers on real sockets,
// with answers that a test sets.
package kubelettest

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"google.golang.org/grpc"
	podresources "k8s.io/kubelet/pkg/apis/podresources/v1"
	pods "k8s.io/kubelet/pkg/apis/pods/v1alpha1"
)

// Kubelet serves PodResources and the Pods API.
type Kubelet struct {
	podresources.UnimplementedPodResourcesListerServer
	pods.UnimplementedPodsServer

	Socket string
	server *grpc.Server
	done   chan struct{}

	mu          sync.Mutex
	list        *podresources.ListPodResourcesResponse
	allocatable *podresources.AllocatableResourcesResponse
	err         error
	next        []*podresources.ListPodResourcesResponse // before list
	lists       int
	watchers    map[chan *pods.WatchPodsEvent]<-chan struct{} // closed when the watch has ended
	known       []*pods.WatchPodsEvent                        // what a new watcher is told first
	refuse      error                                         // of watchers
	dropped     chan struct{}                                 // closed when all watches end
}

// New returns a kubelet that doesn't run yet. A socket's path is short: the
// folder isn't t.TempDir.
func New(t testing.TB) *Kubelet {
	t.Helper()
	dir, err := os.MkdirTemp("", "kt") //nolint:usetesting // t.TempDir is too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	k := &Kubelet{
		Socket: filepath.Join(dir, "k.sock"), watchers: map[chan *pods.WatchPodsEvent]<-chan struct{}{}, dropped: make(chan struct{}),
	}
	t.Cleanup(func() {
		k.Stop()
		_ = os.RemoveAll(dir)
	})
	return k
}

// Start makes the socket and serves.
func (k *Kubelet) Start(t testing.TB) *Kubelet {
	t.Helper()
	_ = os.Remove(k.Socket)
	listener, err := net.Listen("unix", k.Socket)
	if err != nil {
		t.Fatal(err)
	}
	k.server, k.done = grpc.NewServer(), make(chan struct{})
	podresources.RegisterPodResourcesListerServer(k.server, k)
	pods.RegisterPodsServer(k.server, k)
	server, done := k.server, k.done
	go func() {
		defer close(done)
		_ = server.Serve(listener)
	}()
	return k
}

// Stop ends every call and removes the socket.
func (k *Kubelet) Stop() {
	if k.server != nil {
		k.server.Stop()
		<-k.done
		k.server = nil
	}
}

// Answer sets what lists say, or the error that they are.
func (k *Kubelet) Answer(list *podresources.ListPodResourcesResponse, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.list, k.err, k.next = list, err, nil
}

// AnswerInTurn sets what the next lists say, one after the other. The last
// answer stays.
func (k *Kubelet) AnswerInTurn(lists ...*podresources.ListPodResourcesResponse) {
	k.mu.Lock()
	defer k.mu.Unlock()
	last := len(lists) - 1
	k.list, k.err, k.next = lists[last], nil, lists[:last]
}

// Offer sets what is allocatable.
func (k *Kubelet) Offer(devices ...*podresources.ContainerDevices) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.allocatable = &podresources.AllocatableResourcesResponse{Devices: devices}
}

// Lists returns how often devices were listed.
func (k *Kubelet) Lists() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.lists
}

// List answers as Answer says.
func (k *Kubelet) List(context.Context, *podresources.ListPodResourcesRequest) (*podresources.ListPodResourcesResponse, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.lists++
	if len(k.next) > 0 {
		first := k.next[0]
		k.next = k.next[1:]
		return first, nil
	}
	return k.list, k.err
}

// GetAllocatableResources answers as Offer says.
func (k *Kubelet) GetAllocatableResources(
	context.Context, *podresources.AllocatableResourcesRequest,
) (*podresources.AllocatableResourcesResponse, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.allocatable, k.err
}

// Refuse sets the error that watchers get, nil to let them in.
func (k *Kubelet) Refuse(err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.refuse = err
}

// Drop ends all watches with an error, which new ones get as well.
func (k *Kubelet) Drop(err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.refuse = err
	close(k.dropped)
	k.dropped = make(chan struct{})
}

// Known sets what a new watcher is told before it is synced.
func (k *Kubelet) Known(events ...*pods.WatchPodsEvent) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.known = events
}

// Send tells all watchers.
func (k *Kubelet) Send(event *pods.WatchPodsEvent) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for w, ended := range k.watchers {
		select {
		case w <- event:
		case <-ended:
		}
	}
}

// Watchers returns how many watch.
func (k *Kubelet) Watchers() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.watchers)
}

// WatchPods streams what is known, then what is sent.
func (k *Kubelet) WatchPods(_ *pods.WatchPodsRequest, stream grpc.ServerStreamingServer[pods.WatchPodsEvent]) error {
	k.mu.Lock()
	if k.refuse != nil {
		defer k.mu.Unlock()
		return k.refuse
	}
	events := make(chan *pods.WatchPodsEvent, len(k.known)+100)
	dropped := k.dropped
	k.watchers[events] = stream.Context().Done()
	for _, e := range k.known {
		events <- e
	}
	events <- &pods.WatchPodsEvent{Type: pods.EventType_INITIAL_SYNC_COMPLETE}
	k.mu.Unlock()
	defer func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		delete(k.watchers, events)
	}()
	for {
		select {
		case <-stream.Context().Done():
			return nil
		case <-dropped:
			k.mu.Lock()
			defer k.mu.Unlock()
			return k.refuse
		case e := <-events:
			if err := stream.Send(e); err != nil {
				return err
			}
		}
	}
}
