// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpuaccountingprocessor

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpupdata"
)

// TestNodesAndDemandPass: they are the report's, whatever is forwarded, and make
// no account.
func TestNodesAndDemandPass(t *testing.T) {
	for _, forward := range []string{"none", "device", "all"} {
		md := pmetric.NewMetrics()
		gpupdata.EncodeNodes([]gpu.Node{{Name: "n0", Cluster: "c0", Time: gpu.Earliest, Capacity: 8, Allocatable: 8}}, md)
		gpupdata.EncodeDemand([]gpu.Demand{{Cluster: "c0", Namespace: "ml", Time: gpu.Earliest, Count: 8}}, md)
		sink := new(consumertest.MetricsSink)
		cfg := testConfig()
		cfg.ForwardInputs = forward
		require.NoError(t, start(t, cfg, sink).ConsumeMetrics(t.Context(), md))
		require.ElementsMatch(t, []string{"gpu.node.capacity", "gpu.node.allocatable", "gpu.demand.pending"}, metricNames(sink), forward)
	}
}
