// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"context"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// Namespaces finds out the labels of the namespaces of a node's pods, beside the
// collection: what isn't known yet is asked for, and known the next time. It
// watches none: one watch for each namespace costs the API server more than a
// read of it now and then, and one of all tells each node of all others' too.
type Namespaces struct {
	client  kubernetes.Interface
	chosen  []string
	outcome func(error)
	wanted  chan string
	now     func() time.Time

	mu    sync.Mutex // guards known
	known map[string]labels
}

// labels are those of a namespace that were chosen.
type labels struct {
	values map[string]string
	again  time.Time // when to ask again
}

// mostNamespaces is how many are remembered: more than a node has pods of.
const mostNamespaces = 1024

// renewAfter is how long labels are believed: they seldom change.
const renewAfter = 30 * time.Minute

// NewNamespaces returns what finds out the labels that were chosen; outcome is
// told the error of each request, nil if there was none.
func NewNamespaces(client kubernetes.Interface, chosen []string, outcome func(error)) *Namespaces {
	return &Namespaces{
		client: client, chosen: chosen, outcome: outcome, wanted: make(chan string, 256), now: time.Now, known: map[string]labels{},
	}
}

// Labels returns the chosen labels of a namespace, none if they aren't known yet.
// It never waits. The caller doesn't change them.
func (n *Namespaces) Labels(of string) map[string]string {
	n.mu.Lock()
	values, due := n.known[of].values, n.due(of)
	n.mu.Unlock()
	if due {
		select {
		case n.wanted <- of:
		default: // the next collection asks again
		}
	}
	return values
}

// due reports whether a namespace is to be asked for. The caller holds the lock.
func (n *Namespaces) due(name string) bool {
	known, ok := n.known[name]
	return !ok || n.now().After(known.again)
}

// Run asks until ctx ends.
func (n *Namespaces) Run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case name := <-n.wanted:
			n.mu.Lock()
			due := n.due(name)
			n.mu.Unlock()
			if due {
				n.read(ctx, name)
			}
		}
	}
}

// anyVersion is served from the API server's memory, as new as that is.
const anyVersion = "0"

// read asks for a namespace. One that can't be read keeps the labels that it had.
func (n *Namespaces) read(ctx context.Context, name string) {
	found, err := n.client.CoreV1().Namespaces().Get(ctx, name, metav1.GetOptions{ResourceVersion: anyVersion})
	if ctx.Err() != nil {
		return
	}
	after := askAgain
	var values map[string]string
	switch {
	case apierrors.IsNotFound(err): // it is going, or so new that the memory lacks it
		err = nil
	case err == nil:
		after, values = renewAfter, n.choose(found.Labels)
	}
	n.outcome(err)
	n.mu.Lock()
	defer n.mu.Unlock()
	if err != nil {
		values = n.known[name].values
	}
	if _, known := n.known[name]; !known && len(n.known) >= mostNamespaces {
		clear(n.known) // those in use are asked for again
	}
	n.known[name] = labels{values, n.now().Add(after)}
}

func (n *Namespaces) choose(from map[string]string) map[string]string {
	values := map[string]string{}
	for _, label := range n.chosen {
		if value, ok := from[label]; ok {
			values[label] = value
		}
	}
	return values
}
