// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/kubelet"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/pod"
)

func refOf(uid string) pod.Ref { return pod.Ref{Key: pod.Key{Namespace: "ns", Name: uid}, UID: uid} }

// TestEventsAreAskedForAgain until there is an answer, for each pod that is
// wanted.
func TestEventsAreAskedForAgain(t *testing.T) {
	var asked atomic.Int64
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if asked.Add(1) <= 3 {
			answerStatus(w, http.StatusForbidden)
			return
		}
		_, _ = w.Write([]byte(`{"kind":"EventList","apiVersion":"v1","items":[]}`))
	}))
	defer web.Close()
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	client, err := kubernetes.NewForConfig(&rest.Config{Host: web.URL, Transport: transport})
	require.NoError(t, err)
	told, failures := make(chan string, 10), make(chan error, 10)
	e := NewEvents(client, func(uid string, _ []pod.Event) { told <- uid }, func(err error) { failures <- err })
	e.Ask(refOf("a"))
	e.Ask(refOf("b"))
	e.Ask(refOf("a")) // already wanted
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		e.Run(ctx)
	}()
	got := map[string]int{}
	for range 2 {
		select {
		case uid := <-told:
			got[uid]++
		case <-time.After(30 * time.Second):
			t.Fatalf("only %v", got)
		}
	}
	require.Equal(t, map[string]int{"a": 1, "b": 1}, got)
	require.Len(t, failures, 3)
	require.Equal(t, kubelet.Denied, kubelet.ReasonOf(<-failures))
	stop()
	<-done
	require.EqualValues(t, 5, asked.Load())
}

// TestEventsThatNobodyGets are counted: those of too many pods, and those that
// the server won't give while it has them.
func TestEventsThatNobodyGets(t *testing.T) {
	var failed []error
	e := NewEvents(nil, nil, func(err error) { failed = append(failed, err) })
	for i := range mostWanted {
		e.Ask(refOf(strconv.Itoa(i)))
	}
	require.Empty(t, failed)
	e.Ask(refOf("one more"))
	require.Equal(t, []error{errForgotten}, failed)
	r, ok := e.next(t.Context())
	require.True(t, ok)
	require.Equal(t, request{Ref: refOf("1")}, r, "the oldest is forgotten")
	require.Len(t, e.wanted, mostWanted-1)

	e.again(request{refOf("x"), mostTries - 2})
	require.Len(t, e.wanted, mostWanted)
	e.again(request{refOf("y"), mostTries - 1})
	require.Len(t, e.wanted, mostWanted)
	require.Equal(t, []error{errForgotten, errGivenUp}, failed)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, ok = e.next(ctx)
	require.False(t, ok, "it ends with its context")
}
