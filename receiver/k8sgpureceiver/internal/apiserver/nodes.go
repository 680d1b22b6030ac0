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

	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/node"
)

// NodeSink takes what the API server says of nodes. Its methods return at once.
type NodeSink interface {
	Node(n *node.Node)
	NodeGone(name string)
	NodesSynced()
	NodesLost(err error)
}

// WatchNodes watches one node, or all with "", until ctx ends.
func WatchNodes(ctx context.Context, client kubernetes.Interface, name string, told NodeSink) {
	api := client.CoreV1().Nodes()
	selector := ""
	if name != "" {
		selector = fields.OneTermEqualSelector(metav1.ObjectNameField, name).String()
	}
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
	watchAll(ctx, lists, &corev1.Node{}, watcher{
		slim: slimNode(name == ""),
		tell: func(object any) {
			if n, ok := object.(*corev1.Node); ok {
				read := node.Read(n)
				told.Node(&read)
			}
		},
		gone:   func(object metav1.Object) { told.NodeGone(object.GetName()) },
		synced: told.NodesSynced,
		lost:   told.NodesLost,
	})
}

// slimNode drops what nobody reads of nodes. Images are looked up on the own node
// only: those of all nodes would be most of what is kept.
func slimNode(all bool) cache.TransformFunc {
	return func(object any) (any, error) {
		if n, ok := object.(*corev1.Node); ok {
			n.Annotations, n.Status.VolumesAttached = nil, nil
			if all {
				n.Status.Images = nil
			}
		}
		return unmanaged(object)
	}
}
