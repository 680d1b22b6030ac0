// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/claim"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/kubelet"
)

// claimNotes is a sink that writes down what it is told.
type claimNotes struct{ notes }

func (n *claimNotes) Claim(c claim.Claim) {
	n.text <- fmt.Sprintf("claim %s %d", c.Name, len(c.Grants))
}

func (n *claimNotes) ClaimFailed(err error) {
	n.text <- fmt.Sprintf("failed: %s", kubelet.ReasonOf(err))
}

func (n *claimNotes) Slice(s claim.Slice) {
	n.text <- fmt.Sprintf("slice %s %d", s.Name, len(s.Offers))
}
func (n *claimNotes) SliceGone(name string) { n.text <- "gone " + name }
func (n *claimNotes) SlicesSynced()         { n.text <- "synced" }
func (n *claimNotes) SlicesLost(err error)  { n.text <- fmt.Sprintf("lost: %s", kubelet.ReasonOf(err)) }

// claimServer is an API server with claims and slices.
type claimServer struct {
	mu       sync.Mutex
	denied   bool
	requests map[string]int
	events   chan metav1.WatchEvent
}

func theSlice(name string, devices ...string) resourcev1.ResourceSlice {
	s := resourcev1.ResourceSlice{
		TypeMeta:   metav1.TypeMeta{APIVersion: "resource.k8s.io/v1", Kind: "ResourceSlice"},
		ObjectMeta: metav1.ObjectMeta{Name: name, ResourceVersion: "7"},
	}
	for _, d := range devices {
		s.Spec.Devices = append(s.Spec.Devices, resourcev1.Device{Name: d})
	}
	return s
}

func (s *claimServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	s.mu.Lock()
	s.requests[r.Method+" "+r.URL.Path+" "+query.Get("fieldSelector")]++
	denied := s.denied
	s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	switch {
	case denied:
		answerStatus(w, http.StatusForbidden)
	case strings.Contains(r.URL.Path, "resourceclaims/gone"):
		w.WriteHeader(http.StatusNotFound)
		_ = json.NewEncoder(w).Encode(metav1.Status{
			TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: metav1.StatusFailure, Code: 404, Reason: metav1.StatusReasonNotFound,
		})
	case strings.Contains(r.URL.Path, "resourceclaims"):
		_ = json.NewEncoder(w).Encode(resourcev1.ResourceClaim{
			TypeMeta:   metav1.TypeMeta{APIVersion: "resource.k8s.io/v1", Kind: "ResourceClaim"},
			ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]},
			Status: resourcev1.ResourceClaimStatus{Allocation: &resourcev1.AllocationResult{Devices: resourcev1.DeviceAllocationResult{
				Results: []resourcev1.DeviceRequestAllocationResult{{Driver: "gpu.nvidia.com", Device: "gpu-0"}},
			}}},
		})
	case query.Get("watch") == "":
		_ = json.NewEncoder(w).Encode(resourcev1.ResourceSliceList{
			TypeMeta: metav1.TypeMeta{APIVersion: "resource.k8s.io/v1", Kind: "ResourceSliceList"},
			ListMeta: metav1.ListMeta{ResourceVersion: "7"}, Items: []resourcev1.ResourceSlice{theSlice("a", "gpu-0", "gpu-1")},
		})
	case query.Get("sendInitialEvents") == "true":
		answerStatus(w, http.StatusUnprocessableEntity)
	default:
		w.WriteHeader(http.StatusOK)
		w.(http.Flusher).Flush()
		stream(w, r, s.events, nil)
	}
}

func (s *claimServer) deny(denied bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.denied = denied
}

func (s *claimServer) send(kind string, slice resourcev1.ResourceSlice) {
	data, err := json.Marshal(slice)
	if err != nil {
		panic(err)
	}
	s.events <- metav1.WatchEvent{Type: kind, Object: runtime.RawExtension{Raw: data}}
}

// serve runs a function with a client of a server, until stop is called.
func serve(t *testing.T, run func(ctx context.Context, client kubernetes.Interface, told *claimNotes)) (s *claimServer, told *claimNotes, stop func()) {
	s = &claimServer{requests: map[string]int{}, events: make(chan metav1.WatchEvent, 10)}
	web := httptest.NewServer(s)
	transport := &http.Transport{}
	client, err := kubernetes.NewForConfig(&rest.Config{Host: web.URL, Transport: transport})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	told = &claimNotes{notes{make(chan string, 1000)}}
	done := make(chan struct{})
	go func() {
		defer close(done)
		run(ctx, client, told)
	}()
	return s, told, func() {
		cancel()
		<-done
		transport.CloseIdleConnections()
		web.Close()
	}
}

func TestWatchSlices(t *testing.T) {
	s, told, stop := serve(t, func(ctx context.Context, client kubernetes.Interface, told *claimNotes) {
		WatchSlices(ctx, client, "node-1", told)
	})
	told.wait(t, "slice a 2")
	told.wait(t, "synced")
	s.send("ADDED", theSlice("b", "gpu-2"))
	told.wait(t, "slice b 1")
	s.send("MODIFIED", theSlice("b"))
	told.wait(t, "slice b 0")
	s.send("DELETED", theSlice("b"))
	told.wait(t, "gone b")
	stop()
	for request := range s.requests {
		require.Equal(t, "GET /apis/resource.k8s.io/v1/resourceslices spec.nodeName=node-1", request, "those of this node: nothing else")
	}
}

// TestSlicesDenied: it is told, and tried again.
func TestSlicesDenied(t *testing.T) {
	allow := make(chan struct{})
	s, told, stop := serve(t, func(ctx context.Context, client kubernetes.Interface, told *claimNotes) {
		<-allow
		WatchSlices(ctx, client, "", told)
	})
	s.deny(true)
	close(allow)
	told.wait(t, "lost: denied")
	s.deny(false)
	told.wait(t, "synced")
	stop()
	require.Contains(t, s.requests, "GET /apis/resource.k8s.io/v1/resourceslices ", "of all nodes")
}

func TestReadClaims(t *testing.T) {
	var reader *Claims
	ready := make(chan struct{})
	s, told, stop := serve(t, func(ctx context.Context, client kubernetes.Interface, told *claimNotes) {
		reader = NewClaims(client, told)
		close(ready)
		reader.Run(ctx)
	})
	<-ready
	s.deny(true)
	reader.Ask(claim.Key{Namespace: "ns", Name: "c"})
	told.wait(t, "failed: denied")
	s.deny(false)
	reader.Ask(claim.Key{Namespace: "ns", Name: "gone"})
	reader.Ask(claim.Key{Namespace: "ns", Name: "c"})
	require.Equal(t, "claim c 1", told.next(t, time.After(30*time.Second), "claim c 1"), "one that is gone is no failure")
	stop()
	for range 300 {
		reader.Ask(claim.Key{Namespace: "ns", Name: "c"}) // nobody reads: it never waits
	}
	require.Len(t, reader.wanted, 1, "once until it is read")
	for i := range 300 {
		reader.Ask(claim.Key{Namespace: "ns", Name: strconv.Itoa(i)})
	}
	require.Len(t, reader.wanted, 256)
}
