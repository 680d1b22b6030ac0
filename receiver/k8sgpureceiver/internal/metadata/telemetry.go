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
	Pods            int64
	MessagesRefused int64
	SourceUp        map[string]bool     // by source
	SourceFailures  map[[2]string]int64 // by source and reason
	Sets            map[string]int64    // by outcome
	Unresolved      map[string]int64    // devices, by reason

	ClockAhead            int64 // seconds
	ClockSteps            int64
	EndsDropped           int64
	MilestonesConflicting int64
	SourceChanges         int64
}

type instruments struct {
	pods, up, unresolved, ahead     metric.Int64ObservableGauge
	refused, failures, sets         metric.Int64ObservableCounter
	steps, ends, conflicts, changes metric.Int64ObservableCounter
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
	}, i.pods, i.up, i.unresolved, i.refused, i.failures, i.sets, i.ahead, i.steps, i.ends, i.conflicts, i.changes)
}

func (i *instruments) observe(o metric.Observer, t Telemetry) {
	o.ObserveInt64(i.pods, t.Pods)
	o.ObserveInt64(i.refused, t.MessagesRefused)
	o.ObserveInt64(i.ahead, t.ClockAhead)
	o.ObserveInt64(i.steps, t.ClockSteps)
	o.ObserveInt64(i.ends, t.EndsDropped)
	o.ObserveInt64(i.conflicts, t.MilestonesConflicting)
	o.ObserveInt64(i.changes, t.SourceChanges)
	for source, up := range t.SourceUp {
		value := int64(0)
		if up {
			value = 1
		}
		o.ObserveInt64(i.up, value, metric.WithAttributes(attribute.String("source", source)))
	}
	for key, n := range t.SourceFailures {
		o.ObserveInt64(i.failures, n, metric.WithAttributes(attribute.String("source", key[0]), attribute.String("reason", key[1])))
	}
	for outcome, n := range t.Sets {
		o.ObserveInt64(i.sets, n, metric.WithAttributes(attribute.String("outcome", outcome)))
	}
	for reason, n := range t.Unresolved {
		o.ObserveInt64(i.unresolved, n, metric.WithAttributes(attribute.String("reason", reason)))
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
	gauge(&i.pods, "otelcol_k8s_gpu_pods", "{pod}", "Pods of the node that are followed.")
	gauge(&i.up, "otelcol_k8s_gpu_source_up", "1", "Whether the source answers.")
	gauge(&i.unresolved, "otelcol_k8s_gpu_devices_unresolved", "{device}",
		"Devices of the newest set whose UUID or share isn't known, or that aren't accounted, by reason.")
	gauge(&i.ahead, "otelcol_k8s_gpu_clock_ahead", "s", "How far batches are dated ahead of the wall clock, which was set back.")
	counter(&i.steps, "otelcol_k8s_gpu_clock_steps", "{step}", "Times that the wall clock was set back.")
	counter(&i.ends, "otelcol_k8s_gpu_ends_dropped", "{pod}", "Pods whose end wasn't told because no batch was accepted for too long.")
	counter(&i.conflicts, "otelcol_k8s_gpu_milestones_conflicting", "{milestone}",
		"News of milestones that contradict what was told before, and count for nothing.")
	counter(&i.changes, "otelcol_k8s_gpu_source_changes", "{change}", "Times that the pods were taken from another source.")
	counter(&i.refused, "otelcol_k8s_gpu_messages_refused", "{message}",
		"Messages about pods that couldn't be read.")
	counter(&i.failures, "otelcol_k8s_gpu_source_failures", "{failure}",
		"Times that a source gave no answer, by source and reason.")
	counter(&i.sets, "otelcol_k8s_gpu_sets", "{set}",
		"Collections, by whether there was a complete allocation set (complete), and else by why not.")
	return &i, errs
}
