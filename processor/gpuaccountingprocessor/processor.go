// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpuaccountingprocessor

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/processor"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpupdata"
	"github.com/otelcol-gpu/otelcol-gpu/internal/ledger"
)

// maxAhead is how far a point's time may be ahead of the wall clock. It is the
// only use of a clock: everything else goes by the times of points.
const maxAhead = 5 * time.Minute

var errStopped = errors.New("gpu_accounting is shut down: the batch isn't accounted, send it again")

// accounting adds derived points to the batches that pass through. It has no
// goroutine and no timer: without batches nothing happens, and nothing is lost.
type accounting struct {
	next    consumer.Metrics
	decoder *gpupdata.Decoder
	forward gpupdata.Forward
	price   *gpu.Price
	now     func() time.Time
	own     *telemetry

	// order is held while a batch with derived points is under way, so that at
	// most one is. Batches that find it taken pass without derived points; what
	// was due then is due with the next one.
	order chan struct{}

	mu      sync.Mutex // guards what follows; never held while calling next
	ledger  *ledger.Ledger
	stopped bool
}

var _ processor.Metrics = (*accounting)(nil)

func newAccounting(
	set component.TelemetrySettings, cfg *Config, next consumer.Metrics, now func() time.Time,
) *accounting {
	forward, _ := gpupdata.ParseForward(cfg.ForwardInputs)
	return &accounting{
		next: next,
		decoder: gpupdata.NewDecoder(gpupdata.Settings{
			Outputs:         cfg.profiles(),
			LabelAllocation: cfg.Allocation == allocationLabels,
		}),
		forward: forward,
		price:   cfg.price(),
		now:     now,
		own:     newTelemetry(set, cfg.MaxAccounts),
		order:   make(chan struct{}, 1),
		ledger:  ledger.New(cfg.ledger()),
	}
}

// Capabilities says that batches are changed.
func (a *accounting) Capabilities() consumer.Capabilities {
	return consumer.Capabilities{MutatesData: true}
}

// Start registers the component's own telemetry.
func (a *accounting) Start(context.Context, component.Host) error {
	return a.own.start(a.observeSelf)
}

// ConsumeMetrics accounts for md, adds what is due to be published, and passes
// it on. An error of the next consumer is returned as it is: the batch may come
// again, which changes nothing, and what was due is due again.
func (a *accounting) ConsumeMetrics(ctx context.Context, md pmetric.Metrics) error {
	future := gpu.Time(a.now().Add(maxAhead).UnixNano())
	batch, drops := a.decoder.Decode(md, future)
	a.own.dropped(drops)
	a.decoder.Filter(md, a.forward)

	publishes := a.tryOrder()
	if publishes {
		defer a.leaveOrder()
	}
	derived, err := a.observe(batch, publishes)
	if err != nil {
		return err
	}
	return a.send(ctx, md, derived)
}

// tryOrder takes the order lock if it is free.
func (a *accounting) tryOrder() bool {
	select {
	case a.order <- struct{}{}:
		return true
	default:
		return false
	}
}

func (a *accounting) leaveOrder() { <-a.order }

// observe takes the batch in and returns what is due, if this batch may carry
// it.
func (a *accounting) observe(batch gpu.Batch, publishes bool) (gpu.Derived, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.stopped {
		return gpu.Derived{}, errStopped
	}
	a.ledger.Observe(batch)
	if !publishes {
		return gpu.Derived{}, nil
	}
	derived, _ := a.ledger.Due()
	return derived, nil
}

// send appends derived to md and passes it on.
func (a *accounting) send(ctx context.Context, md pmetric.Metrics, derived gpu.Derived) error {
	gpupdata.EncodeDerived(derived, a.price, md)
	if md.ResourceMetrics().Len() == 0 {
		return nil // all of it was input that isn't forwarded
	}
	err := a.next.ConsumeMetrics(ctx, md)
	if len(derived.Accounts)+len(derived.Outputs) == 0 {
		return err
	}
	a.own.published(err)
	if err == nil {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.ledger.Confirm(derived)
	}
	return err
}

// Shutdown settles everything with the evidence at hand and publishes it.
func (a *accounting) Shutdown(ctx context.Context) error {
	select {
	case a.order <- struct{}{}:
		defer a.leaveOrder()
	case <-ctx.Done():
		return fmt.Errorf("gpu_accounting: a batch is still under way: %w", ctx.Err())
	}
	derived, first := a.finish()
	if !first {
		return nil
	}
	return errors.Join(a.send(ctx, pmetric.NewMetrics(), derived), a.own.stop())
}

func (a *accounting) finish() (derived gpu.Derived, first bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.stopped {
		return gpu.Derived{}, false
	}
	a.stopped = true
	a.ledger.Finish()
	derived, _ = a.ledger.Due()
	return derived, true
}
