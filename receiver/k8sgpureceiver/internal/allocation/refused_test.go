// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package allocation

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/pod"
)

// TestNobodyTakesTheEnds for days: the oldest are dropped, and counted.
func TestNobodyTakesTheEnds(t *testing.T) {
	n := newNode(t, true).sync(0)
	const all = mostUntold + 1000
	for i := range all {
		when := float64(i) * 2
		p := holder(fmt.Sprintf("u%d", i), when)
		p.Containers[0].Devices = []pod.Device{{Resource: "nvidia.com/gpu", ID: uuid(i % 8)}}
		n.pod(p, when+0.1)
		n.pod(finished(p, when+1, pod.Succeeded), when+1.1)
		n.Gone(p.UID, at(when+1.15))
		if i%500 == 0 {
			n.list(when + 1.18)
			n.Set(at(when + 1.19)) // refused
		}
	}
	n.list(2 * all)
	got := n.set(2 * all)
	require.Len(t, got, mostUntold)
	newest := n.lives[fmt.Sprintf("u%d", all-1)]
	require.NotNil(t, newest)
	require.True(t, newest.told, "the oldest are dropped")
	require.Equal(t, all-mostUntold, n.Counts().EndsDropped)
	require.LessOrEqual(t, n.Len(), mostUntold)
	n.pod(holder("u0", 1), 2*all+1)
	require.Empty(t, n.set(2*all+2), "it doesn't come back")
}
