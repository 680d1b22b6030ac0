// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

//go:build churn && linux

package churn

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// newPod returns a pod that the kubelet has just seen.
func newPod(uid types.UID, name string, now time.Time) *corev1.Pod {
	at := metav1.NewTime(now)
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			UID: uid, Name: name, Namespace: "churn", CreationTimestamp: at,
			Annotations: map[string]string{"kubernetes.io/config.seen": now.Format(time.RFC3339Nano)},
			Labels:      map[string]string{"job-name": name},
		},
		Spec: corev1.PodSpec{
			NodeName: "churn", RestartPolicy: corev1.RestartPolicyNever,
			Containers: []corev1.Container{{
				Name: "work", Image: "example.com/work:1", ReadinessProbe: &corev1.Probe{},
				Resources: corev1.ResourceRequirements{Limits: corev1.ResourceList{"nvidia.com/gpu": resource.MustParse("1")}},
			}},
		},
		Status: corev1.PodStatus{
			Phase: corev1.PodPending, StartTime: &at,
			Conditions: []corev1.PodCondition{
				{Type: corev1.PodScheduled, Status: corev1.ConditionTrue, LastTransitionTime: at},
				{Type: corev1.PodReady, Status: corev1.ConditionFalse, LastTransitionTime: at},
			},
		},
	}
}

// run starts the container of a pod, which has a slot, and makes it ready.
func run(p *corev1.Pod, slot string, now time.Time) {
	at := metav1.NewTime(now)
	p.Status.Phase, p.Status.PodIP = corev1.PodRunning, "10.0.0.1"
	p.Status.Conditions[1].Status = corev1.ConditionTrue
	p.Status.ContainerStatuses = []corev1.ContainerStatus{{
		Name: "work", Ready: true, State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: at}},
		AllocatedResourcesStatus: []corev1.ResourceStatus{{
			Name: "nvidia.com/gpu", Resources: []corev1.ResourceHealth{{ResourceID: corev1.ResourceID(slot)}},
		}},
	}}
}
