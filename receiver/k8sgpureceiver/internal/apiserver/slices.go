// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"context"
	"errors"

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
		tell:   tell,
		gone:   func(object metav1.Object) { told.SliceGone(object.GetName()) },
		synced: told.SlicesSynced,
		lost:   told.SlicesLost,
	})
}

// watcher takes what an informer says. Its functions return at once.
type watcher struct {
	tell   func(object any)
	gone   func(object metav1.Object)
	synced func() // at the first time, and whenever a watch stands after it was lost
	lost   func(error)
}

// watchAll watches objects until ctx ends. The informer lists and watches again
// by itself.
func watchAll(ctx context.Context, lists *cache.ListWatch, of runtime.Object, told watcher) {
	synced := func() bool { return false }
	open := lists.WatchFuncWithContext
	lists.WatchFuncWithContext = func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
		w, err := open(ctx, options)
		if err != nil {
			return nil, seal(err)
		}
		if synced() {
			told.synced()
		}
		return w, nil
	}
	informer := cache.NewSharedIndexInformer(lists, of, 0, nil)
	err := errors.Join(
		informer.SetTransform(unmanaged),
		informer.SetWatchErrorHandlerWithContext(func(_ context.Context, _ *cache.Reflector, err error) { told.lost(bare(err)) }),
	)
	handler, added := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    told.tell,
		UpdateFunc: func(_, object any) { told.tell(object) },
		DeleteFunc: func(object any) {
			if last, ok := object.(cache.DeletedFinalStateUnknown); ok {
				object = last.Obj
			}
			if named, ok := object.(metav1.Object); ok {
				told.gone(named)
			}
		},
	})
	if err = errors.Join(err, added); err != nil { // of an informer that was started only
		told.lost(err)
		return
	}
	synced = handler.HasSynced
	done := make(chan struct{})
	go func() {
		defer close(done)
		informer.RunWithContext(ctx)
	}()
	if cache.WaitForCacheSync(ctx.Done(), handler.HasSynced) {
		told.synced()
	}
	<-done
}

// unmanaged drops what nobody reads.
func unmanaged(object any) (any, error) {
	if named, ok := object.(metav1.Object); ok {
		named.SetManagedFields(nil)
	}
	return object, nil
}
