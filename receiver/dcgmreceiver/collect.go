// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package dcgmreceiver

import (
	"context"

	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpupdata"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/session"
)

const (
	// sourceName is the receiver's, in gpu.source.
	sourceName = "dcgm"
	// format is the name of the encoding, for the collector's own telemetry.
	format = "dcgm"
	// mostUnsent is how many refused batches are kept.
	mostUnsent = 8
)

// collect sends one batch. Whatever is away, there is one.
func (r *dcgmReceiver) collect(ctx context.Context, state session.State) {
	r.own.look()
	at := r.now()
	accounts := r.session.Read()
	r.own.collected(accounts, state, at)
	batch := r.encode(accounts, state, at)
	var again []pmetric.Metrics
	all := pmetric.NewMetrics()
	for _, md := range append(r.unsent, batch) {
		if tellsEnd(md) {
			again = append(again, copied(md))
		}
		md.ResourceMetrics().MoveAndAppendTo(all.ResourceMetrics())
	}
	if r.send(ctx, all) == nil {
		again = nil
	}
	// Sums tell at the next collection what they would have told now; an end is
	// told once.
	r.unsent = again[max(0, len(again)-mostUnsent):]
}

func (r *dcgmReceiver) send(ctx context.Context, md pmetric.Metrics) error {
	ctx = r.obs.StartMetricsOp(ctx)
	points := md.DataPointCount()
	err := r.next.ConsumeMetrics(ctx, md)
	r.obs.EndMetricsOp(ctx, format, points, err)
	return err
}

func copied(md pmetric.Metrics) pmetric.Metrics {
	out := pmetric.NewMetrics()
	md.CopyTo(out)
	return out
}

// encode writes what is known as points.
func (r *dcgmReceiver) encode(accounts []session.Account, state session.State, at gpu.Time) pmetric.Metrics {
	md := gpupdata.EncodeDevices(r.writer.Batch(accounts, at, state.Up()), r.writer.Describe(accounts), r.writer.Readings(accounts))
	gpupdata.EncodeSources([]gpupdata.Source{{
		Name: sourceName, Node: r.cfg.Node, Cluster: r.cfg.ClusterName, Time: at, Up: state.Up(), Reason: string(state.Reason),
	}}, gpu.Node{}, md)
	if len(r.disabled) > 0 {
		leaveOut(md, r.disabled)
	}
	return md
}

// leaveOut removes metrics by name, and resources that had no others.
func leaveOut(md pmetric.Metrics, disabled map[string]bool) {
	md.ResourceMetrics().RemoveIf(func(rm pmetric.ResourceMetrics) bool {
		rm.ScopeMetrics().RemoveIf(func(sm pmetric.ScopeMetrics) bool {
			sm.Metrics().RemoveIf(func(m pmetric.Metric) bool { return disabled[m.Name()] })
			return sm.Metrics().Len() == 0
		})
		return rm.ScopeMetrics().Len() == 0
	})
}

// tellsEnd reports whether a point of a batch ends its series.
func tellsEnd(md pmetric.Metrics) bool {
	for _, rm := range md.ResourceMetrics().All() {
		for _, sm := range rm.ScopeMetrics().All() {
			for _, m := range sm.Metrics().All() {
				for _, p := range pointsOf(m).All() {
					if p.Flags().NoRecordedValue() {
						return true
					}
				}
			}
		}
	}
	return false
}

func pointsOf(m pmetric.Metric) pmetric.NumberDataPointSlice {
	switch m.Type() {
	case pmetric.MetricTypeGauge:
		return m.Gauge().DataPoints()
	case pmetric.MetricTypeSum:
		return m.Sum().DataPoints()
	default:
		return pmetric.NewNumberDataPointSlice()
	}
}
