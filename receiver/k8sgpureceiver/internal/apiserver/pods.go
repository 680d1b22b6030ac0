// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"context"
	"errors"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/kubelet"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/pod"
)

// Pods watches the pods that are bound to one node.
type Pods struct {
	client kubernetes.Interface
	node   string
}

// NewPods returns a source of the pods of a node.
func NewPods(client kubernetes.Interface, node string) *Pods { return &Pods{client, node} }

// Close is for symmetry: Run leaves nothing behind.
func (*Pods) Close() error { return nil }

// Run watches until ctx ends. The informer lists and watches again by itself.
func (p *Pods) Run(ctx context.Context, sink kubelet.Sink) {
	synced := func() bool { return false }
	informer := cache.NewSharedIndexInformer(p.lists(func() {
		if synced() {
			sink.Synced() // after it was lost
		}
	}), &corev1.Pod{}, 0, nil)
	err := errors.Join(
		informer.SetTransform(slim),
		informer.SetWatchErrorHandlerWithContext(func(_ context.Context, _ *cache.Reflector, err error) { sink.Lost(bare(err)) }),
	)
	handler, added := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { tell(sink, object) },
		UpdateFunc: func(before, object any) { renewed(sink, before, object) },
		DeleteFunc: func(object any) { gone(sink, object) },
	})
	if err = errors.Join(err, added); err != nil { // of an informer that was started only
		sink.Lost(err)
		return
	}
	synced = handler.HasSynced
	done := make(chan struct{})
	go func() {
		defer close(done)
		informer.RunWithContext(ctx)
	}()
	if cache.WaitForCacheSync(ctx.Done(), handler.HasSynced) {
		sink.Synced()
	}
	<-done
}

// lists returns how to list and watch; connected is called when a watch stands.
func (p *Pods) lists(connected func()) *cache.ListWatch {
	pods := p.client.CoreV1().Pods(metav1.NamespaceAll)
	selector := fields.OneTermEqualSelector("spec.nodeName", p.node).String()
	return &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			options.FieldSelector = selector
			return pods.List(ctx, options)
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			options.FieldSelector = selector
			w, err := pods.Watch(ctx, options)
			if err != nil {
				return nil, seal(err)
			}
			connected()
			return w, nil
		},
	}
}

// sealed hides from the reflector that nobody listens, or not to so many. It
// would try again by itself, tell nobody, and heed no context while it waits.
type sealed struct{ error }

func seal(err error) error {
	if utilnet.IsConnectionRefused(err) || apierrors.IsTooManyRequests(err) {
		return sealed{err}
	}
	return err
}

// bare returns the error that was sealed.
func bare(err error) error {
	if s, ok := errors.AsType[sealed](err); ok {
		return s.error
	}
	return err
}

func tell(sink kubelet.Sink, object any) {
	if p, ok := object.(*corev1.Pod); ok {
		read := pod.Read(p)
		sink.Pod(&read)
	}
}

// renewed tells of a pod whose name another may have had when it was listed last.
func renewed(sink kubelet.Sink, before, object any) {
	was, known := before.(*corev1.Pod)
	is, ok := object.(*corev1.Pod)
	if known && ok && was.UID != is.UID {
		sink.Missed(string(was.UID))
	}
	tell(sink, object)
}

func gone(sink kubelet.Sink, object any) {
	last, missed := object.(cache.DeletedFinalStateUnknown)
	if missed { // a list lacks it: the watch didn't tell when it went
		object = last.Obj
	}
	p, ok := object.(*corev1.Pod)
	switch {
	case !ok:
	case missed:
		sink.Missed(string(p.UID))
	default:
		sink.Gone(string(p.UID))
	}
}

// slim drops what nobody reads, so that the informer keeps little.
func slim(object any) (any, error) {
	p, ok := object.(*corev1.Pod)
	if !ok {
		return object, nil
	}
	p.ManagedFields = nil
	p.Spec.Tolerations, p.Spec.Affinity = nil, nil
	p.Spec.Volumes = slices.DeleteFunc(p.Spec.Volumes, func(v corev1.Volume) bool { return !pod.HoldsData(&v) })
	for _, containers := range [][]corev1.Container{p.Spec.InitContainers, p.Spec.Containers} {
		for i := range containers {
			c := &containers[i]
			c.Env, c.EnvFrom, c.Command, c.Args = nil, nil, nil, nil
		}
	}
	return p, nil
}
