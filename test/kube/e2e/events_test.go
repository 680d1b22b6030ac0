// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/otelcol-gpu/otelcol-gpu/test/kube/collector"
	"github.com/otelcol-gpu/otelcol-gpu/test/kube/kubetest"
)

func testHealth(t *testing.T, s *stage) {
	pod := s.start(t, s.Namespace(t), kubetest.Pod("patient", holds(kubetest.GPU, 1)))
	device := first(t, kubetest.Of(s.Holding(pod), kubetest.Allocate)).Devices[0]
	require.NoError(t, s.Plugin.SetHealth(device, false))
	t.Cleanup(func() {
		require.NoError(t, s.Plugin.SetHealth(device, true))
		require.NoError(t, s.AwaitDevices(context.Background()))
	})
	// The node offers one less, and the pod keeps what it has.
	require.Eventually(t, func() bool {
		n, err := s.Client.CoreV1().Nodes().Get(t.Context(), s.NodeName, metav1.GetOptions{})
		q := n.Status.Allocatable[kubetest.GPU]
		return err == nil && q.Value() == wholeGPUs-1
	}, patience, pollInterval)
	listed := s.podResources.Await(t, time.Now(), "it has its device", func(l kubetest.Listed) bool { return l.Has(pod) })
	require.Equal(t, []string{device}, listed.Of(pod, "main"))
	if s.deviceHealth {
		s.Await(t, pod, "on an unhealthy device", func(p *corev1.Pod) bool {
			return kubetest.DeviceHealth(p, "main")[device] == corev1.ResourceHealthStatusUnhealthy
		})
	}
}

// A kubelet that restarts forgets nothing, and its containers go on.
func testKubeletRestart(t *testing.T, s *stage) {
	pod := s.start(t, s.Namespace(t), kubetest.Pod("survivor", holds(kubetest.GPU, 1)))
	before := s.Holding(pod)
	device := first(t, kubetest.Of(before, kubetest.Allocate)).Devices
	stopped := time.Now()
	require.NoError(t, s.StopKubelet())
	s.podResources.Await(t, stopped, "the kubelet is away", func(l kubetest.Listed) bool { return l.Err != nil })
	if s.podsAPI != nil {
		s.podsAPI.Await(t, stopped, "the kubelet is away", kubetest.Ended(codes.Unavailable))
	}
	started := time.Now()
	require.NoError(t, s.StartKubelet())
	back := s.podResources.Await(t, started, "the kubelet is back", func(l kubetest.Listed) bool { return l.Err == nil && l.At.After(started) && l.Has(pod) })
	require.Equal(t, device, back.Of(pod, "main"))
	if s.podsAPI != nil {
		s.podsAPI.Await(t, started, "the pod is there", func(e kubetest.PodEvent) bool { return e.Pod != nil && e.Pod.UID == pod.UID })
	}
	t.Logf("PodResources is back %v after the kubelet's start, %v after its end", back.At.Sub(started), back.At.Sub(stopped))
	require.NoError(t, s.AwaitDevices(t.Context()))
	require.Equal(t, before, s.Holding(pod), "nothing was given anew, opened or freed")
	// A collector follows the kubelet again.
	known := time.Now()
	s.agents.main.Await(t, "a set has the pod", func(r *collector.Record) bool { return r.HasSince(string(pod.UID), known) })
	s.Delete(t, pod)
	entries := s.AwaitHolding(t, pod, "free", kubetest.Freed(1))
	s.watchedToItsEnd(t, pod, last(t, kubetest.Of(entries, kubetest.Free)).At, later)
}

// outage is how long the API server is away.
const outage = time.Minute

// While the API server is away a pod ends: the kubelet's sockets say so at
// once, and the API server when it's back.
func testAPIServerAway(t *testing.T, s *stage) {
	namespace := s.Namespace(t)
	stays := s.start(t, namespace, kubetest.Pod("stays", holds(kubetest.GPU, 1)))
	ends := s.start(t, namespace, kubetest.Pod("ends", kubetest.Restart(corev1.RestartPolicyNever),
		kubetest.Container("main", kubetest.Run("sleep=15s"), kubetest.Use(kubetest.GPU, 1))))
	for name, c := range s.agents.all() {
		c.Await(t, "both run, by "+name, func(r *collector.Record) bool {
			return r.Passed(string(stays.UID), "container_started") && r.Passed(string(ends.UID), "container_started")
		})
	}
	require.NoError(t, s.StopAPIServer())
	back := time.After(outage)
	// A kubelet looks for its API server again after a minute and a half; one
	// that starts does so at once.
	t.Cleanup(func() { assert.NoError(t, s.RestartKubelet()) })
	_, err := s.Client.CoreV1().Pods(namespace).List(t.Context(), metav1.ListOptions{})
	require.Error(t, err)
	entries := s.AwaitHolding(t, ends, "free", kubetest.Freed(1))
	freed := last(t, kubetest.Of(entries, kubetest.Free)).At
	s.listedUntilFreed(t, ends, entries)
	s.watchedToItsEnd(t, ends, freed, later)
	kept := s.podResources.Await(t, freed, "the other one is there", func(l kubetest.Listed) bool { return l.Has(stays) })
	require.NotEmpty(t, kept.Of(stays, "main"))

	<-back
	require.NoError(t, s.StartAPIServer(t.Context()))
	over := s.Await(t, ends, "succeeded", kubetest.Succeeded)
	cutOff(t, soon, "the end of the container", freed, kubetest.Status(over, "main").State.Terminated.FinishedAt.Time)
	if !s.hasPodsAPI {
		s.agents.main.Await(t, "it follows the API server again", func(r *collector.Record) bool { return r.Up("api_server") })
	}
}
