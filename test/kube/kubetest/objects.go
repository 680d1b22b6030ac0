// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package kubetest

import (
	"context"
	"fmt"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/watch"
)

// Namespace makes a namespace for a test. Its pods are deleted with the test,
// and their devices are free for the next.
func (c *Cluster) Namespace(t testing.TB) string {
	t.Helper()
	ctx := t.Context()
	made, err := c.Client.CoreV1().Namespaces().Create(ctx,
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "test-"}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatalf("making a namespace: %v", err)
	}
	t.Cleanup(func() { c.empty(t, made.Name) })
	// No pod is accepted before its service account is there.
	err = poll(ctx, "waiting for the service account of "+made.Name, func(ctx context.Context) (bool, error) {
		_, err := c.Client.CoreV1().ServiceAccounts(made.Name).Get(ctx, "default", metav1.GetOptions{})
		return err == nil, err
	})
	if err != nil {
		t.Fatal(err)
	}
	return made.Name
}

// empty deletes what is in a namespace, and waits for the pods only: the
// controllers take their time for the rest.
func (c *Cluster) empty(t testing.TB, namespace string) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	// A job or a deployment would make its pods again.
	err := c.Client.BatchV1().Jobs(namespace).DeleteCollection(ctx,
		metav1.DeleteOptions{PropagationPolicy: new(metav1.DeletePropagationBackground)}, metav1.ListOptions{})
	if err != nil {
		t.Errorf("deleting the jobs of %s: %v", namespace, err)
	}
	err = c.Client.AppsV1().Deployments(namespace).DeleteCollection(ctx, metav1.DeleteOptions{PropagationPolicy: new(metav1.DeletePropagationForeground)}, metav1.ListOptions{})
	if err != nil {
		t.Errorf("deleting the deployments of %s: %v", namespace, err)
	}
	err = poll(ctx, "waiting for the end of the deployments in "+namespace, func(ctx context.Context) (bool, error) {
		left, err := c.Client.AppsV1().Deployments(namespace).List(ctx, metav1.ListOptions{})
		return err == nil && len(left.Items) == 0, err
	})
	if err != nil {
		t.Error(err)
	}
	err = poll(ctx, "waiting for the end of the pods in "+namespace, func(ctx context.Context) (bool, error) {
		pods := c.Client.CoreV1().Pods(namespace)
		if err := pods.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}); err != nil {
			return false, err
		}
		left, err := pods.List(ctx, metav1.ListOptions{})
		return err == nil && len(left.Items) == 0, err
	})
	if err != nil {
		t.Error(err)
	}
	if err := c.Client.CoreV1().Namespaces().Delete(ctx, namespace, metav1.DeleteOptions{}); err != nil {
		t.Errorf("deleting the namespace %s: %v", namespace, err)
	}
}

// Create makes a pod.
func (c *Cluster) Create(t testing.TB, namespace string, pod *corev1.Pod) *corev1.Pod {
	t.Helper()
	created, err := c.Client.CoreV1().Pods(namespace).Create(t.Context(), pod, metav1.CreateOptions{})
	if err != nil {
		t.Fatalf("making the pod %s: %v", pod.Name, err)
	}
	return created
}

// CreateJob makes a job and returns its pod.
func (c *Cluster) CreateJob(t testing.TB, namespace string, job *batchv1.Job) *corev1.Pod {
	t.Helper()
	if _, err := c.Client.BatchV1().Jobs(namespace).Create(t.Context(), job, metav1.CreateOptions{}); err != nil {
		t.Fatalf("making the job %s: %v", job.Name, err)
	}
	return c.AwaitPod(t, namespace, "job-name="+job.Name)
}

// AwaitPod waits for the first pod with labels.
func (c *Cluster) AwaitPod(t testing.TB, namespace, selector string) *corev1.Pod {
	t.Helper()
	var found *corev1.Pod
	err := poll(t.Context(), "waiting for a pod with "+selector, func(ctx context.Context) (bool, error) {
		list, err := c.Client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{LabelSelector: selector})
		if err != nil || len(list.Items) == 0 {
			return false, err
		}
		found = &list.Items[0]
		return true, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// Delete deletes a pod, which gets its own time to end.
func (c *Cluster) Delete(t testing.TB, pod *corev1.Pod) { c.remove(t, pod, metav1.DeleteOptions{}) }

// ForceDelete deletes a pod from the API server at once, whatever runs.
func (c *Cluster) ForceDelete(t testing.TB, pod *corev1.Pod) {
	c.remove(t, pod, metav1.DeleteOptions{GracePeriodSeconds: new(int64(0))})
}

func (c *Cluster) remove(t testing.TB, pod *corev1.Pod, options metav1.DeleteOptions) {
	t.Helper()
	options.Preconditions = &metav1.Preconditions{UID: &pod.UID}
	if err := c.Client.CoreV1().Pods(pod.Namespace).Delete(t.Context(), pod.Name, options); err != nil {
		t.Fatalf("deleting the pod %s: %v", pod.Name, err)
	}
}

// Await waits until something is true of a pod, and returns it as it is then.
// A pod that is gone is nil to condition.
func (c *Cluster) Await(t testing.TB, pod *corev1.Pod, what string, condition func(*corev1.Pod) bool) *corev1.Pod {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for {
		last, err := c.follow(ctx, pod, condition)
		switch {
		case err == nil:
			return last
		case ctx.Err() != nil:
			t.Fatalf("waiting for pod %s/%s to be %s: %v\nthe last that was seen of it: %+v", pod.Namespace, pod.Name, what, err, status(last))
		}
	}
}

func status(pod *corev1.Pod) any {
	if pod == nil {
		return "nothing"
	}
	return pod.Status
}

// follow watches a pod until something is true of it, or the watch ends.
func (c *Cluster) follow(ctx context.Context, pod *corev1.Pod, condition func(*corev1.Pod) bool) (*corev1.Pod, error) {
	pods := c.Client.CoreV1().Pods(pod.Namespace)
	options := metav1.ListOptions{FieldSelector: fields.OneTermEqualSelector("metadata.name", pod.Name).String()}
	list, err := pods.List(ctx, options)
	if err != nil {
		return nil, err
	}
	var last *corev1.Pod
	if len(list.Items) > 0 && list.Items[0].UID == pod.UID {
		last = &list.Items[0]
	}
	if condition(last) {
		return last, nil
	}
	options.ResourceVersion = list.ResourceVersion
	events, err := pods.Watch(ctx, options)
	if err != nil {
		return last, err
	}
	defer events.Stop()
	for event := range events.ResultChan() {
		seen, ok := event.Object.(*corev1.Pod)
		if !ok || seen.UID != pod.UID {
			continue
		}
		last = seen
		now := seen
		if event.Type == watch.Deleted {
			now = nil
		}
		if condition(now) {
			return last, nil
		}
	}
	return last, fmt.Errorf("the watch has ended: %w", context.Cause(ctx))
}
