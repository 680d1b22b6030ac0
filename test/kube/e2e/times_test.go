// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"github.com/otelcol-gpu/otelcol-gpu/test/kube/kubetest"
)

// How far apart may be what belongs together. These are the kubelet's, on a
// busy machine with two cores; the order of things is never in doubt.
const (
	soon    = time.Second     // from the binding to the devices
	later   = 5 * time.Second // from the end of a process to the kubelet's saying so: 1 to 2 s on an idle machine
	unasked = 8 * time.Second // the same of a pod that is no longer in the API server: it looks for those every 2 s
)

// The API server has whole seconds, cut off.
const second = time.Second

// within requires that an event is not before another, and not long after it.
func within(t *testing.T, limit time.Duration, what string, from, to time.Time) {
	t.Helper()
	require.False(t, to.Before(from), "%s: %v is before %v", what, to, from)
	require.LessOrEqual(t, to.Sub(from), limit, "%s: from %v to %v", what, from, to)
}

// cutOff requires of a time with whole seconds that it is that of an event.
func cutOff(t *testing.T, limit time.Duration, what string, event, told time.Time) {
	t.Helper()
	within(t, limit+second, what, event.Truncate(second), told)
}

// at returns when a script began a step.
func at(t *testing.T, said []kubetest.Said, step string) time.Time {
	t.Helper()
	for _, s := range said {
		if s.Step == step {
			return s.At
		}
	}
	require.Fail(t, "no such step", "%s in %+v", step, said)
	return time.Time{}
}

// first returns the first entry of the plugin's log of an event.
func first(t *testing.T, entries []kubetest.PluginEntry) kubetest.PluginEntry {
	t.Helper()
	require.NotEmpty(t, entries)
	return entries[0]
}

func last(t *testing.T, entries []kubetest.PluginEntry) kubetest.PluginEntry {
	t.Helper()
	require.NotEmpty(t, entries)
	return entries[len(entries)-1]
}

// boundThenGiven requires that the devices of a pod were given soon after it
// was bound to the node.
func boundThenGiven(t *testing.T, pod *corev1.Pod, entries []kubetest.PluginEntry) {
	t.Helper()
	bound := kubetest.Condition(pod, corev1.PodScheduled)
	require.NotNil(t, bound)
	given := first(t, kubetest.Of(entries, kubetest.Allocate)).At
	within(t, soon+second, "from the binding to Allocate", bound.LastTransitionTime.Time, given)
}

// listedUntilFreed requires that PodResources has a pod while a process holds
// its devices, and hasn't soon after.
func (s *stage) listedUntilFreed(t *testing.T, pod *corev1.Pod, entries []kubetest.PluginEntry) {
	t.Helper()
	opened, freed := first(t, kubetest.Of(entries, kubetest.Open)).At, last(t, kubetest.Of(entries, kubetest.Free)).At
	gone := s.podResources.Await(t, freed, pod.Name+" is gone", func(l kubetest.Listed) bool { return l.Err == nil && !l.Has(pod) })
	t.Logf("%s: PodResources lacks it %v after its process", pod.Name, gone.At.Sub(freed))
	if gone.At.After(freed) {
		within(t, later, "from the end of the process to PodResources", freed, gone.At)
	}
	for _, l := range s.podResources.Answers() {
		if l.At.After(opened) && l.At.Before(freed) {
			require.NoError(t, l.Err)
			require.True(t, l.Has(pod), "%s isn't listed at %v, between %v and %v", pod.Name, l.At, opened, freed)
		}
	}
}

// watchedToItsEnd requires that the Pods API tells of a pod's end once its
// processes are gone.
func (s *stage) watchedToItsEnd(t *testing.T, pod *corev1.Pod, freed time.Time, limit time.Duration) {
	t.Helper()
	if s.podsAPI == nil {
		require.NoFileExists(t, s.PodsAPISocket)
		return
	}
	end := s.podsAPI.Await(t, freed, pod.Name+" has ended", func(e kubetest.PodEvent) bool {
		return e.Type == kubetest.PodDeleted && e.Pod.UID == pod.UID
	})
	within(t, limit, "from the end of the process to the Pods API", freed, end.At)
	t.Logf("%s: the Pods API says that it has ended %v after its process", pod.Name, end.At.Sub(freed))
	for _, e := range s.podsAPI.Events(pod) {
		require.False(t, e.Type == kubetest.PodDeleted && e.At.Before(freed), "the Pods API said that %s had ended when it ran", pod.Name)
	}
}

// How long a test waits for what has to come, and how often it looks.
const (
	patience     = time.Minute
	pollInterval = 50 * time.Millisecond
)
