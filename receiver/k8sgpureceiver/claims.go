// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package k8sgpureceiver

import (
	"context"
	"slices"
	"sync"

	"k8s.io/client-go/kubernetes"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/apiserver"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/claim"
)

// claimDesk is where news of claims and slices arrive: it writes them into the
// store that the book reads.
type claimDesk struct {
	*desk
	store *claim.Store // under the desk's lock
	// gpus is closed when the node offers a GPU.
	gpus chan struct{}
	once sync.Once
}

var (
	_ apiserver.ClaimSink = (*claimDesk)(nil)
	_ apiserver.RuleSink  = (*claimDesk)(nil)
)

// Claim takes a claim.
func (d *claimDesk) Claim(c claim.Claim) {
	d.own.answered(sourceClaims)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.store.Put(c)
}

// ClaimFailed takes that a claim couldn't be read.
func (d *claimDesk) ClaimFailed(err error) { d.own.failed(sourceClaims, err) }

// Slice takes a slice.
func (d *claimDesk) Slice(s claim.Slice) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.store.PutSlice(s)
	if slices.ContainsFunc(s.Offers, func(o claim.Offer) bool { return o.IsGPU() }) {
		d.once.Do(func() { close(d.gpus) })
	}
}

// SliceGone takes that a slice is gone.
func (d *claimDesk) SliceGone(name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.store.DropSlice(name)
}

// SlicesSynced takes that all slices are known.
func (d *claimDesk) SlicesSynced() { d.own.answered(sourceSlices) }

// SlicesLost takes that slices can't be watched. What is known stays true.
func (d *claimDesk) SlicesLost(err error) { d.own.failed(sourceSlices, err) }

// Rule takes a rule that taints devices.
func (d *claimDesk) Rule(r claim.Rule) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.store.PutRule(r)
}

// RuleGone takes that a rule is gone.
func (d *claimDesk) RuleGone(name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.store.DropRule(name)
}

// RulesSynced takes that all rules are known.
func (d *claimDesk) RulesSynced() { d.own.answered(sourceRules) }

// RulesLost takes that rules can't be watched. What is known stays true.
func (d *claimDesk) RulesLost(err error) { d.own.failed(sourceRules, err) }

// watchRules watches the rules once the node has devices that they may taint.
func (d *claimDesk) watchRules(ctx context.Context, client kubernetes.Interface) {
	select {
	case <-ctx.Done():
	case <-d.gpus:
		apiserver.WatchRules(ctx, client, d)
	}
}

// lookUpClaims begins to read claims and to watch slices and rules, if that is
// wanted and possible.
func (r *nodeReceiver) lookUpClaims(ctx context.Context) {
	if r.claims == nil {
		return
	}
	r.own.uses(sourceClaims, sourceSlices, sourceRules)
	client, err := apiserver.New(r.cfg.api())
	if err != nil {
		r.own.failed(sourceClaims, err)
		r.own.failed(sourceSlices, err)
		return
	}
	told := &claimDesk{desk: r.desk, store: r.claims, gpus: make(chan struct{})}
	reader := apiserver.NewClaims(client, told)
	r.desk.mu.Lock()
	r.desk.readClaim = reader.Ask
	r.desk.mu.Unlock()
	r.done.Go(func() { reader.Run(ctx) })
	r.done.Go(func() { apiserver.WatchSlices(ctx, client, r.cfg.Node, told) })
	r.done.Go(func() { told.watchRules(ctx, client) })
}

// askForClaims asks for the claims of pods that aren't known. The caller holds
// the lock.
func (d *desk) askForClaims() {
	if d.readClaim == nil {
		return
	}
	for _, key := range d.book.ClaimsWanted() {
		d.readClaim(key)
	}
}
