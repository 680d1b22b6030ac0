// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"context"
	"time"

	resourcev1 "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/claim"
)

// RuleSink takes what the API server says of rules that taint devices. Its
// methods return at once.
type RuleSink interface {
	Rule(r claim.Rule)
	RuleGone(name string)
	RulesSynced()
	RulesLost(err error)
}

// Before rules are watched, it is looked whether there are such: an API server
// before 1.37 has none, but it may become a newer one.
const (
	lookAfterNone  = 10 * time.Minute
	lookAfterError = time.Minute
)

// WatchRules watches the DeviceTaintRules until ctx ends, all of them: a rule
// selects devices by driver and pool, which no selector of a watch knows. An API
// server that has no such kind is no failure.
func WatchRules(ctx context.Context, client kubernetes.Interface, told RuleSink) {
	watchRules(ctx, client, told, lookAfterNone, lookAfterError)
}

func watchRules(ctx context.Context, client kubernetes.Interface, told RuleSink, afterNone, afterError time.Duration) {
	api := client.ResourceV1().DeviceTaintRules()
	for {
		_, err := api.List(ctx, metav1.ListOptions{Limit: 1})
		if ctx.Err() != nil {
			return
		}
		if err == nil {
			break
		}
		wait := afterNone
		if !apierrors.IsNotFound(err) {
			told.RulesLost(err)
			wait = afterError
		}
		if !pause(ctx, wait) {
			return
		}
	}
	lists := &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			return api.List(ctx, options)
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			return api.Watch(ctx, options)
		},
	}
	watchAll(ctx, lists, &resourcev1.DeviceTaintRule{}, watcher{
		tell: func(object any) {
			if r, ok := object.(*resourcev1.DeviceTaintRule); ok {
				told.Rule(claim.ReadRule(r))
			}
		},
		gone:   func(object metav1.Object) { told.RuleGone(object.GetName()) },
		synced: told.RulesSynced,
		lost:   told.RulesLost,
	})
}
