// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpuaccountingprocessor

import (
	"context"
	"fmt"
	"time"

	"go.uber.org/zap"

	"github.com/otelcol-gpu/otelcol-gpu/internal/audit"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/internal/ledger"
)

// giveUpAfter is how long writing the checkpoint may fail, by the collector's
// clock, before the streams are given up and new ones begin.
const giveUpAfter = time.Minute

// emptyRecord is the length of a batch that says nothing.
var emptyRecord = len(ledger.EncodeBatch(gpu.Batch{}))

// persist stores what the ledger holds, batch being the newest of it, and
// returns what of derived may be sent. Derived points are sent only if a ledger
// that knows them is stored, or if it is certain that none is stored: whatever
// happens next, a restart can't fall back behind them.
func (a *accounting) persist(ctx context.Context, batch gpu.Batch, derived gpu.Derived, publishes bool) gpu.Derived {
	k := &a.keeper
	ctx = context.WithoutCancel(ctx) // what was taken in is stored, whether its sender waits or not
	err := a.write(ctx, batch, isDue(derived))
	if err == nil {
		a.wellAgain()
		return derived
	}
	a.failed(err)
	if publishes && a.now().Sub(k.failing) >= giveUpAfter && a.delete(ctx) == nil {
		if k.anew {
			return derived
		}
		a.beginAnew(batch)
	}
	if isDue(derived) {
		a.own.count(publicationHeldBack)
	}
	return gpu.Derived{}
}

func isDue(d gpu.Derived) bool { return len(d.Accounts)+len(d.Outputs) > 0 }

// write appends batch to the journal, or stores the whole ledger if something
// is due or the journal asks for it.
func (a *accounting) write(ctx context.Context, batch gpu.Batch, due bool) error {
	store, begun := a.keeper.store, a.now()
	if due || store.WantsSave() {
		snapshot := a.snapshot()
		err := store.Save(ctx, snapshot)
		a.own.wrote("saved", len(snapshot), a.now().Sub(begun), err)
		return err
	}
	record := ledger.EncodeBatch(batch)
	if len(record) == emptyRecord {
		return nil
	}
	err := store.Append(ctx, record)
	a.own.wrote("appended", len(record), a.now().Sub(begun), err)
	return err
}

func (a *accounting) snapshot() []byte {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.prices.payload(a.ledger)
}

func (a *accounting) delete(ctx context.Context) error {
	begun := a.now()
	err := a.keeper.store.Delete(ctx)
	a.own.wrote("deleted", 0, a.now().Sub(begun), err)
	return err
}

// failed remembers since when writing fails, and tells so once.
func (a *accounting) failed(err error) {
	k := &a.keeper
	if k.failing.IsZero() {
		k.failing = a.now()
		a.own.set.Logger.Warn("the checkpoint can't be written: derived points are held back", zap.Error(err))
	}
	a.warn(fmt.Errorf("gpu_accounting: the checkpoint can't be written, derived points are held back: %w", err))
}

// beginAnew gives the streams up and begins new ones with batch.
func (a *accounting) beginAnew(batch gpu.Batch) {
	a.keeper.anew = true
	a.own.set.Logger.Warn("the checkpoint couldn't be written for a minute and is deleted: new streams begin at 0")
	a.mu.Lock()
	defer a.mu.Unlock()
	a.before = a.ledger.Counts().After(a.before) // they never fall
	a.ledger = ledger.New(a.settings)
	a.audit = audit.New()
	a.prices.beginAnew()
	a.ledger.Observe(batch)
}
