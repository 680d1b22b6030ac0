// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package metadata

import (
	"context"
	"errors"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

// Telemetry is one reading of everything that the component says of itself.
type Telemetry struct {
	Accounts, AccountsLimit     int64
	HoldersRejected             int64
	OutputsSparse, PairsTrimmed int64
	PointsDropped               map[string]int64 // by reason
	Publications                map[string]int64 // by outcome
	Restores                    map[string]int64 // by outcome
	Writes                      map[string]int64 // of the checkpoint, by outcome
	WrittenBytes                int64
	WritingTime                 float64            // s
	SettleLag                   float64            // s
	TimeClamped, TimeOverlapped float64            // s
	TimeUnpriced                map[string]float64 // s, by reason
	PriceLoads                  map[string]int64   // of the price file, by outcome
}

type instruments struct {
	accounts, accountsLimit     metric.Int64ObservableGauge
	rejected, sparse, trimmed   metric.Int64ObservableCounter
	dropped, publications       metric.Int64ObservableCounter
	restores, writes, written   metric.Int64ObservableCounter
	writing                     metric.Float64ObservableCounter
	lag                         metric.Float64ObservableGauge
	timeClamped, timeOverlapped metric.Float64ObservableCounter
	unpriced                    metric.Float64ObservableCounter
	priceLoads                  metric.Int64ObservableCounter
}

// Register makes the component's own telemetry observable: read is called at
// every collection. The caller unregisters it at shutdown.
func Register(set component.TelemetrySettings, read func() Telemetry) (metric.Registration, error) {
	meter := set.MeterProvider.Meter(ScopeName)
	i, err := newInstruments(meter)
	if err != nil {
		return nil, err
	}
	return meter.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		i.observe(o, read())
		return nil
	}, i.accounts, i.accountsLimit, i.rejected, i.sparse, i.trimmed, i.dropped, i.publications,
		i.restores, i.writes, i.written, i.writing, i.lag, i.timeClamped, i.timeOverlapped, i.unpriced, i.priceLoads)
}

func (i *instruments) observe(o metric.Observer, t Telemetry) {
	o.ObserveInt64(i.accounts, t.Accounts)
	o.ObserveInt64(i.accountsLimit, t.AccountsLimit)
	o.ObserveInt64(i.rejected, t.HoldersRejected)
	o.ObserveInt64(i.sparse, t.OutputsSparse)
	o.ObserveInt64(i.trimmed, t.PairsTrimmed)
	o.ObserveFloat64(i.lag, t.SettleLag)
	o.ObserveFloat64(i.timeClamped, t.TimeClamped)
	o.ObserveFloat64(i.timeOverlapped, t.TimeOverlapped)
	o.ObserveInt64(i.written, t.WrittenBytes)
	o.ObserveFloat64(i.writing, t.WritingTime)
	observeBy(o, i.dropped, "reason", t.PointsDropped)
	observeBy(o, i.publications, "outcome", t.Publications)
	observeBy(o, i.restores, "outcome", t.Restores)
	observeBy(o, i.writes, "outcome", t.Writes)
	observeBy(o, i.priceLoads, "outcome", t.PriceLoads)
	for reason, s := range t.TimeUnpriced {
		o.ObserveFloat64(i.unpriced, s, metric.WithAttributes(attribute.String("reason", reason)))
	}
}

// observeBy observes one number per value of an attribute.
func observeBy(o metric.Observer, i metric.Int64Observable, attr string, numbers map[string]int64) {
	for value, n := range numbers {
		o.ObserveInt64(i, n, metric.WithAttributes(attribute.String(attr, value)))
	}
}

func newInstruments(meter metric.Meter) (*instruments, error) {
	var i instruments
	var errs error
	gauge := func(to *metric.Int64ObservableGauge, name, unit, description string) {
		var err error
		*to, err = meter.Int64ObservableGauge(name, metric.WithUnit(unit), metric.WithDescription(description))
		errs = errors.Join(errs, err)
	}
	counter := func(to *metric.Int64ObservableCounter, name, unit, description string) {
		var err error
		*to, err = meter.Int64ObservableCounter(name, metric.WithUnit(unit), metric.WithDescription(description))
		errs = errors.Join(errs, err)
	}
	seconds := func(to *metric.Float64ObservableCounter, name, description string) {
		var err error
		*to, err = meter.Float64ObservableCounter(name, metric.WithUnit("s"), metric.WithDescription(description))
		errs = errors.Join(errs, err)
	}
	gauge(&i.accounts, "otelcol_gpu_accounting_accounts", "{account}", "Accounts of devices and holders.")
	gauge(&i.accountsLimit, "otelcol_gpu_accounting_accounts_limit", "{account}", "The limit of accounts, max_accounts.")
	counter(&i.rejected, "otelcol_gpu_accounting_holders_rejected", "{holder}",
		"Holders whose time went to an overflow account, because there were max_accounts accounts.")
	counter(&i.sparse, "otelcol_gpu_accounting_outputs_sparse", "{point}",
		"Points of output counters that came later after the one before than their window is long; activity between them looks flat.")
	counter(&i.trimmed, "otelcol_gpu_accounting_pairs_trimmed", "{point}",
		"Sum pairs that said more than their interval has.")
	counter(&i.dropped, "otelcol_gpu_accounting_points_dropped", "{point}",
		"Points that counted for nothing, by reason.")
	counter(&i.publications, "otelcol_gpu_accounting_publications", "{batch}",
		"Batches with derived points, by outcome (accepted, failed, held_back).")
	counter(&i.restores, "otelcol_gpu_accounting_restores", "{restore}",
		"Starts with a storage, by what they found (fresh, resumed, other_boot, other_settings, corrupt, newer_format, unreadable).")
	counter(&i.writes, "otelcol_gpu_accounting_checkpoint_writes", "{write}",
		"Writes of the checkpoint, by outcome (saved, appended, deleted, failed).")
	counter(&i.written, "otelcol_gpu_accounting_checkpoint_bytes", "By",
		"Bytes written to the checkpoint.")
	seconds(&i.writing, "otelcol_gpu_accounting_checkpoint_time",
		"Time that writing the checkpoint took.")
	seconds(&i.timeClamped, "otelcol_gpu_accounting_time_clamped",
		"Held time that came too late to be booked on its holder.")
	seconds(&i.timeOverlapped, "otelcol_gpu_accounting_time_overlapped",
		"Time in which several exclusive holders had one device, and shared it equally.")
	counter(&i.priceLoads, "otelcol_gpu_accounting_price_loads", "{load}",
		"New contents of the price file, by outcome (loaded, failed).")
	seconds(&i.unpriced, "otelcol_gpu_accounting_time_unpriced",
		"Time that has no cost, by the reason for which no price was in force.")
	lag, err := meter.Float64ObservableGauge("otelcol_gpu_accounting_settle_lag", metric.WithUnit("s"),
		metric.WithDescription("Longest time by which the settled time of a device is behind the newest evidence of its node."))
	i.lag = lag
	return &i, errors.Join(errs, err)
}
