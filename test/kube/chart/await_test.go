// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package chart

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/otelcol-gpu/otelcol-gpu/test/kube/collector"
)

const patience = 90 * time.Second

// pods returns those of a component of the release.
func (s *stage) pods(t *testing.T, component string) []*corev1.Pod {
	t.Helper()
	list, err := s.Client.CoreV1().Pods(s.namespace).List(t.Context(), metav1.ListOptions{
		LabelSelector: "app.kubernetes.io/component=" + component + ",app.kubernetes.io/instance=" + release,
	})
	require.NoError(t, err)
	pods := make([]*corev1.Pod, len(list.Items))
	for i := range list.Items {
		pods[i] = &list.Items[i]
	}
	return pods
}

// awaitReady waits until a component has so many pods, all ready.
func (s *stage) awaitReady(t *testing.T, component string, n int) {
	t.Helper()
	s.await(t, component+" is ready", func() bool {
		pods := s.pods(t, component)
		return len(pods) == n && !slices.ContainsFunc(pods, func(p *corev1.Pod) bool { return !ready(p) })
	})
}

// awaitImage waits until all pods run an image.
func (s *stage) awaitImage(t *testing.T, tag string) {
	t.Helper()
	for _, component := range []string{"agent", "gateway"} {
		s.await(t, component+" runs "+tag, func() bool {
			pods := s.pods(t, component)
			return len(pods) == 1 && ready(pods[0]) && strings.HasSuffix(pods[0].Spec.Containers[0].Image, ":"+tag)
		})
	}
}

func ready(p *corev1.Pod) bool {
	return p.DeletionTimestamp == nil && slices.ContainsFunc(p.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
	})
}

// explain logs what the collectors say, if the test has failed.
func (s *stage) explain(t *testing.T) {
	if !t.Failed() {
		return
	}
	list, err := s.Client.CoreV1().Pods(s.namespace).List(context.Background(), metav1.ListOptions{})
	if err != nil {
		t.Logf("listing pods: %v", err)
		return
	}
	for i := range list.Items {
		p := &list.Items[i]
		log, err := s.Client.CoreV1().Pods(s.namespace).GetLogs(p.Name, &corev1.PodLogOptions{TailLines: new(int64(15))}).DoRaw(context.Background())
		t.Logf("%s: %v %+v\n%s (%v)", p.Name, p.Status.Phase, p.Status.ContainerStatuses, log, err)
	}
}

func (s *stage) await(t *testing.T, what string, condition func() bool) {
	t.Helper()
	require.Eventually(t, condition, patience, 200*time.Millisecond, what)
}

// allocated returns for how long a pod has held devices, in seconds.
func (s *stage) allocated(uid string) (total float64) {
	for _, sum := range s.record.Sums("gpu.allocated.time", func(sum *collector.Sum) bool { return sum.Attributes["k8s.pod.uid"] == uid }) {
		total += sum.Total()
	}
	return total
}

// left returns what is left of the release: objects that its label is on.
func (s *stage) left(t *testing.T) (left []string) {
	t.Helper()
	options := metav1.ListOptions{LabelSelector: "app.kubernetes.io/instance=" + release}
	note := func(kind string, n int, err error) {
		require.NoError(t, err, kind)
		if n > 0 {
			left = append(left, kind)
		}
	}
	core, apps, rbac := s.Client.CoreV1(), s.Client.AppsV1(), s.Client.RbacV1()
	s.await(t, "no pods are left", func() bool { return len(s.pods(t, "agent"))+len(s.pods(t, "gateway")) == 0 })
	maps, err := core.ConfigMaps(s.namespace).List(t.Context(), options)
	note("ConfigMap", len(maps.Items), err)
	secrets, err := core.Secrets(s.namespace).List(t.Context(), metav1.ListOptions{})
	note("Secret", len(secrets.Items), err) // helm's own too
	services, err := core.Services(s.namespace).List(t.Context(), options)
	note("Service", len(services.Items), err)
	accounts, err := core.ServiceAccounts(s.namespace).List(t.Context(), options)
	note("ServiceAccount", len(accounts.Items), err)
	sets, err := apps.DaemonSets(s.namespace).List(t.Context(), options)
	note("DaemonSet", len(sets.Items), err)
	stateful, err := apps.StatefulSets(s.namespace).List(t.Context(), options)
	note("StatefulSet", len(stateful.Items), err)
	policies, err := s.Client.NetworkingV1().NetworkPolicies(s.namespace).List(t.Context(), options)
	note("NetworkPolicy", len(policies.Items), err)
	roles, err := rbac.ClusterRoles().List(t.Context(), options)
	note("ClusterRole", len(roles.Items), err)
	bindings, err := rbac.ClusterRoleBindings().List(t.Context(), options)
	note("ClusterRoleBinding", len(bindings.Items), err)
	return left
}
