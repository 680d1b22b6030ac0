// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpuaccountingprocessor

import (
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-gpu/otelcol-gpu/internal/audit"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpupdata"
)

// encode returns derived as points, and what the self-check says of them.
func (a *accounting) encode(derived gpu.Derived) pmetric.Metrics {
	md := pmetric.NewMetrics()
	gpupdata.EncodeDerived(derived, md)
	if a.settings.Labels {
		flagWeaker(md)
	}
	if a.tamper != nil {
		a.tamper(md)
	}
	nodes := a.check(md, derived)
	for i := range nodes {
		a.own.checked(&nodes[i])
	}
	gpupdata.EncodeHealth(nodes, md)
	return md
}

// flagWeaker says on the resources that the holders are those that labels named.
func flagWeaker(md pmetric.Metrics) {
	for _, rm := range md.ResourceMetrics().All() {
		rm.Resource().Attributes().PutStr(gpupdata.AttrAllocationSource, allocationLabels)
	}
}

// check compares the points that leave with what the ledger settled, and
// returns what is to be said of every node that derived has.
func (a *accounting) check(md pmetric.Metrics, derived gpu.Derived) []gpupdata.NodeHealth {
	sent, _ := gpupdata.DecodeTime(md) // a point that can't be read is missing
	wrong, coverage := a.audit.Check(sent, derived.Spans), a.audit.Coverage()
	health := make([]gpupdata.NodeHealth, 0, len(derived.Nodes))
	for _, n := range derived.Nodes {
		of := audit.Node{Name: n.Node, Cluster: n.Cluster}
		h := gpupdata.NodeHealth{NodeStanding: n}
		if e, known := wrong[of]; known {
			h.Error = &e
		}
		if c, known := coverage[of]; known {
			h.Coverage = &c
		}
		health = append(health, h)
	}
	return health
}
