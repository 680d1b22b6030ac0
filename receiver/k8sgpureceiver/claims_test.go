// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package k8sgpureceiver

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	podresources "k8s.io/kubelet/pkg/apis/podresources/v1"
	pods "k8s.io/kubelet/pkg/apis/pods/v1alpha1"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/podtest"
)

// apiServer serves objects by their path: a list of them, or one.
type apiServer struct {
	mu      sync.Mutex
	denied  bool
	objects map[string]any
}

func (s *apiServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	object, ok := s.objects[r.URL.Path]
	denied := s.denied
	s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	query := r.URL.Query()
	switch {
	case denied:
		refuse(w, http.StatusForbidden, metav1.StatusReasonForbidden)
	case !ok:
		refuse(w, http.StatusNotFound, metav1.StatusReasonNotFound)
	case query.Get("sendInitialEvents") == "true":
		refuse(w, http.StatusUnprocessableEntity, metav1.StatusReasonInvalid)
	case query.Get("watch") != "":
		w.WriteHeader(http.StatusOK)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	default:
		_ = json.NewEncoder(w).Encode(object)
	}
}

func refuse(w http.ResponseWriter, code int32, reason metav1.StatusReason) {
	w.WriteHeader(int(code))
	_ = json.NewEncoder(w).Encode(metav1.Status{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: metav1.StatusFailure, Code: code, Reason: reason,
	})
}

// startAPI starts a server, and makes it the one of the default kubeconfig.
func startAPI(t *testing.T, s http.Handler) {
	t.Helper()
	web := httptest.NewServer(s)
	t.Cleanup(func() {
		web.CloseClientConnections()
		web.Close()
	})
	file := filepath.Join(t.TempDir(), "config")
	text := strings.ReplaceAll(`{"apiVersion": "v1", "kind": "Config", "current-context": "c",
		"clusters": [{"name": "c", "cluster": {"server": "URL"}}], "contexts": [{"name": "c", "context": {"cluster": "c"}}]}`, "URL", web.URL)
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	t.Setenv("KUBECONFIG", file)
}

// recordedClaims are the claims and the slice of the recording, by path.
func recordedClaims(t *testing.T) map[string]any {
	t.Helper()
	out := map[string]any{}
	list := resourcev1.ResourceSliceList{
		TypeMeta: metav1.TypeMeta{APIVersion: "resource.k8s.io/v1", Kind: "ResourceSliceList"}, ListMeta: metav1.ListMeta{ResourceVersion: "7"},
	}
	for _, s := range podtest.Claims(t) {
		switch {
		case s.Claim != nil:
			out["/apis/resource.k8s.io/v1/namespaces/ml-team/resourceclaims/"+s.Claim.Name] = s.Claim
		case s.Slice != nil:
			list.Items = append(list.Items, *s.Slice)
		}
	}
	out["/apis/resource.k8s.io/v1/resourceslices"] = list
	return out
}

// claimant is the recorded pod with a claim, as it is told of and listed.
func claimant(t *testing.T) (*pods.WatchPodsEvent, *podresources.PodResources) {
	t.Helper()
	var known *pods.WatchPodsEvent
	for _, s := range podtest.Claims(t) {
		if s.Type == "ADDED" && s.Pod.Name == "dra-template" {
			data, err := s.Pod.Marshal()
			require.NoError(t, err)
			known = &pods.WatchPodsEvent{Type: pods.EventType_ADDED, Pod: data}
		}
	}
	return known, &podresources.PodResources{
		Name: "dra-template", Namespace: "ml-team", Containers: []*podresources.ContainerResources{{
			Name: "main", DynamicResources: []*podresources.DynamicResource{{
				ClaimName: "dra-template-gpu-m9qbx", ClaimNamespace: "ml-team",
				ClaimResources: []*podresources.ClaimResource{{DriverName: "gpu.nvidia.com", PoolName: "gpu-node-0", DeviceName: "gpu-0"}},
			}},
		}},
	}
}

// TestClaims from the kubelet's recorded messages and lists: named without
// access to the API server, accounted with it.
func TestClaims(t *testing.T) {
	api := &apiServer{denied: true, objects: recordedClaims(t)}
	startAPI(t, api)
	r := newRig(t, func(c *Config) { c.ClaimLookup, c.AuthType = true, "kubeConfig" })
	known, listed := claimant(t)
	r.kubelet.Known(known)
	r.kubelet.Answer(&podresources.ListPodResourcesResponse{PodResources: []*podresources.PodResources{listed}}, nil)
	r.kubelet.Start(t)
	require.Eventually(t, func() bool {
		b, md := r.batch()
		return len(b.AllocationCounts) == 1 && b.AllocationCounts[0].Count == 0 &&
			sources(md)[sourceClaims] == "denied" && sources(md)[sourceSlices] == "denied"
	}, wait, tick)
	require.EqualValues(t, 1, r.own.read(0).Unresolved["claim"])

	api.mu.Lock()
	api.denied = false
	api.mu.Unlock()
	var b gpu.Batch
	var md pmetric.Metrics
	require.Eventually(t, func() bool {
		b, md = r.batch()
		return len(b.Allocations) == 1 && b.Allocations[0].Device != "" && sources(md)[sourceClaims] == "up" && sources(md)[sourceSlices] == "up"
	}, wait, tick)
	require.EqualValues(t, recordedGPU, b.Allocations[0].Device)
	require.Equal(t, gpu.Exclusive, b.Allocations[0].Sharing)
	require.Contains(t, notesOf(md), "gpu.milestone=scheduled", "the start of a pod with a claim matters")
	require.Contains(t, notesOf(md), "gpu.milestone=claim_allocated")
}
