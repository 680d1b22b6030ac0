// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/kubelet"
)

// namespaceServer answers as an API server; its labels may be changed.
type namespaceServer struct {
	mu     sync.Mutex
	labels map[string]map[string]string // by namespace; nil: denied
	asked  []string
}

func (s *namespaceServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, r.Method+" "+r.URL.String())
	w.Header().Set("Content-Type", "application/json")
	name := r.URL.Path[len("/api/v1/namespaces/"):]
	switch labels, ok := s.labels[name]; {
	case !ok:
		w.WriteHeader(http.StatusNotFound)
		_ = json.NewEncoder(w).Encode(metav1.Status{
			TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: metav1.StatusFailure, Code: 404, Reason: metav1.StatusReasonNotFound,
		})
	case labels == nil:
		answerStatus(w, http.StatusForbidden)
	default:
		_ = json.NewEncoder(w).Encode(corev1.Namespace{
			TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"}, ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels},
		})
	}
}

func (s *namespaceServer) set(name string, labels map[string]string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.labels[name] = labels
}

// namespaceRig asks a server; its clock stands until it is moved.
type namespaceRig struct {
	*Namespaces
	server   *namespaceServer
	mu       sync.Mutex
	passed   time.Duration
	outcomes chan error
}

func (r *namespaceRig) pass(d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.passed += d
}

// ask asks for a namespace, and returns what became of it.
func (r *namespaceRig) ask(name string) error {
	r.Labels(name)
	return <-r.outcomes
}

func newNamespaceRig(t *testing.T, labels map[string]map[string]string) *namespaceRig {
	r := &namespaceRig{server: &namespaceServer{labels: labels}, outcomes: make(chan error, 1)}
	web := httptest.NewServer(r.server)
	transport := &http.Transport{}
	client, err := kubernetes.NewForConfig(&rest.Config{Host: web.URL, Transport: transport, QPS: -1})
	require.NoError(t, err)
	r.Namespaces = NewNamespaces(client, []string{"team", "example.com/cost"}, func(err error) { r.outcomes <- err })
	begin := time.Unix(1_800_000_000, 0)
	r.now = func() time.Time {
		r.mu.Lock()
		defer r.mu.Unlock()
		return begin.Add(r.passed)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		r.Run(ctx)
	}()
	t.Cleanup(func() {
		stop()
		<-done
		transport.CloseIdleConnections()
		web.Close()
	})
	return r
}

// known waits until the outcome that was told is in what is known.
func (r *namespaceRig) known(t *testing.T, name string, want map[string]string) {
	t.Helper()
	require.Eventually(t, func() bool { return fmt.Sprint(r.Labels(name)) == fmt.Sprint(want) }, 30*time.Second, time.Millisecond)
}

// TestNamespaceLabels are read by get, only those that were chosen, and again
// when they may have changed: no request is a list or a watch.
func TestNamespaceLabels(t *testing.T) {
	r := newNamespaceRig(t, map[string]map[string]string{"ml": {"team": "a", "other": "b"}, "bare": {}})
	require.NoError(t, r.ask("ml"))
	r.known(t, "ml", map[string]string{"team": "a"})
	require.NoError(t, r.ask("bare"))
	r.known(t, "bare", map[string]string{})

	r.server.set("ml", map[string]string{"example.com/cost": "9"})
	r.pass(renewAfter)
	r.known(t, "ml", map[string]string{"team": "a"})
	r.pass(1)
	require.NoError(t, r.ask("ml"))
	r.known(t, "ml", map[string]string{"example.com/cost": "9"})
	get := "GET /api/v1/namespaces/"
	require.Equal(t, []string{get + "ml?resourceVersion=0", get + "bare?resourceVersion=0", get + "ml?resourceVersion=0"}, r.server.asked)
}

// TestNamespaceThatCantBeRead keeps its labels, and is asked for seldom.
func TestNamespaceThatCantBeRead(t *testing.T) {
	r := newNamespaceRig(t, map[string]map[string]string{"ml": {"team": "a"}, "secret": nil})
	require.NoError(t, r.ask("ml"))
	require.Equal(t, kubelet.Denied, kubelet.ReasonOf(r.ask("secret")))
	require.NoError(t, r.ask("none"), "a namespace that is gone is an answer")
	r.server.set("ml", nil)
	r.server.set("secret", map[string]string{"team": "b"})
	r.pass(askAgain)
	for _, name := range []string{"secret", "none"} {
		r.known(t, name, nil)
	}
	r.pass(1)
	require.NoError(t, r.ask("secret"))
	r.known(t, "secret", map[string]string{"team": "b"})
	r.pass(renewAfter)
	require.Equal(t, kubelet.Denied, kubelet.ReasonOf(r.ask("ml")))
	r.known(t, "ml", map[string]string{"team": "a"})
	require.Len(t, r.server.asked, 5)
}

// TestNamespacesAreBounded: what is remembered is, whatever names come and go.
func TestNamespacesAreBounded(t *testing.T) {
	r := newNamespaceRig(t, map[string]map[string]string{})
	for i := range mostNamespaces + 2 {
		require.NoError(t, r.ask(fmt.Sprintf("n%d", i)))
	}
	last := fmt.Sprintf("n%d", mostNamespaces+1)
	require.Eventually(t, func() bool {
		r.Namespaces.mu.Lock()
		defer r.Namespaces.mu.Unlock()
		_, ok := r.Namespaces.known[last]
		return ok && len(r.Namespaces.known) == 2
	}, 30*time.Second, time.Millisecond)
}
