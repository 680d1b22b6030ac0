// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package kubetest

import (
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/otelcol-gpu/otelcol-gpu/test/kube/internal/holder"
	"github.com/otelcol-gpu/otelcol-gpu/test/kube/internal/script"
)

// PodOption says something of a pod.
type PodOption func(*corev1.Pod)

// ContainerOption says something of a container.
type ContainerOption func(*corev1.Container)

// Pod describes a pod. When it's deleted, its containers have 2 s.
func Pod(name string, options ...PodOption) *corev1.Pod {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: corev1.PodSpec{
			TerminationGracePeriodSeconds: new(int64(2)),
			AutomountServiceAccountToken:  new(false),
			EnableServiceLinks:            new(false),
		},
	}
	for _, option := range options {
		option(pod)
	}
	return pod
}

// Container adds a container to a pod.
func Container(name string, options ...ContainerOption) PodOption {
	return func(p *corev1.Pod) { p.Spec.Containers = append(p.Spec.Containers, container(name, options)) }
}

// Init adds an init container to a pod.
func Init(name string, options ...ContainerOption) PodOption {
	return func(p *corev1.Pod) { p.Spec.InitContainers = append(p.Spec.InitContainers, container(name, options)) }
}

// Sidecar adds an init container that goes on running.
func Sidecar(name string, options ...ContainerOption) PodOption {
	restart := func(c *corev1.Container) { c.RestartPolicy = new(corev1.ContainerRestartPolicyAlways) }
	return Init(name, append(options, restart)...)
}

// Restart sets when containers are started again.
func Restart(policy corev1.RestartPolicy) PodOption {
	return func(p *corev1.Pod) { p.Spec.RestartPolicy = policy }
}

// Grace sets how long the containers of a pod that is deleted have, in seconds.
func Grace(seconds int64) PodOption {
	return func(p *corev1.Pod) { p.Spec.TerminationGracePeriodSeconds = &seconds }
}

// HostNetwork puts a pod on the machine's network: it reaches the API server.
func HostNetwork(p *corev1.Pod) { p.Spec.HostNetwork = true }

func container(name string, options []ContainerOption) corev1.Container {
	c := corev1.Container{Name: name, Image: Image, Env: []corev1.EnvVar{
		{Name: holder.EnvContainer, Value: name},
		field(holder.EnvNamespace, "metadata.namespace"), field(holder.EnvPod, "metadata.name"), field(holder.EnvUID, "metadata.uid"),
	}}
	for _, option := range options {
		option(&c)
	}
	return c
}

func field(name, path string) corev1.EnvVar {
	return corev1.EnvVar{Name: name, ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: path}}}
}

// Run gives a container its script: steps as package script has them, after
// linger=3s (how long it goes on after a signal) and term=1 (how it ends then).
func Run(steps ...string) ContainerOption {
	return func(c *corev1.Container) { c.Args = steps }
}

// Use lets a container ask for so many devices of a resource.
func Use(resourceName string, n int64) ContainerOption {
	return func(c *corev1.Container) {
		if c.Resources.Limits == nil {
			c.Resources.Limits = corev1.ResourceList{}
		}
		c.Resources.Limits[corev1.ResourceName(resourceName)] = *resource.NewQuantity(n, resource.DecimalSI)
	}
}

// ProbeReady makes a container ready when its script is at the step ready.
func ProbeReady(c *corev1.Container) {
	c.ReadinessProbe = &corev1.Probe{
		ProbeHandler:  corev1.ProbeHandler{Exec: &corev1.ExecAction{Command: []string{"/" + app, "exists", script.ReadyFile}}},
		PeriodSeconds: 1, FailureThreshold: 1,
	}
}

// From sets another image than the one that is on the node.
func From(image string) ContainerOption {
	return func(c *corev1.Container) { c.Image, c.ImagePullPolicy = image, corev1.PullAlways }
}

// Job describes a job that runs a pod once. Its pods have the job's name.
func Job(pod *corev1.Pod) *batchv1.Job {
	if pod.Spec.RestartPolicy == "" {
		pod.Spec.RestartPolicy = corev1.RestartPolicyNever
	}
	return &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Name: pod.Name},
		Spec: batchv1.JobSpec{
			BackoffLimit: new(int32(0)),
			Template:     Template(pod, pod.Labels),
		},
	}
}

// Template returns a pod as others make it.
func Template(pod *corev1.Pod, labels map[string]string) corev1.PodTemplateSpec {
	return corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: pod.Spec}
}
