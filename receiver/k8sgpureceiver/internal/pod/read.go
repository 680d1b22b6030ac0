// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package pod

import (
	"fmt"
	"maps"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// annotationSeen is the kubelet's own: when it first saw the pod.
const annotationSeen = "kubernetes.io/config.seen"

// annotationApplied holds the whole manifest again.
const annotationApplied = "kubectl.kubernetes.io/last-applied-configuration"

// Unmarshal reads a pod from the bytes of the Pods API. Of a pod that is gone
// only its names and UID are set.
func Unmarshal(data []byte) (Pod, error) {
	var p corev1.Pod
	if err := p.Unmarshal(data); err != nil {
		return Pod{}, fmt.Errorf("read a pod of %d bytes: %w", len(data), err)
	}
	return Read(&p), nil
}

// Read takes what is needed from a pod. It keeps nothing of p.
func Read(p *corev1.Pod) Pod {
	out := Pod{
		UID: string(p.UID), Namespace: p.Namespace, Name: p.Name, Node: p.Spec.NodeName, IP: p.Status.PodIP,
		Labels:        maps.Clone(p.Labels),
		Annotations:   annotations(p.Annotations),
		Phase:         Phase(p.Status.Phase),
		Reason:        p.Status.Reason,
		Created:       seconds(p.CreationTimestamp),
		Seen:          seen(p.Annotations[annotationSeen]),
		RestartPolicy: RestartPolicy(p.Spec.RestartPolicy),
	}
	if p.Status.StartTime != nil {
		out.Started = seconds(*p.Status.StartTime)
	}
	if p.DeletionTimestamp != nil {
		out.DeletionAsked = seconds(*p.DeletionTimestamp)
		if grace := p.DeletionGracePeriodSeconds; grace != nil && *grace >= 0 && *grace < 1<<31 {
			asked := out.DeletionAsked.Add(-time.Duration(*grace) * time.Second)
			out.DeletionAsked = max(asked, min(out.DeletionAsked, gpu.Earliest))
			out.Forced = *grace == 0
		}
	}
	if owner := metav1.GetControllerOfNoCopy(p); owner != nil {
		out.Owner = OwnerOf(owner)
	}
	if g := p.Spec.SchedulingGroup; g != nil && g.PodGroupName != nil {
		out.SchedulingGroup = *g.PodGroupName
	}
	readConditions(&out, p.Status.Conditions)
	readContainers(&out, p)
	readClaims(&out, p)
	return out
}

// OwnerOf reads an owner reference.
func OwnerOf(r *metav1.OwnerReference) Owner {
	group := ""
	for i, c := range r.APIVersion {
		if c == '/' {
			group = r.APIVersion[:i]
		}
	}
	return Owner{Group: group, Kind: r.Kind, Name: r.Name, UID: string(r.UID)}
}

func readConditions(to *Pod, conditions []corev1.PodCondition) {
	for i := range conditions {
		c := Condition{conditions[i].Status == corev1.ConditionTrue, seconds(conditions[i].LastTransitionTime)}
		switch conditions[i].Type {
		case corev1.PodScheduled:
			to.Scheduled = c
		case corev1.PodReadyToStartContainers:
			to.SandboxReady = c
		case corev1.PodReady:
			to.Ready = c
		}
	}
}

func readContainers(to *Pod, p *corev1.Pod) {
	to.Volumes = readVolumes(p.Spec.Volumes)
	to.Containers = make([]Container, 0, len(p.Spec.InitContainers)+len(p.Spec.Containers))
	for i := range p.Spec.InitContainers {
		c := readContainer(&p.Spec.InitContainers[i], p.Status.InitContainerStatuses)
		c.Mounts = readMounts(p.Spec.InitContainers[i].VolumeMounts, to.Volumes)
		c.Init = true
		restart := p.Spec.InitContainers[i].RestartPolicy
		c.Sidecar = restart != nil && *restart == corev1.ContainerRestartPolicyAlways
		to.Containers = append(to.Containers, c)
	}
	for i := range p.Spec.Containers {
		c := readContainer(&p.Spec.Containers[i], p.Status.ContainerStatuses)
		c.Mounts = readMounts(p.Spec.Containers[i].VolumeMounts, to.Volumes)
		to.Containers = append(to.Containers, c)
	}
}

func readContainer(spec *corev1.Container, statuses []corev1.ContainerStatus) Container {
	c := Container{Name: spec.Name, Image: spec.Image, Probed: spec.ReadinessProbe != nil || spec.StartupProbe != nil}
	for name, quantity := range spec.Resources.Limits {
		if n := quantity.Value(); n > 0 && isExtended(string(name)) {
			if c.Requests == nil {
				c.Requests = map[string]int64{}
			}
			c.Requests[string(name)] = n
		}
	}
	for i := range statuses {
		if statuses[i].Name == spec.Name {
			readStatus(&c, &statuses[i])
		}
	}
	return c
}

// isExtended reports whether a resource is one of a device plugin: those have a
// domain. Kubernetes' own have none, or its own.
func isExtended(name string) bool {
	for i := range name {
		if name[i] == '/' {
			return name[:i] != "kubernetes.io"
		}
	}
	return false
}

func readStatus(c *Container, s *corev1.ContainerStatus) {
	c.Restarts = int(s.RestartCount)
	c.Run, c.Before = run(s.State), run(s.LastTerminationState)
	if s.State.Waiting != nil {
		c.Waiting = s.State.Waiting.Reason
	}
	for i := range s.AllocatedResourcesStatus {
		for _, r := range s.AllocatedResourcesStatus[i].Resources {
			c.Devices = append(c.Devices, Device{
				Resource:  string(s.AllocatedResourcesStatus[i].Name),
				ID:        string(r.ResourceID),
				Unhealthy: r.Health == corev1.ResourceHealthStatusUnhealthy,
			})
		}
	}
}

func run(s corev1.ContainerState) Run {
	switch {
	case s.Running != nil:
		return Run{Started: seconds(s.Running.StartedAt), Running: true}
	case s.Terminated != nil:
		return Run{
			Started: seconds(s.Terminated.StartedAt), Finished: seconds(s.Terminated.FinishedAt),
			ExitCode: int(s.Terminated.ExitCode),
		}
	}
	return Run{}
}

// seconds reads a time of an object; one that no real clock told is none.
func seconds(t metav1.Time) gpu.Time { return instant(t.Time) }

func instant(t time.Time) gpu.Time {
	if t.Unix() < int64(time.Duration(gpu.Earliest)/time.Second) || t.Year() >= 2262 {
		return gpu.NoTime
	}
	return gpu.Time(t.UnixNano())
}

func seen(text string) gpu.Time {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return gpu.NoTime
	}
	return instant(t)
}

func annotations(m map[string]string) map[string]string {
	kept := make(map[string]string, len(m))
	for key, value := range m {
		if key != annotationApplied {
			kept[key] = value
		}
	}
	return kept
}
