// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package allocation

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/deviceid"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/pod"
)

// TestNodeIsKnownLater: what other objects say counts as soon as somebody has
// read them, though the pod was told before.
func TestNodeIsKnownLater(t *testing.T) {
	var around pod.Around
	n := &node{New(Config{
		Node: "n", Cluster: "c", Catalog: &deviceid.Catalog{}, Local: true,
		Around: func(*pod.Pod) pod.Around { return around },
	}), t}
	p := holder("a", 30)
	p.Created = at(2)
	n.sync(0).pod(p, 31)
	n.list(40, listed(p, uuid(0)))
	told := func(when float64) map[gpu.MilestoneName]gpu.Time {
		s := n.Set(at(when))
		out := map[gpu.MilestoneName]gpu.Time{}
		for _, m := range s.Milestones {
			out[m.Name] = m.At
		}
		return out
	}
	require.NotContains(t, told(40), gpu.NodeCreated)
	around = pod.Around{NodeCreated: at(9), Claims: []pod.ClaimTime{{Allocated: at(29)}}}
	require.Equal(t, at(9), told(50)[gpu.NodeCreated])
	require.Equal(t, at(29), told(50)[gpu.ClaimAllocated])
}
