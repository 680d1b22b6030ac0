// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package k8sgpureceiver

import (
	"context"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/apiserver"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/claim"
)

// claimDesk is where news of claims and slices arrive: it writes them into the
// store that the book reads.
type claimDesk struct {
	*desk
	store *claim.Store // under the desk's lock
}

var _ apiserver.ClaimSink = (*claimDesk)(nil)

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

// lookUpClaims begins to read claims and to watch slices, if that is wanted and
// possible.
func (r *nodeReceiver) lookUpClaims(ctx context.Context) {
	if r.claims == nil {
		return
	}
	r.own.uses(sourceClaims, sourceSlices)
	client, err := apiserver.New(r.cfg.api())
	if err != nil {
		r.own.failed(sourceClaims, err)
		r.own.failed(sourceSlices, err)
		return
	}
	told := &claimDesk{r.desk, r.claims}
	reader := apiserver.NewClaims(client, told)
	r.desk.mu.Lock()
	r.desk.readClaim = reader.Ask
	r.desk.mu.Unlock()
	r.done.Go(func() { reader.Run(ctx) })
	r.done.Go(func() { apiserver.WatchSlices(ctx, client, r.cfg.Node, told) })
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
