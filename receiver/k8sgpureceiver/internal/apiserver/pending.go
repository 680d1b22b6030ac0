// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

// PendingSink takes the pods of the cluster that have no node. Its methods
// return at once.
type PendingSink interface {
	Pending(p *corev1.Pod)
	NotPending(uid string) // it has a node, or is gone
	PendingSynced()
	PendingLost(err error)
}

// WatchPending watches the pods that have no node until ctx ends: few, beside
// those that have one.
func WatchPending(ctx context.Context, client kubernetes.Interface, told PendingSink) {
	api := client.CoreV1().Pods(metav1.NamespaceAll)
	selector := fields.AndSelectors(
		fields.OneTermEqualSelector("spec.nodeName", ""), fields.OneTermEqualSelector("status.phase", string(corev1.PodPending))).String()
	lists := &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			options.FieldSelector = selector
			return api.List(ctx, options)
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			options.FieldSelector = selector
			return api.Watch(ctx, options)
		},
	}
	watchAll(ctx, lists, &corev1.Pod{}, watcher{
		slim: unmanaged,
		tell: func(object any) {
			if p, ok := object.(*corev1.Pod); ok {
				told.Pending(p)
			}
		},
		gone:   func(object metav1.Object) { told.NotPending(string(object.GetUID())) },
		synced: told.PendingSynced,
		lost:   told.PendingLost,
	})
}
