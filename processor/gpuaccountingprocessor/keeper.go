// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpuaccountingprocessor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/collector/extension/xextension/storage"
	"go.uber.org/zap"

	"github.com/otelcol-gpu/otelcol-gpu/internal/audit"
	"github.com/otelcol-gpu/otelcol-gpu/internal/checkpoint"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/internal/ledger"
	"github.com/otelcol-gpu/otelcol-gpu/internal/price"
)

// keeper holds the checkpoint of the ledger, if a storage is configured.
type keeper struct {
	storage *component.ID // nil: there is none
	id      component.ID  // of the processor
	claims  *claims
	bootID  func() string

	host  component.Host
	store *checkpoint.Store // nil: there is no storage, or it isn't open

	// What follows is guarded by accounting.writing.

	failing time.Time // since when writing fails, zero while it works
	anew    bool      // new streams began since then
	warned  bool      // the status says that something is wrong
}

func (k *keeper) claim() claim { return claim{*k.storage, k.id} }

// bootID returns the boot id of the machine, "" where the system tells none.
func bootID() string {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(id))
}

// open opens the checkpoint and has the ledger go on from it, if it can.
func (a *accounting) open(ctx context.Context, host component.Host) error {
	k := &a.keeper
	k.host = host
	if k.storage == nil {
		a.own.set.Logger.Warn("there is no storage: a restart begins new streams, and what wasn't published is lost",
			zap.String("remedy", "set storage to a storage extension, as file_storage"))
		return nil
	}
	client, err := k.client(ctx)
	if err != nil {
		return err
	}
	id := checkpoint.Identity{Boot: k.bootID(), Settings: a.meaning}
	store, outcome, err := checkpoint.Open(ctx, client, id, a.restore)
	k.store = store
	a.restored(outcome, err)
	return nil
}

// client returns the client of the storage that is configured.
func (k *keeper) client(ctx context.Context) (storage.Client, error) {
	of, found := k.host.GetExtensions()[*k.storage]
	if !found {
		return nil, fmt.Errorf("storage: there is no extension %s: configure it, and name it in service::extensions", k.storage)
	}
	extension, is := of.(storage.Extension)
	if !is {
		return nil, fmt.Errorf("storage: %s is no storage extension: set one, as file_storage", k.storage)
	}
	if err := k.claims.take(k.claim()); err != nil {
		return nil, err
	}
	client, err := extension.GetClient(ctx, component.KindProcessor, k.id, "")
	if err != nil {
		k.claims.release(k.claim())
		return nil, fmt.Errorf("storage: %s can't be opened for %s: %w: "+
			"is another collector using it, or may this one not write to it? "+
			"If it says invalid database, the file is damaged: move it away, and new streams begin (recreate: true of file_storage handles panics only)",
			k.storage, k.id, err)
	}
	return client, nil
}

// restore has the ledger go on from a checkpoint.
func (a *accounting) restore(c checkpoint.Content) error {
	saved, costs, err := split(c.Snapshot)
	var l *ledger.Ledger
	if err == nil {
		l, err = ledger.Restore(a.settings, saved)
	}
	for i := 0; err == nil && i < len(c.Records); i++ {
		var batch gpu.Batch
		if batch, err = ledger.DecodeBatch(c.Records[i]); err == nil {
			l.Observe(batch)
		}
	}
	if errors.Is(err, ledger.ErrNewerFormat) || errors.Is(err, price.ErrNewerFormat) {
		err = fmt.Errorf("%w: %w", checkpoint.ErrNewerFormat, err)
	}
	if err != nil {
		return fmt.Errorf("ledger: %w", err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.ledger = l
	a.audit = audit.New()
	if a.prices.file != "" && costs != nil {
		a.prices.costs = costs
	}
	return nil
}

// restored tells how the ledger began.
func (a *accounting) restored(outcome checkpoint.Outcome, err error) {
	a.own.restored(string(outcome))
	logger := a.own.set.Logger.With(zap.String("outcome", string(outcome)))
	switch outcome {
	case checkpoint.Resumed:
		logger.Info("the streams go on from the checkpoint")
	case checkpoint.Fresh, checkpoint.OtherBoot, checkpoint.OtherSettings:
		logger.Info("new streams begin at 0", zap.Error(err))
	default:
		logger.Warn("the checkpoint can't be used: new streams begin at 0", zap.Error(err))
		a.warn(fmt.Errorf("gpu_accounting: new streams begin at 0: %w", err))
	}
}

// warn reports once that something is wrong, until wellAgain.
func (a *accounting) warn(err error) {
	if k := &a.keeper; !k.warned {
		k.warned = true
		componentstatus.ReportStatus(k.host, componentstatus.NewRecoverableErrorEvent(err))
	}
}

func (a *accounting) wellAgain() {
	k := &a.keeper
	k.failing, k.anew = time.Time{}, false
	if k.warned {
		k.warned = false
		componentstatus.ReportStatus(k.host, componentstatus.NewEvent(componentstatus.StatusOK))
		a.prices.report(k.host)
	}
}

// close releases the checkpoint.
func (a *accounting) close(ctx context.Context) error {
	k := &a.keeper
	if k.store == nil {
		return nil
	}
	k.claims.release(k.claim())
	return k.store.Close(ctx)
}
