// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package kubetest

import corev1 "k8s.io/api/core/v1"

// Conditions for Await.

// Running says that a pod has started all its containers.
func Running(p *corev1.Pod) bool { return p != nil && p.Status.Phase == corev1.PodRunning }

// Ready says that a pod is ready.
func Ready(p *corev1.Pod) bool {
	condition := Condition(p, corev1.PodReady)
	return condition != nil && condition.Status == corev1.ConditionTrue
}

// Succeeded says that a pod has ended as it should.
func Succeeded(p *corev1.Pod) bool { return p != nil && p.Status.Phase == corev1.PodSucceeded }

// Failed says that a pod has ended otherwise.
func Failed(p *corev1.Pod) bool { return p != nil && p.Status.Phase == corev1.PodFailed }

// Gone says that the API server has no such pod any more.
func Gone(p *corev1.Pod) bool { return p == nil }

// Restarted says that a container was started again so many times.
func Restarted(container string, times int32) func(*corev1.Pod) bool {
	return func(p *corev1.Pod) bool {
		s := Status(p, container)
		return s != nil && s.RestartCount >= times
	}
}

// Condition returns a condition of a pod, nil if it hasn't got it.
func Condition(p *corev1.Pod, kind corev1.PodConditionType) *corev1.PodCondition {
	if p == nil {
		return nil
	}
	for i := range p.Status.Conditions {
		if p.Status.Conditions[i].Type == kind {
			return &p.Status.Conditions[i]
		}
	}
	return nil
}

// Status returns the status of a container of any kind, nil if there's none.
func Status(p *corev1.Pod, container string) *corev1.ContainerStatus {
	if p == nil {
		return nil
	}
	for _, statuses := range [][]corev1.ContainerStatus{p.Status.InitContainerStatuses, p.Status.ContainerStatuses} {
		for i := range statuses {
			if statuses[i].Name == container {
				return &statuses[i]
			}
		}
	}
	return nil
}

// DeviceHealth returns the devices of a container as its status has them, with
// their health.
func DeviceHealth(p *corev1.Pod, container string) map[string]corev1.ResourceHealthStatus {
	s := Status(p, container)
	if s == nil {
		return nil
	}
	health := map[string]corev1.ResourceHealthStatus{}
	for _, r := range s.AllocatedResourcesStatus {
		for _, device := range r.Resources {
			health[string(device.ResourceID)] = device.Health
		}
	}
	return health
}
