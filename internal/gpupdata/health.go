// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpupdata

import (
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

var (
	specLedgerError = &metricSpec{
		MetricLedgerError, "s", "What the points of gpu.time in this batch add up to, less the time that passed; of the worst device.", gauges,
	}
	specLedgerLag = &metricSpec{
		MetricLedgerLag, "s", "Time by which the slowest device is behind the newest evidence.", gauges,
	}
	specLedgerCoverage = &metricSpec{
		MetricLedgerCoverage, "1", "Part of the time settled since the send before that isn't unobserved.", gauges,
	}
	specLedgerClamped = &metricSpec{
		MetricLedgerClamped, "s", "Held time that came too late to be booked on its holder.", counters,
	}
)

// NodeHealth says how far the account of a node can be trusted.
type NodeHealth struct {
	gpu.NodeStanding
	// Error is what the self-check of a send found, of its devices the one with
	// the largest absolute value. Nil: no device could be checked.
	Error *time.Duration
	// Coverage is a share of the time that was settled since the last accepted
	// send, in [0, 1]. Nil: none was.
	Coverage *float64
}

// EncodeHealth appends what the ledger says of itself to dest: a resource for
// each node. What isn't known has no point.
func EncodeHealth(nodes []NodeHealth, dest pmetric.Metrics) {
	for i := range nodes {
		n := &nodes[i]
		rm, w := newResource(dest, ScopeName)
		putPlace(rm.Resource().Attributes(), place{n.Cluster, n.Node})
		base := pcommon.NewMap()
		put(base, AttrNodeName, n.Node)
		s := series{writer: w, base: base, time: n.Time}
		if n.Error != nil {
			s.gauge(specLedgerError, seconds(*n.Error))
		}
		s.gauge(specLedgerLag, seconds(n.Lag))
		if n.Coverage != nil {
			s.gauge(specLedgerCoverage, *n.Coverage)
		}
		s.sum(specLedgerClamped, n.Start, seconds(n.Clamped), n.New)
	}
}
