// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"cmp"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/otelcol-gpu/otelcol-gpu/test/kube/collector"
	"github.com/otelcol-gpu/otelcol-gpu/test/kube/kubetest"
)

// passed names a milestone of a pod.
type passed struct {
	name      string
	attempt   int
	container string
}

// told are the times that the kubelet has told of milestones, in whole seconds:
// usually one each.
type told map[passed][]time.Time

func (k told) add(name string, attempt int, container string, at metav1.Time) {
	key := passed{name, attempt, container}
	if !at.IsZero() && !slices.ContainsFunc(k[key], at.Time.Equal) {
		k[key] = append(k[key], at.Time)
	}
}

// read takes what a version of a pod says.
func (k told) read(p *corev1.Pod) {
	k.add("created", 0, "", p.CreationTimestamp)
	for _, c := range p.Status.Conditions {
		if c.Status != corev1.ConditionTrue {
			continue
		}
		switch c.Type {
		case corev1.PodScheduled:
			k.add("scheduled", 0, "", c.LastTransitionTime)
		case corev1.PodReadyToStartContainers:
			k.add("sandbox_ready", 0, "", c.LastTransitionTime)
		case corev1.PodReady:
			k.add("ready", 0, "", c.LastTransitionTime)
		}
	}
	if d, grace := p.DeletionTimestamp, p.DeletionGracePeriodSeconds; d != nil && grace != nil {
		k.add("deletion_requested", 0, "", metav1.NewTime(d.Add(-time.Duration(*grace)*time.Second)))
	}
	for _, s := range p.Status.ContainerStatuses {
		k.runs("container_started", "", &s)
	}
	for i, s := range p.Status.InitContainerStatuses {
		if p.Spec.InitContainers[i].RestartPolicy != nil { // a sidecar
			k.runs("container_started", "", &s)
		} else {
			k.runs("init_started", "init_finished", &s)
		}
	}
}

// runs takes the begins, and the ends, of a container.
func (k told) runs(started, finished string, s *corev1.ContainerStatus) {
	attempt := int(s.RestartCount)
	if s.State.Running != nil {
		k.add(started, attempt, s.Name, s.State.Running.StartedAt)
	}
	if t := s.State.Terminated; t != nil {
		k.add(started, attempt, s.Name, t.StartedAt)
		if finished != "" {
			k.add(finished, attempt, s.Name, t.FinishedAt)
		} else if attempt >= 0 {
			k.add("backoff_started", attempt+1, s.Name, t.FinishedAt)
			k.add("containers_finished", 0, "", t.FinishedAt)
			k.add("failed", 0, "", t.FinishedAt)
		}
	}
}

// kubeletTold returns what the kubelet has told of a pod, by the API server and
// by its Pods API.
func (s *stage) kubeletTold(h *truth) told {
	all := told{}
	for _, v := range h.versions {
		all.read(v.Pod)
	}
	if s.podsAPI != nil {
		for _, e := range s.podsAPI.Events(h.pod) {
			if e.Type != kubetest.PodDeleted {
				all.read(e.Pod)
			}
		}
	}
	return all
}

// required are the milestones that a collector has to tell if the kubelet did.
var required = []string{"created", "scheduled", "sandbox_ready", "init_started", "init_finished", "container_started"}

// milestonesMatch requires that the milestones of a pod are those that the
// kubelet has told, and that the application's processes began when they say.
func (s *stage) milestonesMatch(t *testing.T, name string, c *collector.Collector, h *truth) {
	t.Helper()
	kubelet := s.kubeletTold(h)
	seen := map[passed]bool{}
	for _, m := range c.Marks(string(h.pod.UID)) {
		attempt, _ := strconv.Atoi(cmp.Or(m.Attempt, "0"))
		key := passed{m.Name, attempt, m.Container}
		seen[key] = true
		switch m.Name {
		case "admitted": // in nanoseconds: compared with the truth itself
			assert.LessOrEqual(t, m.At.Sub(h.bound).Abs(), beginLimit, "%s by %s: %+v, bound at %v", h, name, m, h.bound)
			continue
		case "pull_started", "pull_finished":
			s.pullMatches(t, h, m)
			continue
		case "ready":
			key.attempt = 0
		}
		assert.True(t, slices.ContainsFunc(kubelet[key], m.At.Truncate(second).Equal), "%s by %s: %+v, but the kubelet says %v", h, name, m, kubelet[key])
		if open, ok := h.opened(m.Container, attempt); ok && (m.Name == "container_started" || m.Name == "init_started") {
			assert.LessOrEqual(t, open.Sub(m.At).Abs(), 2*second, "%s by %s: %+v, but the process opened its devices at %v", h, name, m, open)
		}
	}
	for key, at := range kubelet {
		if slices.Contains(required, key.name) && at[0].Before(h.released) {
			assert.True(t, seen[key], "%s by %s: %+v isn't told; the kubelet says %v", h, name, key, at)
		}
	}
}

// pullMatches requires that the begin and the end of a pull are the registry's,
// and that nothing was pulled of an image that the node had.
func (s *stage) pullMatches(t *testing.T, h *truth, m collector.Mark) {
	t.Helper()
	sent := s.Registry.Sent(h.pod.Namespace)
	if m.Present {
		assert.Equal(t, "pull_finished", m.Name, "%s: %+v", h, m)
		assert.Empty(t, sent, "%s: %+v", h, m)
		return
	}
	if !assert.NotEmpty(t, sent, "%s: %+v, but nothing was pulled", h, m) {
		return
	}
	at := sent[0].Begin
	if m.Name == "pull_finished" {
		at = sent[len(sent)-1].End
	}
	assert.LessOrEqual(t, m.At.Sub(at).Abs(), second, "%s: %+v, by the registry %v", h, m, at)
}
