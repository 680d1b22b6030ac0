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

	"github.com/otelcol-gpu/otelcol-gpu/internal/audit"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpupdata"
	"github.com/otelcol-gpu/otelcol-gpu/internal/ledger"
	"github.com/otelcol-gpu/otelcol-gpu/internal/profile"
)

// maxAhead is how far a point's time may be ahead of the wall clock. Nothing
// that is accounted goes by a clock: only this, and how long a storage fails.
const maxAhead = 5 * time.Minute

var errStopped = errors.New("gpu_accounting is shut down: the batch isn't accounted, send it again")

// accounting adds derived points to the batches that pass through. It has no
// goroutine and no timer: without batches nothing happens, and nothing is lost.
type accounting struct {
	next    consumer.Metrics
	decoder *gpupdata.Decoder
	forward gpupdata.Forward
	now     func() time.Time
	own     *telemetry

	settings ledger.Config
	meaning  string // of the sums, see Config.meaning

	// order is held while a batch with derived points is under way, so that at
	// most one is. Batches that find it taken pass without derived points; what
	// was due then is due with the next one.
	order  turn
	audit  *audit.Audit          // of its sends; guarded by order
	tamper func(pmetric.Metrics) // tests plant faults with it, nil else

	// writing is held while a batch is taken in and stored, so that the journal
	// has the order in which the ledger saw them. It is never held while calling
	// next. Where two are held, the order is: order, writing, mu.
	writing turn
	keeper  keeper
	prices  prices

	mu      sync.Mutex // guards what follows; never held while calling next
	ledger  *ledger.Ledger
	before  ledger.Counts // of the ledgers whose place it took
	stopped bool
}

var _ processor.Metrics = (*accounting)(nil)

func newAccounting(
	set component.TelemetrySettings, cfg *Config, next consumer.Metrics, now func() time.Time,
) *accounting {
	forward, _ := gpupdata.ParseForward(cfg.ForwardInputs)
	own := newTelemetry(set, cfg.MaxAccounts)
	return &accounting{
		next: next,
		decoder: gpupdata.NewDecoder(gpupdata.Settings{
			Outputs:         cfg.outputs(),
			Profiles:        profile.Metrics(cfg.Profiles, cfg.EvidenceWindow),
			LabelAllocation: cfg.Allocation == allocationLabels,
			Instances:       gpupdata.NewInstances(cfg.MaxGap),
			Exporter:        gpupdata.NewExporterMemory(cfg.MaxGap, own.refused),
		}),
		forward: forward,
		now:     now,
		own:     own,

		settings: cfg.ledger(),
		meaning:  cfg.meaning(),
		order:    newTurn(),
		audit:    audit.New(),
		writing:  newTurn(),
		keeper:   keeper{storage: cfg.Storage},
		prices:   newPrices(cfg),
		ledger:   ledger.New(cfg.ledger()),
	}
}

// Capabilities says that batches are changed.
func (a *accounting) Capabilities() consumer.Capabilities {
	return consumer.Capabilities{MutatesData: true}
}

// Start opens the checkpoint and registers the component's own telemetry.
func (a *accounting) Start(ctx context.Context, host component.Host) error {
	if err := a.open(ctx, host); err != nil {
		return fmt.Errorf("gpu_accounting: %w", err)
	}
	a.reload()
	return a.own.start(a.observeSelf)
}

// ConsumeMetrics accounts for md, adds what is due to be published, and passes
// it on. An error of the next consumer is returned as it is: the batch may come
// again, which changes nothing, and what was due is due again.
func (a *accounting) ConsumeMetrics(ctx context.Context, md pmetric.Metrics) error {
	future := gpu.Time(a.now().Add(maxAhead).UnixNano())
	batch, drops := a.decoder.Decode(md, future)
	a.own.dropped(drops)
	hosts := a.prices.hosts(md)
	a.decoder.Filter(md, a.forward)

	publishes := a.order.try()
	if publishes {
		defer a.order.leave()
	}
	derived, err := a.take(ctx, batch, hosts, publishes)
	if err != nil {
		return err
	}
	return a.send(ctx, md, derived)
}

// take takes the batch in, stores it, and returns what may be sent with it.
func (a *accounting) take(
	ctx context.Context, batch gpu.Batch, hosts []gpu.Node, publishes bool,
) (gpu.Derived, error) {
	if err := a.writing.take(ctx); err != nil {
		return gpu.Derived{}, fmt.Errorf("gpu_accounting: the batch isn't accounted, another is still being stored: %w", err)
	}
	defer a.writing.leave()
	a.reload()
	derived, err := a.observe(batch, hosts, publishes)
	if err != nil || a.keeper.store == nil {
		return derived, err
	}
	return a.persist(ctx, batch, derived, publishes), nil
}

// observe takes the batch in and returns what is due, if this batch may carry
// it.
func (a *accounting) observe(batch gpu.Batch, hosts []gpu.Node, publishes bool) (gpu.Derived, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.stopped {
		return gpu.Derived{}, errStopped
	}
	a.ledger.Observe(batch)
	a.prices.learn(hosts)
	if !publishes {
		return gpu.Derived{}, nil
	}
	return a.due(), nil
}

// send appends derived to md and passes it on.
func (a *accounting) send(ctx context.Context, md pmetric.Metrics, derived gpu.Derived) error {
	if isDue(derived) {
		a.encode(derived).ResourceMetrics().MoveAndAppendTo(md.ResourceMetrics())
	}
	if md.ResourceMetrics().Len() == 0 {
		return nil // all of it was input that isn't forwarded
	}
	err := a.next.ConsumeMetrics(ctx, md)
	if !isDue(derived) {
		return err
	}
	a.own.published(err)
	if err == nil {
		a.audit.Accept()
		a.mu.Lock()
		defer a.mu.Unlock()
		a.ledger.Confirm(derived)
		a.prices.confirm(derived, a.ledger)
	}
	return err
}
