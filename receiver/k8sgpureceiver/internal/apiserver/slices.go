// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"context"

	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/claim"
)

// WatchSlices watches the ResourceSlices of one node, or of all with "", until
// ctx ends.
func WatchSlices(ctx context.Context, client kubernetes.Interface, node string, told ClaimSink) {
	api := client.ResourceV1().ResourceSlices()
	selector := ""
	if node != "" {
		selector = fields.OneTermEqualSelector(resourcev1.ResourceSliceSelectorNodeName, node).String()
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
	tell := func(object any) {
		if s, ok := object.(*resourcev1.ResourceSlice); ok {
			told.Slice(claim.ReadSlice(s))
		}
	}
	watchAll(ctx, lists, &resourcev1.ResourceSlice{}, watcher{
		slim:   unmanaged,
		tell:   tell,
		gone:   func(object metav1.Object) { told.SliceGone(object.GetName()) },
		synced: told.SlicesSynced,
		lost:   told.SlicesLost,
	})
}
