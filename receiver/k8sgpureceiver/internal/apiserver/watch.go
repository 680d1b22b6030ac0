// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"context"
	"errors"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
)

// watcher takes what an informer says. Its functions return at once.
type watcher struct {
	slim   cache.TransformFunc // drops what nobody reads, before tell
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
		informer.SetTransform(told.slim),
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

// unmanaged drops what nobody reads of any object.
func unmanaged(object any) (any, error) {
	if named, ok := object.(metav1.Object); ok {
		named.SetManagedFields(nil)
	}
	return object, nil
}
