// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package k8sgpureceiver

import (
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componentstatus"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	podresources "k8s.io/kubelet/pkg/apis/podresources/v1"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/apiserver"
)

// servePods serves one pod as an API server does, at an address.
func servePods(t *testing.T, address string, p *corev1.Pod) *httptest.Server {
	t.Helper()
	list := corev1.PodList{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "PodList"}, ListMeta: metav1.ListMeta{ResourceVersion: "7"}, Items: []corev1.Pod{*p}}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch query := r.URL.Query(); {
		case query.Get("watch") == "":
			_ = json.NewEncoder(w).Encode(list)
		case query.Get("sendInitialEvents") == "true": // it doesn't know these
			w.WriteHeader(http.StatusUnprocessableEntity)
			_ = json.NewEncoder(w).Encode(metav1.Status{
				TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: metav1.StatusFailure,
				Code: http.StatusUnprocessableEntity, Reason: metav1.StatusReasonInvalid,
			})
		default:
			w.WriteHeader(http.StatusOK)
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}
	}))
	require.NoError(t, server.Listener.Close())
	var err error
	server.Listener, err = net.Listen("tcp", address)
	require.NoError(t, err)
	server.StartTLS()
	return server
}

// TestAPIServerIsAway: its pods are believed on, but the component says that it
// isn't well until the server answers again.
func TestAPIServerIsAway(t *testing.T) {
	p, err := podOf("ml/serve", map[string]any{
		"metadata": map[string]any{"uid": "uid-1", "creationTimestamp": "10:00:00", "resourceVersion": "7"},
		"spec":     map[string]any{"nodeName": "gpu-node-0", "containers": []any{map[string]any{"name": "a"}, map[string]any{"name": "b"}}},
		"status":   map[string]any{"phase": "Running", "startTime": "10:00:00"},
	})
	require.NoError(t, err)
	server := servePods(t, "127.0.0.1:0", p)
	address := server.Listener.Addr().String()
	host, port, err := net.SplitHostPort(address)
	require.NoError(t, err)
	t.Setenv("KUBERNETES_SERVICE_HOST", host)
	t.Setenv("KUBERNETES_SERVICE_PORT", port)

	r := newRig(t, func(c *Config) { c.Pods, c.AuthType = podsAPIServer, apiserver.AuthNone })
	r.kubelet.Answer(&podresources.ListPodResourcesResponse{PodResources: []*podresources.PodResources{twoContainers("serve", 1)}}, nil)
	r.kubelet.Start(t)
	r.told(componentstatus.StatusOK)

	server.CloseClientConnections()
	require.NoError(t, server.Listener.Close())
	server.CloseClientConnections()
	r.told(componentstatus.StatusRecoverableError)
	b, md := r.batch()
	require.Equal(t, "away", sources(md)[sourceAPIServer])
	require.Len(t, b.Allocations, 4, "what it said is believed on")

	back := servePods(t, address, p)
	defer back.Close()
	defer func() { require.NoError(t, r.Shutdown(t.Context())) }() // its watch ends before the server waits for it
	r.told(componentstatus.StatusOK)
	b, md = r.batch()
	require.Equal(t, "up", sources(md)[sourceAPIServer])
	require.Len(t, b.Allocations, 4)
}

// told collects until a status was reported last.
func (r *rig) told(want componentstatus.Status) {
	r.t.Helper()
	require.Eventually(r.t, func() bool {
		r.batch()
		r.host.mu.Lock()
		defer r.host.mu.Unlock()
		return len(r.host.events) > 0 && r.host.events[len(r.host.events)-1] == want
	}, wait, tick)
}
