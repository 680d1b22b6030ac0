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
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/claim"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/kubelet"
)

// ruleNotes is a sink that writes down what it is told.
type ruleNotes struct{ notes }

func (n *ruleNotes) Rule(r claim.Rule)    { n.text <- "rule " + r.Name + " " + r.Taint }
func (n *ruleNotes) RuleGone(name string) { n.text <- "gone " + name }
func (n *ruleNotes) RulesSynced()         { n.text <- "synced" }
func (n *ruleNotes) RulesLost(err error)  { n.text <- fmt.Sprintf("lost: %s", kubelet.ReasonOf(err)) }

// ruleServer is an API server with one rule; code is what it answers instead.
type ruleServer struct {
	mu     sync.Mutex
	code   int32
	asked  int
	paths  map[string]bool
	events chan metav1.WatchEvent
}

func theRule(name string) resourcev1.DeviceTaintRule {
	return resourcev1.DeviceTaintRule{
		TypeMeta:   metav1.TypeMeta{APIVersion: "resource.k8s.io/v1", Kind: "DeviceTaintRule"},
		ObjectMeta: metav1.ObjectMeta{Name: name, ResourceVersion: "7"},
		Spec: resourcev1.DeviceTaintRuleSpec{
			DeviceSelector: &resourcev1.DeviceTaintSelector{}, Taint: resourcev1.DeviceTaint{Key: "repair", Effect: resourcev1.DeviceTaintEffectNoExecute},
		},
	}
}

func (s *ruleServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	s.mu.Lock()
	s.asked++
	s.paths[r.Method+" "+r.URL.Path] = true
	code := s.code
	s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	switch {
	case code == http.StatusNotFound:
		http.NotFound(w, r) // as of a group or a kind that isn't served
	case code != 0:
		answerStatus(w, code)
	case query.Get("watch") == "":
		_ = json.NewEncoder(w).Encode(resourcev1.DeviceTaintRuleList{
			TypeMeta: metav1.TypeMeta{APIVersion: "resource.k8s.io/v1", Kind: "DeviceTaintRuleList"},
			ListMeta: metav1.ListMeta{ResourceVersion: "7"}, Items: []resourcev1.DeviceTaintRule{theRule("a")},
		})
	case query.Get("sendInitialEvents") == "true":
		answerStatus(w, http.StatusUnprocessableEntity)
	default:
		w.WriteHeader(http.StatusOK)
		w.(http.Flusher).Flush()
		stream(w, r, s.events, nil)
	}
}

func (s *ruleServer) answer(code int32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.code = code
}

func (s *ruleServer) askedFor(t *testing.T, n int) {
	t.Helper()
	require.Eventually(t, func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.asked >= n
	}, 30*time.Second, time.Millisecond)
}

// TestWatchRules: while the API server doesn't have them nothing is told; an
// error is; then all are watched.
func TestWatchRules(t *testing.T) {
	s := &ruleServer{code: http.StatusNotFound, paths: map[string]bool{}, events: make(chan metav1.WatchEvent, 10)}
	web := httptest.NewServer(s)
	defer web.Close()
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	client, err := kubernetes.NewForConfig(&rest.Config{Host: web.URL, Transport: transport, QPS: -1})
	require.NoError(t, err)
	told := &ruleNotes{notes{make(chan string, 1000)}}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		watchRules(ctx, client, told, time.Millisecond, time.Millisecond)
	}()
	s.askedFor(t, 3)
	require.Empty(t, told.text, "no such kind is no failure")
	s.answer(http.StatusForbidden)
	told.wait(t, "lost: denied")
	s.answer(0)
	told.wait(t, "rule a repair")
	told.wait(t, "synced")
	data, err := json.Marshal(theRule("a"))
	require.NoError(t, err)
	s.events <- metav1.WatchEvent{Type: "DELETED", Object: runtime.RawExtension{Raw: data}}
	told.wait(t, "gone a")
	stop()
	<-done
	require.Equal(t, map[string]bool{"GET /apis/resource.k8s.io/v1/devicetaintrules": true}, s.paths)
}

// TestWatchRulesStops: nothing waits for a kind that isn't there.
func TestWatchRulesStops(t *testing.T) {
	s := &ruleServer{code: http.StatusNotFound, paths: map[string]bool{}}
	web := httptest.NewServer(s)
	defer web.Close()
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	client, err := kubernetes.NewForConfig(&rest.Config{Host: web.URL, Transport: transport})
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		WatchRules(ctx, client, &ruleNotes{notes{make(chan string, 1)}})
	}()
	s.askedFor(t, 1)
	stop()
	<-done
}
