// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package kubelet

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	podresources "k8s.io/kubelet/pkg/apis/podresources/v1"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/allocation"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/claim"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/deviceid"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/kubelettest"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/pod"
)

const wait, tick = 10 * time.Second, 5 * time.Millisecond

var share = "s1"

func answer(id string) *podresources.ListPodResourcesResponse {
	device := func(node int64) *podresources.ContainerDevices {
		return &podresources.ContainerDevices{
			ResourceName: "nvidia.com/gpu", DeviceIds: []string{id},
			Topology: &podresources.TopologyInfo{Nodes: []*podresources.NUMANode{{ID: node}}},
		}
	}
	return &podresources.ListPodResourcesResponse{PodResources: []*podresources.PodResources{{
		Name: "train-0", Namespace: "ml-team", Containers: []*podresources.ContainerResources{
			{Name: "trainer", Devices: []*podresources.ContainerDevices{device(0), device(1)}}, {Name: "logger", DynamicResources: []*podresources.DynamicResource{{ClaimName: "c", ClaimNamespace: "ml-team", ClaimResources: []*podresources.ClaimResource{
				{DriverName: "gpu.nvidia.com", PoolName: "node", DeviceName: "gpu-1", ShareId: &share}, {DriverName: "nic.example.com", DeviceName: "eth0"},
			}}}},
		},
	}}}
}

func newDevices(t *testing.T, socket string) *Devices {
	t.Helper()
	d, err := NewDevices(socket)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, d.Close()) })
	return d
}

func TestListDevices(t *testing.T) {
	k := kubelettest.New(t).Start(t)
	k.Answer(answer("GPU-a"), nil)
	k.Offer(&podresources.ContainerDevices{ResourceName: "nvidia.com/gpu", DeviceIds: []string{"GPU-a", "GPU-b"}})
	d := newDevices(t, k.Socket)
	key, claimed := pod.Key{Namespace: "ml-team", Name: "train-0"}, claim.Key{Namespace: "ml-team", Name: "c"}
	a, b := deviceid.Name{Resource: "nvidia.com/gpu", ID: "GPU-a"}, deviceid.Name{Resource: "nvidia.com/gpu", ID: "GPU-b"}
	got, err := d.List(t.Context())
	require.NoError(t, err)
	require.Equal(t, []allocation.Listed{
		{Pod: key, Container: "trainer", Devices: []deviceid.Name{a, a}}, {Pod: key, Container: "logger", Claimed: []claim.Use{
			{Claim: claimed, Device: claim.Device{ID: claim.ID{Driver: "gpu.nvidia.com", Pool: "node", Device: "gpu-1"}, Share: share}},
			{Claim: claimed, Device: claim.Device{ID: claim.ID{Driver: "nic.example.com", Device: "eth0"}}},
		}},
	}, got, "once for each NUMA node")
	all, err := d.Allocatable(t.Context())
	require.NoError(t, err)
	require.Equal(t, []deviceid.Name{a, b}, all)
}

// TestAnswerOfManyMegabytes: two errors have one code.
func TestAnswerOfManyMegabytes(t *testing.T) {
	k := kubelettest.New(t).Start(t)
	d := newDevices(t, k.Socket)
	k.Answer(answer(strings.Repeat("x", 5<<20)), nil)
	_, err := d.List(t.Context())
	require.NoError(t, err, "more than gRPC's default of 4 MiB")
	k.Answer(answer(strings.Repeat("x", 9<<20)), nil)
	_, err = d.List(t.Context())
	require.Equal(t, TooLarge, ReasonOf(err), err)
	k.Answer(nil, status.Error(codes.ResourceExhausted, "rejected by rate limit"))
	_, err = d.List(t.Context())
	require.Equal(t, RateLimited, ReasonOf(err), err)
}

// TestSocketComesAndGoes: a kubelet that starts again makes its socket anew.
func TestSocketComesAndGoes(t *testing.T) {
	k := kubelettest.New(t)
	k.Answer(answer("GPU-a"), nil)
	d := newDevices(t, k.Socket)
	answers := func(want Reason) func() bool {
		return func() bool {
			ctx, cancel := context.WithTimeout(t.Context(), wait)
			defer cancel()
			_, err := d.List(ctx)
			return ReasonOf(err) == want
		}
	}
	require.True(t, answers(Away)(), "no socket is told at once")
	for range 2 {
		k.Start(t)
		require.Eventually(t, answers(Connected), wait, tick)
		k.Stop()
		require.Eventually(t, answers(Away), wait, tick)
	}
}

func TestReasons(t *testing.T) {
	for err, want := range map[error]Reason{
		nil: Connected,
		status.Error(codes.Unavailable, `dial unix /k.sock: connect: permission denied`):                        Denied,
		status.Error(codes.Unavailable, `dial unix /k.sock: connect: no such file or directory`):                Away,
		status.Error(codes.FailedPrecondition, "Kubelet is initializing"):                                       NotReady,
		status.Error(codes.ResourceExhausted, "watch client channel closed"):                                    TooSlow,
		status.Error(codes.ResourceExhausted, "grpc: received message larger than max (17000000 vs. 16777216)"): TooLarge,
		status.Error(codes.Unimplemented, "unknown service v1alpha1.Pods"):                                      Unsupported,
		status.Error(codes.DeadlineExceeded, ""):                                                                TooSlow,
		status.Error(codes.Internal, ""):                                                                        Disconnected,
		fmt.Errorf("token: %w", fs.ErrPermission):                                                               Denied,
		&httpError{"u", 403}:                Denied,
		&httpError{"u", 404}:                Unsupported,
		&httpError{"u", 429}:                RateLimited,
		&httpError{"u", 500}:                Disconnected,
		fmt.Errorf("%w: x", errUndecodable): Undecodable,
		errors.New("x"):                     Disconnected,
	} {
		require.Equal(t, want, ReasonOf(err), err)
		if err != nil {
			require.Equal(t, want, ReasonOf(fmt.Errorf("list: %w", err)), err)
			require.Contains(t, Reasons(), want)
		}
	}
}

func newHTTPS(t *testing.T, server *httptest.Server, cfg HTTPSConfig) *HTTPS {
	t.Helper()
	cfg.Endpoint = server.URL
	h, err := NewHTTPS(cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, h.Close()) })
	return h
}

func TestPodsOverHTTPS(t *testing.T) {
	token := filepath.Join(t.TempDir(), "token")
	require.NoError(t, os.WriteFile(token, []byte("first\n"), 0o600))
	text, code := `{"items": [{"metadata": {"name": "p", "namespace": "n", "uid": "u"}, "spec": {"containers": [{"name": "c"}]}}]}`, 200
	var seen []string
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen = append(seen, r.URL.Path+" "+r.Header.Get("Authorization"))
		w.WriteHeader(code)
		_, _ = w.Write([]byte(text))
	}))
	defer server.Close()
	h := newHTTPS(t, server, HTTPSConfig{TokenFile: token, InsecureSkipVerify: true})
	found, err := h.Fetch(t.Context())
	require.NoError(t, err)
	require.Len(t, found, 1)
	require.Equal(t, "u", found[0].UID)
	require.NoError(t, os.WriteFile(token, []byte("second"), 0o600))
	text = "<html>"
	_, err = h.Fetch(t.Context())
	require.Equal(t, Undecodable, ReasonOf(err), err)
	code = 403
	_, err = h.Fetch(t.Context())
	require.Equal(t, Denied, ReasonOf(err), err)
	require.Equal(t, []string{"/pods Bearer first", "/pods Bearer second", "/pods Bearer second"}, seen)

	strict := newHTTPS(t, server, HTTPSConfig{})
	_, err = strict.Fetch(t.Context())
	require.ErrorContains(t, err, "certificate")
	require.NoError(t, os.Remove(token))
	_, err = h.Fetch(t.Context())
	require.ErrorContains(t, err, "token")
	server.Close()
	_, err = strict.Fetch(t.Context())
	require.Equal(t, Away, ReasonOf(err), err)
}

func FuzzDecodePods(f *testing.F) {
	f.Add(`{"items": [{"metadata": {"uid": "u"}, "status": {"startTime": "2026-11-30T12:34:35Z"}}]}`)
	f.Add(`{"items": null}`)
	f.Add(`[`)
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := decodePods(strings.NewReader(text)); err != nil && ReasonOf(err) != Undecodable {
			t.Error(err)
		}
	})
}
