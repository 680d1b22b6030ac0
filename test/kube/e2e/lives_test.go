// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"github.com/otelcol-gpu/otelcol-gpu/test/kube/internal/gpuplugin"
	"github.com/otelcol-gpu/otelcol-gpu/test/kube/kubetest"
)

func testPlainPod(t *testing.T, s *stage) {
	begin := time.Now()
	pod := s.Create(t, s.Namespace(t), kubetest.Pod("train",
		kubetest.Init("warm-up", kubetest.Run("sleep=3s"), kubetest.Use(kubetest.GPU, 1)),
		kubetest.Container("main", kubetest.Run("load=4s", "ready", "wait"), kubetest.Use(kubetest.GPU, 1), kubetest.ProbeReady)))
	pod = s.Await(t, pod, "ready", kubetest.Ready)
	warmUp, main := s.Said(t, pod, "warm-up", 0), s.Said(t, pod, "main", 0)

	// The container is given the GPU of its init container: one device, never two.
	entries := s.AwaitHolding(t, pod, "open twice", kubetest.Opened(2))
	boundThenGiven(t, pod, entries)
	given := kubetest.Of(entries, kubetest.Allocate)
	require.Len(t, given, 2)
	require.Equal(t, given[0].Devices, given[1].Devices)
	device := given[0].Devices[0]
	// The init container isn't listed, but what the container will have is.
	during := s.podResources.Await(t, at(t, warmUp, "start"), "the pod has its device", func(l kubetest.Listed) bool { return l.Has(pod) })
	require.True(t, during.At.Before(at(t, main, "start")), "it's listed during the init phase")
	require.Equal(t, []string{device}, during.Of(pod, "main"))
	require.Empty(t, during.Of(pod, "warm-up"))

	// The milestones of the pod's status are those of the application.
	ended := kubetest.Status(pod, "warm-up").State.Terminated
	require.NotNil(t, ended)
	cutOff(t, soon, "the end of the init container", at(t, warmUp, "end"), ended.FinishedAt.Time)
	started := kubetest.Status(pod, "main").State.Running
	require.NotNil(t, started)
	within(t, later, "from the container's start to its program's", started.StartedAt.Time, at(t, main, "start"))
	cutOff(t, later, "readiness", at(t, main, "ready"), kubetest.Condition(pod, corev1.PodReady).LastTransitionTime.Time)
	s.readyByPodsAPI(t, pod, begin, at(t, main, "ready"))
	s.deviceInStatus(t, pod, "main", device)

	s.Delete(t, pod)
	entries = s.AwaitHolding(t, pod, "free", kubetest.Freed(2))
	s.listedUntilFreed(t, pod, entries)
	s.watchedToItsEnd(t, pod, last(t, kubetest.Of(entries, kubetest.Free)).At, later)
	s.Await(t, pod, "gone", kubetest.Gone)
}

// readyByPodsAPI requires that the Pods API tells of readiness, and not before
// the application has said so.
func (s *stage) readyByPodsAPI(t *testing.T, pod *corev1.Pod, begin, ready time.Time) {
	t.Helper()
	if s.podsAPI == nil {
		return
	}
	seen := s.podsAPI.Await(t, begin, pod.Name+" is ready", func(e kubetest.PodEvent) bool {
		return e.Pod != nil && e.Pod.UID == pod.UID && kubetest.Ready(e.Pod)
	})
	within(t, later, "from the application's readiness to the Pods API", ready, seen.At)
}

// deviceInStatus requires that a container's status has its device, or none
// where the gate is off.
func (s *stage) deviceInStatus(t *testing.T, pod *corev1.Pod, container, device string) {
	t.Helper()
	if !s.deviceHealth {
		require.Empty(t, kubetest.DeviceHealth(pod, container))
		return
	}
	require.Equal(t, map[string]corev1.ResourceHealthStatus{device: corev1.ResourceHealthStatusHealthy}, kubetest.DeviceHealth(pod, container))
}

func testJob(t *testing.T, s *stage) {
	namespace := s.Namespace(t)
	pod := s.CreateJob(t, namespace, kubetest.Job(kubetest.Pod("batch",
		kubetest.Container("work", kubetest.Run("sleep=2s"), kubetest.Use(kubetest.GPU, 1)))))
	pod = s.Await(t, pod, "succeeded", kubetest.Succeeded)
	entries := s.AwaitHolding(t, pod, "free", kubetest.Freed(1))
	boundThenGiven(t, pod, entries)
	freed := last(t, kubetest.Of(entries, kubetest.Free)).At
	said := s.Said(t, pod, "work", 0)
	within(t, soon, "from the end of the script to the free device", at(t, said, "end"), freed)
	cutOff(t, soon, "the end of the container", freed, kubetest.Status(pod, "work").State.Terminated.FinishedAt.Time)
	// The devices are free while the object stays.
	s.listedUntilFreed(t, pod, entries)
	s.watchedToItsEnd(t, pod, freed, later)
	s.Await(t, pod, "still there", kubetest.Succeeded)
}

func testTwoGPUs(t *testing.T, s *stage) {
	pod := s.start(t, s.Namespace(t), kubetest.Pod("pair", holds(kubetest.GPU, 2)))
	given := kubetest.Of(s.Holding(pod), kubetest.Allocate)
	require.Len(t, given, 1)
	require.Len(t, given[0].Devices, 2)
	require.NotEqual(t, given[0].Devices[0], given[0].Devices[1])
	listed := s.podResources.Await(t, given[0].At, "two devices", func(l kubetest.Listed) bool { return len(l.Of(pod, "main")) == 2 })
	require.ElementsMatch(t, given[0].Devices, listed.Of(pod, "main"))
}

func testTimeSlicedPair(t *testing.T, s *stage) {
	namespace := s.Namespace(t)
	a := s.start(t, namespace, kubetest.Pod("a", holds(kubetest.Shared, 1)))
	b := s.start(t, namespace, kubetest.Pod("b", holds(kubetest.Shared, 1)))
	slotA := first(t, kubetest.Of(s.Holding(a), kubetest.Allocate)).Devices[0]
	slotB := first(t, kubetest.Of(s.Holding(b), kubetest.Allocate)).Devices[0]
	require.NotEqual(t, slotA, slotB)
	for _, slot := range []string{slotA, slotB} {
		require.True(t, strings.HasPrefix(slot, gpuplugin.UUID(shared)+"::"), slot)
	}
	both := s.podResources.Await(t, time.Now(), "both are there", func(l kubetest.Listed) bool { return l.Has(a) && l.Has(b) })
	require.Equal(t, []string{slotA}, both.Of(a, "main"))
	require.Equal(t, []string{slotB}, both.Of(b, "main"))
	s.deviceInStatus(t, a, "main", slotA)

	s.Delete(t, a)
	s.AwaitHolding(t, a, "free", kubetest.Freed(1))
	one := s.podResources.Await(t, time.Now(), "one is there", func(l kubetest.Listed) bool { return l.Err == nil && !l.Has(a) })
	require.Equal(t, []string{slotB}, one.Of(b, "main"))
}

func testMIG(t *testing.T, s *stage) {
	pod := s.start(t, s.Namespace(t), kubetest.Pod("slice", holds(kubetest.MIG, 1)))
	given := first(t, kubetest.Of(s.Holding(pod), kubetest.Allocate))
	require.Equal(t, kubetest.MIG, given.Resource)
	require.True(t, strings.HasPrefix(given.Devices[0], "MIG-"), given.Devices[0])
	listed := s.podResources.Await(t, given.At, "it has the instance", func(l kubetest.Listed) bool { return l.Has(pod) })
	require.Equal(t, given.Devices, listed.Of(pod, "main"))
}

func testSidecar(t *testing.T, s *stage) {
	pod := s.start(t, s.Namespace(t), kubetest.Pod("helped",
		kubetest.Sidecar("helper", kubetest.Run("wait"), kubetest.Use(kubetest.Shared, 1)),
		kubetest.Container("main", kubetest.Run("wait"), kubetest.Use(kubetest.Shared, 1))))
	entries := s.AwaitHolding(t, pod, "open twice", kubetest.Opened(2))
	given := kubetest.Of(entries, kubetest.Allocate)
	require.Len(t, given, 2)
	require.NotEqual(t, given[0].Devices, given[1].Devices, "a sidecar keeps its device")
	listed := s.podResources.Await(t, given[1].At, "both containers have a device", func(l kubetest.Listed) bool {
		return len(l.Of(pod, "helper")) == 1 && len(l.Of(pod, "main")) == 1
	})
	require.NotEqual(t, listed.Of(pod, "helper"), listed.Of(pod, "main"))
	// The kubelet has no devices in the status of a sidecar (kubernetes#139940).
	require.Empty(t, kubetest.DeviceHealth(pod, "helper"))
}

func testCrashLoop(t *testing.T, s *stage) {
	pod := s.Create(t, s.Namespace(t), kubetest.Pod("crash",
		kubetest.Container("main", kubetest.Run("sleep=500ms", "exit=3"), kubetest.Use(kubetest.MIG, 1))))
	pod = s.Await(t, pod, "restarted", kubetest.Restarted("main", 1))
	entries := s.AwaitHolding(t, pod, "free twice", kubetest.Freed(2))
	// It's given the device once and keeps it while nothing runs.
	require.Len(t, kubetest.Of(entries, kubetest.Allocate), 1)
	firstEnd := first(t, kubetest.Of(entries, kubetest.Free)).At
	secondStart := kubetest.Of(entries, kubetest.Open)[1].At
	require.True(t, secondStart.After(firstEnd))
	// The second pause is 10 s.
	pod = s.Await(t, pod, "restarted again", kubetest.Restarted("main", 2))
	s.AwaitHolding(t, pod, "free three times", kubetest.Freed(3))
	s.Await(t, pod, "in back-off", func(p *corev1.Pod) bool {
		status := kubetest.Status(p, "main")
		return status != nil && status.State.Waiting != nil && status.State.Waiting.Reason == "CrashLoopBackOff"
	})
	for _, l := range s.podResources.Answers() {
		if l.At.After(first(t, kubetest.Of(entries, kubetest.Open)).At) {
			require.NoError(t, l.Err)
			require.True(t, l.Has(pod), "it isn't listed at %v", l.At)
		}
	}
	s.Delete(t, pod)
	s.podResources.Await(t, time.Now(), "it is gone", func(l kubetest.Listed) bool { return l.Err == nil && !l.Has(pod) })
}

func testForceDelete(t *testing.T, s *stage) {
	pod := s.start(t, s.Namespace(t), kubetest.Pod("forced", kubetest.Grace(30),
		kubetest.Container("main", kubetest.Run("linger=1s", "wait"), kubetest.Use(kubetest.GPU, 1))))
	s.ForceDelete(t, pod)
	deleted := time.Now()
	s.Await(t, pod, "gone", kubetest.Gone)
	unlisted := s.podResources.Await(t, deleted, "it is gone", func(l kubetest.Listed) bool { return l.Err == nil && !l.Has(pod) })
	entries := s.AwaitHolding(t, pod, "free", kubetest.Freed(1))
	freed := last(t, kubetest.Of(entries, kubetest.Free)).At
	t.Logf("after the deletion: not listed %v, free %v", unlisted.At.Sub(deleted), freed.Sub(deleted))
	require.True(t, freed.After(deleted), "the process outlives the object")
	require.True(t, freed.After(unlisted.At), "PodResources forgets the pod while its process holds the device")
	s.watchedToItsEnd(t, pod, freed, unasked)
}
