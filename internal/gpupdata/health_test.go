// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpupdata

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

func encodeHealth(nodes ...NodeHealth) pmetric.Metrics {
	md := pmetric.NewMetrics()
	EncodeHealth(nodes, md)
	return md
}

var standing0 = gpu.NodeStanding{Node: "n0", Start: at(0), Time: at(60)}

func TestEncodeHealth(t *testing.T) {
	wrong, coverage := -3*time.Nanosecond, 0.75
	md := encodeHealth(NodeHealth{
		NodeStanding: gpu.NodeStanding{
			Node: "n0", Cluster: "c0", Start: at(0), Time: at(60), Lag: 25 * time.Second,
			Clamped: 1500 * time.Millisecond, New: true,
		},
		Error: &wrong, Coverage: &coverage,
	}, NodeHealth{NodeStanding: gpu.NodeStanding{Node: "n1", Cluster: "c0", Start: at(0), Time: at(60)}})
	require.Equal(t, 2, md.ResourceMetrics().Len())
	rm := md.ResourceMetrics().At(0)
	require.Equal(t, attrs{"k8s.cluster.name": "c0", "k8s.node.name": "n0"}, rm.Resource().Attributes().AsRaw())
	require.Equal(t, ScopeName, rm.ScopeMetrics().At(0).Scope().Name())

	own := attrs{"k8s.node.name": "n0"}
	require.Equal(t, []plainPoint{{own, 0, at(60), -3e-9}}, plainPoints(t, md, "gpu.ledger.error"))
	require.Equal(t, []plainPoint{{own, 0, at(60), 25}}, plainPoints(t, md, "gpu.ledger.lag"))
	require.Equal(t, []plainPoint{{own, 0, at(60), 0.75}}, plainPoints(t, md, "gpu.ledger.coverage"))
	require.Equal(t, []plainPoint{{own, at(0), at(0), 0}, {own, at(0), at(60), 1.5}},
		plainPoints(t, md, "gpu.ledger.clamped"))
	for key := range counterSeries(t, md) { // a sum that only rises
		require.Contains(t, key, "gpu.ledger.clamped")
	}
}

// What isn't known is not 0: it has no point.
func TestEncodeHealthOfTheUnknown(t *testing.T) {
	md := encodeHealth(NodeHealth{NodeStanding: standing0})
	require.Equal(t, []string{"gpu.ledger.lag", "gpu.ledger.clamped"}, names(md))
	none := 0.0
	var exact time.Duration
	md = encodeHealth(NodeHealth{NodeStanding: standing0, Error: &exact, Coverage: &none})
	require.Equal(t, 4, md.DataPointCount())
}

// The ledger's own figures are derived: nobody reads them as an input.
func TestHealthIsDerived(t *testing.T) {
	md := encodeHealth(NodeHealth{NodeStanding: standing0})
	_, drops := NewDecoder(Settings{}).Decode(md, gpu.NoTime)
	require.Equal(t, Drops{DropDerived: 2}, drops)
	derived, _, drops := DecodeDerived(md)
	require.Nil(t, drops)
	require.Empty(t, derived)
}
