// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/otelcol-gpu/otelcol-gpu/test/kube/collector"
	"github.com/otelcol-gpu/otelcol-gpu/test/kube/kubetest"
)

// A pod belongs to what is at the top of its owners. Only who may ask for them
// all knows: here a stateful set owns the deployment.
func testOwners(t *testing.T, s *stage) {
	namespace := s.Namespace(t)
	apps, create := s.Client.AppsV1(), metav1.CreateOptions{}
	labels := map[string]string{"app": "served"}
	pod := kubetest.Pod("served", holds(kubetest.GPU, 1))
	template := kubetest.Template(pod, labels)
	selector := &metav1.LabelSelector{MatchLabels: labels}
	top, err := apps.StatefulSets(namespace).Create(t.Context(), &appsv1.StatefulSet{
		ObjectMeta: metav1.ObjectMeta{Name: "top"},
		Spec:       appsv1.StatefulSetSpec{Replicas: new(int32(0)), Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "none"}}, Template: kubetest.Template(pod, map[string]string{"app": "none"})},
	}, create)
	require.NoError(t, err)
	_, err = apps.Deployments(namespace).Create(t.Context(), &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "middle", OwnerReferences: []metav1.OwnerReference{
			*metav1.NewControllerRef(top, appsv1.SchemeGroupVersion.WithKind("StatefulSet")),
		}},
		Spec: appsv1.DeploymentSpec{Replicas: new(int32(1)), Selector: selector, Template: template},
	}, create)
	require.NoError(t, err)
	made := s.AwaitPod(t, namespace, "app=served")
	s.Await(t, made, "running", kubetest.Running)
	require.Equal(t, "Deployment middle", s.workloadOf(t, s.agents.main, made.UID, "Deployment middle"))
	if s.agents.owners != nil {
		require.Equal(t, "StatefulSet top", s.workloadOf(t, s.agents.owners, made.UID, "StatefulSet top"))
	}
}

// A pod has the labels of its namespace. Only who may read that knows.
func testNamespaceLabels(t *testing.T, s *stage) {
	if !s.hasPodsAPI {
		return // it has no pods to ask for
	}
	label := corev1.LabelMetadataName // the API server sets it
	namespace := s.Namespace(t)
	c := collector.Start(t, s.Cluster, collector.Settings{
		Name: "namespaces", Kubeconfig: s.accessFor(t, "namespace_labels"), Receiver: map[string]any{"namespace_labels": []string{label}},
	})
	pod := s.start(t, namespace, kubetest.Pod("labelled", holds(kubetest.GPU, 1)))
	c.Await(t, "the pod has the label of its namespace", func(r *collector.Record) bool {
		return r.Attribute(string(pod.UID), "k8s.namespace.label."+label) == namespace
	})
}

// A collector that may do nothing says so of each source, and goes on.
func testDenied(t *testing.T, s *stage) {
	nobody := s.KubeconfigFor(t, "default")
	for source, keys := range map[string]map[string]any{
		"api_server": {"pods": "api_server"},
		"kubelet":    s.kubeletKeys(t, nobody),
		"events":     {"event_lookup": true},
		"owners":     {"owner_lookup": true},
		"namespaces": {"namespace_labels": []string{"team"}},
	} {
		asksOnly := source == "events" || source == "owners" || source == "namespaces"
		if asksOnly && !s.hasPodsAPI {
			continue // it has no pods to ask for
		}
		t.Run(source, func(t *testing.T) {
			c := collector.Start(t, s.Cluster, collector.Settings{Name: "denied-" + source, Kubeconfig: nobody, Receiver: keys})
			if asksOnly {
				pod := kubetest.Pod("asked", holds(kubetest.GPU, 1))
				s.CreateJob(t, s.Namespace(t), kubetest.Job(pod))
			}
			c.Await(t, source+" is denied", func(r *collector.Record) bool { return r.Denied(source) })
			c.Stop(t)
			if !asksOnly {
				require.Empty(t, c.Holdings(""), "nobody is known")
			}
		})
	}
}
