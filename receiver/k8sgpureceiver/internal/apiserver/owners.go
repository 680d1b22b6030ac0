// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"context"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/restmapper"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/pod"
)

// Owners finds out who controls an object, beside the collection: what isn't
// known yet is asked for, and known the next time.
type Owners struct {
	client  metadata.Interface
	mapper  meta.RESTMapperWithContext
	outcome func(error)
	wanted  chan object

	mu    sync.Mutex // guards what follows
	known map[object]answer
}

type object struct {
	pod.Owner
	namespace string
}

// answer is the controller of an object, zero if it has none.
type answer struct {
	owner pod.Owner
	again time.Time // when to ask again, zero for never: owners don't change
}

// mostOwners is how many objects are remembered.
const mostOwners = 4096

// askAgain is how long after an error an object is asked for again.
const askAgain = 5 * time.Minute

// NewOwners returns what finds out; outcome is told the error of each request,
// nil if there was none.
func NewOwners(cfg Config, outcome func(error)) (*Owners, error) {
	how, err := connection(cfg)
	if err != nil {
		return nil, err
	}
	client, err := metadata.NewForConfig(how)
	if err != nil {
		return nil, err
	}
	kinds, err := discovery.NewDiscoveryClientForConfig(how)
	if err != nil {
		return nil, err
	}
	mapper := restmapper.NewDeferredDiscoveryRESTMapperWithContext(memory.NewMemCacheClientWithContext(kinds))
	return newOwners(client, mapper, outcome), nil
}

func newOwners(client metadata.Interface, mapper meta.RESTMapperWithContext, outcome func(error)) *Owners {
	return &Owners{
		client: client, mapper: mapper, outcome: outcome, wanted: make(chan object, 256), known: map[object]answer{},
	}
}

// Of returns the controller of an object, and false if it has none or it isn't
// known yet. It never waits.
func (o *Owners) Of(of pod.Owner, namespace string) (pod.Owner, bool) {
	if of.Kind == "" {
		return pod.Owner{}, false
	}
	key := object{of, namespace}
	o.mu.Lock()
	known, ok := o.known[key]
	o.mu.Unlock()
	if !ok || !known.again.IsZero() && time.Now().After(known.again) {
		select {
		case o.wanted <- key:
		default: // the next collection asks again
		}
	}
	return known.owner, known.owner.Kind != ""
}

// Run asks until ctx ends.
func (o *Owners) Run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case key := <-o.wanted:
			if o.isKnown(key) {
				continue
			}
			found, err := o.ask(ctx, key)
			if ctx.Err() != nil {
				return
			}
			o.outcome(err)
			if err != nil {
				found.again = time.Now().Add(askAgain)
			}
			o.remember(key, found)
		}
	}
}

func (o *Owners) isKnown(key object) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	known, ok := o.known[key]
	return ok && (known.again.IsZero() || time.Now().Before(known.again))
}

func (o *Owners) remember(key object, a answer) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.known) >= mostOwners {
		clear(o.known) // those in use are asked for again
	}
	o.known[key] = a
}

func (o *Owners) ask(ctx context.Context, key object) (answer, error) {
	mapping, err := o.mapper.RESTMappingWithContext(ctx, schema.GroupKind{Group: key.Group, Kind: key.Kind})
	if err != nil {
		return answer{}, err
	}
	resource := o.client.Resource(mapping.Resource)
	of := metadata.ResourceInterface(resource)
	if mapping.Scope.Name() == meta.RESTScopeNameNamespace {
		of = resource.Namespace(key.namespace)
	}
	found, err := of.Get(ctx, key.Name, metav1.GetOptions{})
	if err != nil {
		return answer{}, err
	}
	if owner := metav1.GetControllerOfNoCopy(found); owner != nil && string(found.UID) == key.UID {
		return answer{owner: pod.OwnerOf(owner)}, nil
	}
	return answer{}, nil
}
