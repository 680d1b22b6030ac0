// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/otelcol-gpu/otelcol-gpu/test/kube/internal/gpuplugin"
	"github.com/otelcol-gpu/otelcol-gpu/test/kube/kubetest"
)

// truth is what is known of a pod with devices without any collector.
type truth struct {
	life     string
	pod      *corev1.Pod // its last version
	versions []kubetest.Version
	entries  []kubetest.PluginEntry // of the device plugin's log, about this pod

	bound    time.Time // by the API server
	given    time.Time // the first devices
	freed    time.Time // the last process is gone
	asked    time.Time // its deletion; zero if nobody did
	released time.Time // from when on another pod can have the devices
	slots    map[string]int
}

// truths returns all pods that had devices, in the order of their binding.
func (s *stage) truths(t *testing.T) (all []*truth) {
	t.Helper()
	entries, _ := s.Plugin.Log().Entries()
	uids := map[string]bool{}
	for _, e := range kubetest.Of(entries, kubetest.Open) {
		uids[e.UID] = true
	}
	for uid := range maps.Keys(uids) {
		all = append(all, s.truth(t, types.UID(uid)))
	}
	slices.SortFunc(all, func(a, b *truth) int { return a.bound.Compare(b.bound) })
	return all
}

func (s *stage) truth(t *testing.T, uid types.UID) *truth {
	t.Helper()
	h := &truth{versions: s.history.Versions(uid), slots: map[string]int{}}
	require.NotEmpty(t, h.versions, "a pod with devices that the API server never had: %s", uid)
	h.pod = h.versions[len(h.versions)-1].Pod
	h.life = s.lifeOf(h.pod)
	h.entries = s.Holding(h.pod)
	opened, freed := kubetest.Of(h.entries, kubetest.Open), kubetest.Of(h.entries, kubetest.Free)
	require.Len(t, freed, len(opened), "%s: all processes are gone", h)
	h.given, h.freed = first(t, kubetest.Of(h.entries, kubetest.Allocate)).At, last(t, freed).At
	for _, e := range kubetest.Of(h.entries, kubetest.Allocate) {
		for _, id := range e.Devices {
			if device := deviceOf(id); strings.Contains(id, "::") {
				h.slots[device]++
			} else {
				h.slots[device] = 0 // the whole of it
			}
		}
	}
	h.bound = s.boundAt(t, h)
	h.released = h.freed
	for _, v := range h.versions {
		if v.Pod.DeletionTimestamp == nil {
			continue
		}
		h.asked = v.At
		// One that waits to start again has its devices until it is deleted.
		if v.At.After(h.freed) && v.Pod.Status.Phase == corev1.PodRunning {
			h.released = v.At
		}
		break
	}
	return h
}

// boundAt returns when the API server bound a pod. It says so in whole seconds;
// the scheduler's event has microseconds, and comes just after.
func (s *stage) boundAt(t *testing.T, h *truth) time.Time {
	t.Helper()
	condition := kubetest.Condition(h.pod, corev1.PodScheduled)
	require.NotNil(t, condition)
	event := s.history.Bound(h.pod.UID)
	require.False(t, event.IsZero(), "%s: no event Scheduled", h)
	bound := condition.LastTransitionTime.Time
	within(t, 2*second, "from the binding to the scheduler's event", bound, event)
	if end := bound.Add(second - 1); event.After(end) {
		return end
	}
	return event
}

// String names a pod and its life.
func (h *truth) String() string { return h.life + ", pod " + h.pod.Name }

// deviceOf returns the device that a slot is of.
func deviceOf(id string) string {
	device, _, _ := strings.Cut(id, "::")
	return device
}

// weight is a pod's part of a device, by the device plugin's log.
func (h *truth) weight(device string) float64 {
	switch {
	case strings.HasPrefix(device, "MIG-"):
		return 1.0 / boardSlices
	case h.slots[device] > 0:
		return float64(h.slots[device]) / slots
	default:
		return 1
	}
}

// shared says whether the time of the pod is divided by what others do.
func (h *truth) shared() bool { _, is := h.slots[gpuplugin.UUID(shared)]; return is }

// forced says whether the pod's object was deleted before its processes ended.
func (h *truth) forced() bool { return strings.Contains(h.life, "force") }

// halved returns how much of a pod's time was another's too: the kubelet gives
// the devices of a pod that was deleted by force to the next one while its
// processes run. Both have half of it, for who knows that it is held on.
func (h *truth) halved(all []*truth, forced bool) (lost time.Duration) {
	if h.shared() {
		return 0
	}
	for _, other := range all {
		if !forced && (h.forced() || other.forced()) {
			continue
		}
		for device := range other.slots {
			if _, same := h.slots[device]; !same || other == h {
				continue
			}
			from, to := h.bound, h.released
			if other.bound.After(from) {
				from = other.bound
			}
			if other.released.Before(to) {
				to = other.released
			}
			lost += max(0, to.Sub(from)) / time.Duration(2*len(h.slots))
		}
	}
	return lost
}

// lifeOf names the test that made a pod.
func (s *stage) lifeOf(pod *corev1.Pod) string {
	name, _ := s.lives.Load(pod.Namespace)
	text, _ := name.(string)
	return cmp.Or(text, pod.Namespace)
}

// Namespace makes a namespace for a life, and remembers whose it is.
func (s *stage) Namespace(t *testing.T) string {
	t.Helper()
	namespace := s.Cluster.Namespace(t)
	s.lives.Store(namespace, t.Name()[strings.LastIndex(t.Name(), "/")+1:])
	return namespace
}

// opened returns when a container opened its devices the nth time.
func (h *truth) opened(container string, n int) (time.Time, bool) {
	for _, e := range kubetest.Of(h.entries, kubetest.Open) {
		if e.Container != container {
			continue
		}
		if n == 0 {
			return e.At, true
		}
		n--
	}
	return time.Time{}, false
}
