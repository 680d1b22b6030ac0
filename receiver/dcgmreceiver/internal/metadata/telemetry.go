// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package metadata

import (
	"context"
	"errors"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

// Telemetry is one reading of what the component says of itself.
type Telemetry struct {
	EngineUp   bool
	Reconnects int64
	Failures   map[string]int64 // by reason
	Devices    map[string]int64 // by state
	Unusable   map[string]int64 // entities, by reason
	Dropped    map[string]int64 // samples, by reason
	Events     map[string]int64 // by event
	Coverage   float64
	Covered    bool // there are devices that could be covered
	Age        time.Duration
	Aged       bool // there are devices that have samples
}

// Meter is what the component says of itself while it works.
type Meter struct {
	calls           metric.Float64Histogram
	coverage, age   metric.Float64ObservableGauge
	up              metric.Int64ObservableGauge
	devices         metric.Int64ObservableGauge
	unusable        metric.Int64ObservableGauge
	reconnects      metric.Int64ObservableCounter
	failures        metric.Int64ObservableCounter
	dropped, events metric.Int64ObservableCounter
	registration    metric.Registration
}

// Register makes the component's own telemetry observable: read is called at
// every collection of it. The caller unregisters it at shutdown.
func Register(set component.TelemetrySettings, read func() Telemetry) (*Meter, error) {
	meter := set.MeterProvider.Meter(ScopeName)
	m, err := newMeter(meter)
	if err != nil {
		return nil, err
	}
	m.registration, err = meter.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		m.observe(o, read())
		return nil
	}, m.coverage, m.age, m.up, m.devices, m.unusable, m.reconnects, m.failures, m.dropped, m.events)
	return m, err
}

// Unregister ends what Register began.
func (m *Meter) Unregister() error { return m.registration.Unregister() }

// Called records how long a call of the engine took.
func (m *Meter) Called(ctx context.Context, call string, took time.Duration) {
	m.calls.Record(ctx, took.Seconds(), metric.WithAttributes(attribute.String("call", call)))
}

func (m *Meter) observe(o metric.Observer, t Telemetry) {
	up := int64(0)
	if t.EngineUp {
		up = 1
	}
	o.ObserveInt64(m.up, up)
	o.ObserveInt64(m.reconnects, t.Reconnects)
	if t.Covered {
		o.ObserveFloat64(m.coverage, t.Coverage)
	}
	if t.Aged {
		o.ObserveFloat64(m.age, t.Age.Seconds())
	}
	by := func(what metric.Int64Observable, key string, counts map[string]int64) {
		for value, n := range counts {
			o.ObserveInt64(what, n, metric.WithAttributes(attribute.String(key, value)))
		}
	}
	by(m.devices, "state", t.Devices)
	by(m.unusable, "reason", t.Unusable)
	by(m.failures, "reason", t.Failures)
	by(m.dropped, "reason", t.Dropped)
	by(m.events, "event", t.Events)
}

// callBounds are in seconds: DCGM answers within milliseconds, and gives up
// after a minute.
var callBounds = []float64{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60}

func newMeter(meter metric.Meter) (*Meter, error) {
	var m Meter
	var errs []error
	var err error
	m.calls, err = meter.Float64Histogram("otelcol_dcgm_call_duration", metric.WithUnit("s"),
		metric.WithDescription("How long the host engine took to answer, by call."), metric.WithExplicitBucketBoundaries(callBounds...))
	errs = append(errs, err)
	double := func(to *metric.Float64ObservableGauge, name, unit, description string) {
		*to, err = meter.Float64ObservableGauge(name, metric.WithUnit(unit), metric.WithDescription(description))
		errs = append(errs, err)
	}
	gauge := func(to *metric.Int64ObservableGauge, name, unit, description string) {
		*to, err = meter.Int64ObservableGauge(name, metric.WithUnit(unit), metric.WithDescription(description))
		errs = append(errs, err)
	}
	counter := func(to *metric.Int64ObservableCounter, name, unit, description string) {
		*to, err = meter.Int64ObservableCounter(name, metric.WithUnit(unit), metric.WithDescription(description))
		errs = append(errs, err)
	}
	double(&m.coverage, "otelcol_dcgm_coverage", "1", "Part of the last minute that valid samples of all devices cover.")
	double(&m.age, "otelcol_dcgm_sample_age", "s", "Age of the newest sample of the device that has been silent longest.")
	gauge(&m.up, "otelcol_dcgm_engine_up", "1", "Whether the host engine gives samples.")
	gauge(&m.devices, "otelcol_dcgm_devices", "{device}", "Devices, by their state.")
	gauge(&m.unusable, "otelcol_dcgm_entities_unusable", "{entity}",
		"GPUs and MIG instances that the host engine lists, but that can't be accounted, by reason.")
	counter(&m.reconnects, "otelcol_dcgm_reconnects", "{connection}", "Connections to the host engine after the first.")
	counter(&m.failures, "otelcol_dcgm_engine_failures", "{failure}", "Times that the host engine gave nothing any more, by reason.")
	counter(&m.dropped, "otelcol_dcgm_samples_dropped", "{sample}", "Samples that aren't values, by reason.")
	counter(&m.events, "otelcol_dcgm_sample_events", "{event}", "What was seen in samples and corrected, by event.")
	return &m, errors.Join(errs...)
}
