// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package k8sgpureceiver

import (
	"context"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/apiserver"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/pod"
)

// lookUpOwners begins to ask for owners, if that is wanted and possible.
func (r *nodeReceiver) lookUpOwners(ctx context.Context) {
	if !r.cfg.OwnerLookup {
		return
	}
	owners, err := apiserver.NewOwners(r.cfg.api(), func(err error) { r.own.outcome(sourceOwners, err) })
	if err != nil {
		r.own.failed(sourceOwners, err)
		return
	}
	r.owners = owners.Of
	r.done.Go(func() { owners.Run(ctx) })
}

// lookUpNamespaces begins to ask for labels of namespaces, if that is wanted and
// possible.
func (r *nodeReceiver) lookUpNamespaces(ctx context.Context) {
	if len(r.cfg.NamespaceLabels) == 0 {
		return
	}
	client, err := apiserver.New(r.cfg.api())
	if err != nil {
		r.own.failed(sourceNamespaces, err)
		return
	}
	labels := apiserver.NewNamespaces(client, r.cfg.NamespaceLabels, func(err error) { r.own.outcome(sourceNamespaces, err) })
	r.ofNamespace = labels.Labels
	r.done.Go(func() { labels.Run(ctx) })
}

// lookUpEvents begins to ask for events, if that is wanted and possible.
func (r *nodeReceiver) lookUpEvents(ctx context.Context) {
	if !r.cfg.EventLookup {
		return
	}
	client, err := apiserver.New(r.cfg.api())
	if err != nil {
		r.own.failed(sourceEvents, err)
		return
	}
	failed := func(err error) { r.own.failed(sourceEvents, err) }
	r.events = apiserver.NewEvents(client, r.takeEvents, failed)
	r.done.Go(func() { r.events.Run(ctx) })
}

// takeEvents takes the events of a pod.
func (r *nodeReceiver) takeEvents(uid string, events []pod.Event) {
	r.own.answered(sourceEvents)
	r.desk.events(uid, events)
}
