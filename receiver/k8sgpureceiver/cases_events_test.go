// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package k8sgpureceiver

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/apiserver"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/pod"
)

// eventServer is an API server that has events, and nothing else.
type eventServer struct {
	wanted bool
	told   chan string // UIDs whose events the receiver has got

	mu     sync.Mutex // guards what follows
	events []corev1.Event
	fails  int // with this code, if it isn't 0
}

func newEventServer(t *testing.T, wanted bool) *eventServer {
	s := &eventServer{wanted: wanted, told: make(chan string, 100)}
	if !wanted {
		return s
	}
	server := httptest.NewTLSServer(http.HandlerFunc(s.answer))
	t.Cleanup(server.Close)
	at, err := url.Parse(server.URL)
	require.NoError(t, err)
	name, port, err := net.SplitHostPort(at.Host)
	require.NoError(t, err)
	t.Setenv("KUBERNETES_SERVICE_HOST", name)
	t.Setenv("KUBERNETES_SERVICE_PORT", port)
	return s
}

// answer lists the events of one pod.
func (s *eventServer) answer(w http.ResponseWriter, r *http.Request) {
	of, err := fields.ParseSelector(r.URL.Query().Get("fieldSelector"))
	uid, found := "", false
	if err == nil {
		uid, found = of.RequiresExactMatch("involvedObject.uid")
	}
	if !found || !strings.HasSuffix(r.URL.Path, "/events") {
		http.NotFound(w, r)
		return
	}
	list := corev1.EventList{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "EventList"}}
	s.mu.Lock()
	fails := s.fails
	for i := range s.events {
		if string(s.events[i].InvolvedObject.UID) == uid {
			list.Items = append(list.Items, s.events[i])
		}
	}
	s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	if fails != 0 {
		w.WriteHeader(fails)
		_ = json.NewEncoder(w).Encode(metav1.Status{
			TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: metav1.StatusFailure, Code: int32(fails),
		})
		return
	}
	_ = json.NewEncoder(w).Encode(list) // a client that has gone
}

// fail makes all lists of events fail with a code of HTTP; 0: none.
func (s *eventServer) fail(code int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fails = code
}

// serve makes a receiver look events up, as lookUpEvents does.
func (s *eventServer) serve(ctx context.Context, r *rig) {
	if !s.wanted {
		return
	}
	cfg := *r.cfg
	cfg.AuthType = apiserver.AuthNone
	client, err := apiserver.New(cfg.api())
	require.NoError(r.t, err)
	r.events = apiserver.NewEvents(client, func(uid string, events []pod.Event) {
		r.takeEvents(uid, events)
		s.told <- uid
	}, func(err error) { r.own.failed(sourceEvents, err) })
	r.done.Go(func() { r.events.Run(ctx) })
}

// finish waits until the receiver has looked up so often.
func (s *eventServer) finish(t *testing.T, times int) {
	t.Helper()
	for range times {
		select {
		case <-s.told:
		case <-time.After(wait):
			t.Fatal("events weren't looked up")
		}
	}
	require.Empty(t, s.told, "further lookups of events")
}

// failed returns how often a receiver has got no events.
func failed(r *rig) (n int64) {
	for key, times := range r.own.read(0).SourceFailures {
		if key[0] == sourceEvents {
			n += times
		}
	}
	return n
}

// add lets events happen.
func (s *eventServer) add(t *testing.T, events []event, pods map[string]map[string]any) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range events {
		p, err := podOf(e.Pod, pods[e.Pod])
		require.NoError(t, err)
		first, err := timeOf(e.First)
		require.NoError(t, err)
		out := corev1.Event{Reason: e.Reason, Message: e.Message}
		out.Name, out.Source.Component = e.Name, "kubelet"
		if e.At != "" {
			at, err := timeOf(e.At)
			require.NoError(t, err)
			out.Name = fmt.Sprintf("%s.%x", p.Name, int64(at))
		}
		out.FirstTimestamp = metav1.NewTime(time.Unix(0, int64(first)))
		out.InvolvedObject = corev1.ObjectReference{UID: p.UID, FieldPath: "spec.containers{" + e.Container + "}"}
		s.events = append(s.events, out)
	}
}

// procOf writes the driver's devices as the host's /proc tells of them.
func procOf(t *testing.T, boards map[string]board) string {
	t.Helper()
	dir := t.TempDir()
	for address, b := range boards {
		folder := filepath.Join(dir, "driver", "nvidia", "gpus", address)
		require.NoError(t, os.MkdirAll(folder, 0o700))
		information := fmt.Sprintf("Model: \t\t NVIDIA H100\nGPU UUID: \t %s\nDevice Minor: \t %d\n", b.UUID, b.Minor)
		require.NoError(t, os.WriteFile(filepath.Join(folder, "information"), []byte(information), 0o600))
	}
	return dir
}
