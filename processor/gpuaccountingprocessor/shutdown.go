// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpuaccountingprocessor

import (
	"context"
	"errors"
	"fmt"

	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// Shutdown publishes what may be published, and stores the rest.
func (a *accounting) Shutdown(ctx context.Context) error {
	if err := a.order.take(ctx); err != nil {
		return fmt.Errorf("gpu_accounting: a batch is still under way: %w", err)
	}
	defer a.order.leave()
	derived, first, err := a.finish(ctx)
	if !first {
		return err
	}
	sent := a.sendLast(ctx, derived)
	return errors.Join(err, sent, a.close(ctx), a.own.stop())
}

// finish takes no more batches and returns what is left to be published: with a
// checkpoint what is settled, since the rest is stored; else all there is.
func (a *accounting) finish(ctx context.Context) (derived gpu.Derived, first bool, err error) {
	if err := a.writing.take(ctx); err != nil {
		return gpu.Derived{}, false, fmt.Errorf("gpu_accounting: a batch is still being stored: %w", err)
	}
	defer a.writing.leave()
	derived, first = a.lastDue()
	k := &a.keeper
	if !first || k.store == nil {
		return derived, first, nil
	}
	if err = a.write(ctx, gpu.Batch{}, true); err == nil {
		return derived, true, nil
	}
	a.failed(err)
	if k.anew && a.delete(ctx) == nil {
		return a.settleAll(), true, err
	}
	return gpu.Derived{}, true, err
}

func (a *accounting) lastDue() (derived gpu.Derived, first bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.stopped {
		return gpu.Derived{}, false
	}
	a.stopped = true
	if a.keeper.store != nil {
		a.ledger.Flush()
	} else {
		a.ledger.Finish()
	}
	return a.due(), true
}

func (a *accounting) settleAll() gpu.Derived {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.ledger.Finish()
	return a.due()
}

// sendLast sends what is left, and stores that it was accepted.
func (a *accounting) sendLast(ctx context.Context, derived gpu.Derived) error {
	if !isDue(derived) {
		return nil
	}
	err := a.send(ctx, pmetric.NewMetrics(), derived)
	if err == nil && a.keeper.store != nil && a.keeper.failing.IsZero() {
		err = a.write(ctx, gpu.Batch{}, true)
	}
	return err
}
