// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"context"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/claim"
)

// Claims reads single claims, beside the collection. It watches none: a watch
// can't be limited to the claims of a node, and what a claim gave to a pod
// doesn't change.
type Claims struct {
	client kubernetes.Interface
	wanted chan claim.Key
	told   ClaimSink

	mu      sync.Mutex // guards what follows
	pending map[claim.Key]bool
}

// ClaimSink takes what the API server says of claims and slices. Its methods
// return at once.
type ClaimSink interface {
	Claim(c claim.Claim)
	ClaimFailed(err error)
	Slice(s claim.Slice)
	SliceGone(name string)
	SlicesSynced()
	SlicesLost(err error)
}

// NewClaims returns what reads claims.
func NewClaims(client kubernetes.Interface, told ClaimSink) *Claims {
	return &Claims{client: client, wanted: make(chan claim.Key, 256), told: told, pending: map[claim.Key]bool{}}
}

// Ask asks for a claim, once until it is read. It never waits; if too many are
// asked for, the next collection asks again.
func (c *Claims) Ask(key claim.Key) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pending[key] {
		return
	}
	select {
	case c.wanted <- key:
		c.pending[key] = true
	default:
	}
}

// Run reads until ctx ends.
func (c *Claims) Run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case key := <-c.wanted:
			c.read(ctx, key)
		}
	}
}

func (c *Claims) read(ctx context.Context, key claim.Key) {
	found, err := c.client.ResourceV1().ResourceClaims(key.Namespace).Get(ctx, key.Name, metav1.GetOptions{})
	c.mu.Lock()
	delete(c.pending, key)
	c.mu.Unlock()
	switch {
	case ctx.Err() != nil, apierrors.IsNotFound(err): // a claim may go before its pod does
	case err != nil:
		c.told.ClaimFailed(err)
	default:
		c.told.Claim(claim.Read(found))
	}
}
