// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/kubelet"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/pod"
)

// TestEvents lists those of one pod that its kubelet told.
func TestEvents(t *testing.T) {
	var asked atomic.Value
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Store(r.Method + " " + r.URL.Path + " " + r.URL.Query().Get("fieldSelector"))
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Path != "/api/v1/namespaces/ns/events" {
			answerStatus(w, http.StatusForbidden)
			return
		}
		event := func(component, reason string) corev1.Event {
			return corev1.Event{
				ObjectMeta: metav1.ObjectMeta{Name: "p.18ecd2c1b4f78532"}, Reason: reason, Source: corev1.EventSource{Component: component},
				InvolvedObject: corev1.ObjectReference{FieldPath: "spec.containers{c}"}, FirstTimestamp: metav1.Unix(1796042080, 0),
			}
		}
		_ = json.NewEncoder(w).Encode(corev1.EventList{
			TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "EventList"},
			Items:    []corev1.Event{event("kubelet", "Started"), event("default-scheduler", "Scheduled")},
		})
	}))
	defer web.Close()
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	client, err := kubernetes.NewForConfig(&rest.Config{Host: web.URL, Transport: transport})
	require.NoError(t, err)
	told, outcomes := make(chan []pod.Event, 1), make(chan error, 2)
	e := NewEvents(client, func(_ string, events []pod.Event) { told <- events }, func(err error) { outcomes <- err })
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		e.Run(ctx)
	}()
	e.Ask(pod.Ref{Key: pod.Key{Namespace: "ns", Name: "p"}, UID: "u"})
	require.Equal(t, []pod.Event{{
		Name: "p.18ecd2c1b4f78532", Reason: "Started", FieldPath: "spec.containers{c}", First: 1796042080e9,
	}}, <-told)
	require.Equal(t, "GET /api/v1/namespaces/ns/events involvedObject.kind=Pod,involvedObject.uid=u", asked.Load())
	e.Ask(pod.Ref{Key: pod.Key{Namespace: "other"}, UID: "u"})
	require.Equal(t, kubelet.Denied, kubelet.ReasonOf(<-outcomes))
	stop()
	<-done
}

// TestOwners asks for each object once, only for its metadata, and not for one
// that was made anew under its name.
func TestOwners(t *testing.T) {
	yes := true
	of := func(kind, name, uid string) []metav1.OwnerReference {
		return []metav1.OwnerReference{{APIVersion: "serving.kserve.io/v1beta1", Kind: kind, Name: name, UID: types.UID(uid), Controller: &yes}}
	}
	objects := map[string]metav1.PartialObjectMetadata{
		"/apis/apps/v1/namespaces/ns/deployments/serve": {ObjectMeta: metav1.ObjectMeta{UID: "d", OwnerReferences: of("InferenceService", "llm", "i")}},
		"/apis/apps/v1/namespaces/ns/deployments/plain": {ObjectMeta: metav1.ObjectMeta{UID: "p"}},
		"/apis/apps/v1/namespaces/ns/deployments/anew":  {ObjectMeta: metav1.ObjectMeta{UID: "new", OwnerReferences: of("InferenceService", "llm", "i")}},
	}
	var asked atomic.Int64
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		found, ok := objects[r.URL.Path]
		w.Header().Set("Content-Type", "application/json")
		if !ok {
			answerStatus(w, http.StatusForbidden)
			return
		}
		found.TypeMeta = metav1.TypeMeta{APIVersion: "meta.k8s.io/v1", Kind: "PartialObjectMetadata"}
		_ = json.NewEncoder(w).Encode(found)
	}))
	defer web.Close()
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	client, err := metadata.NewForConfig(&rest.Config{Host: web.URL, Transport: transport})
	require.NoError(t, err)
	apps := schema.GroupVersion{Group: "apps", Version: "v1"}
	mapper := meta.NewDefaultRESTMapper([]schema.GroupVersion{apps})
	mapper.Add(apps.WithKind("Deployment"), meta.RESTScopeNamespace)
	outcomes := make(chan error, 10)
	o := newOwners(client, mapper, func(err error) { outcomes <- err })
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		o.Run(ctx)
	}()
	deployment := func(name, uid string) pod.Owner {
		return pod.Owner{Group: "apps", Kind: "Deployment", Name: name, UID: uid}
	}
	require.Eventually(t, func() bool {
		got, ok := o.Of(deployment("serve", "d"), "ns")
		return ok && got == pod.Owner{Group: "serving.kserve.io", Kind: "InferenceService", Name: "llm", UID: "i"}
	}, 30*time.Second, time.Millisecond)
	for _, none := range []pod.Owner{deployment("plain", "p"), deployment("anew", "old"), deployment("secret", "s"), {Kind: "Unknown", Name: "x"}, {}} {
		o.Of(none, "ns")
		require.Eventually(t, func() bool { return none.Kind == "" || o.isKnown(object{none, "ns"}) }, 30*time.Second, time.Millisecond)
		_, ok := o.Of(none, "ns")
		require.False(t, ok, none)
	}
	for range 3 {
		require.NoError(t, <-outcomes)
	}
	require.Equal(t, kubelet.Denied, kubelet.ReasonOf(<-outcomes))
	require.True(t, meta.IsNoMatchError(<-outcomes))
	stop()
	<-done
	require.EqualValues(t, 4, asked.Load(), "each once")
}

// patientMapper is one whose server never answers.
type patientMapper struct {
	meta.RESTMapperWithContext
	asked chan struct{}
}

func (m patientMapper) RESTMappingWithContext(ctx context.Context, _ schema.GroupKind, _ ...string) (*meta.RESTMapping, error) {
	close(m.asked)
	<-ctx.Done()
	return nil, ctx.Err()
}

// TestOwnersStop: nothing waits for a server that doesn't say what kinds it has.
func TestOwnersStop(t *testing.T) {
	mapper := patientMapper{asked: make(chan struct{})}
	o := newOwners(nil, mapper, func(error) {})
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		o.Run(ctx)
	}()
	o.Of(pod.Owner{Group: "apps", Kind: "Deployment", Name: "d", UID: "u"}, "ns")
	<-mapper.asked
	stop()
	<-done
}
