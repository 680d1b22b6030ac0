// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package allocation

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/pod"
)

// evicted is a pod that the kubelet calls failed before it stops its containers.
func evicted(p *pod.Pod) *pod.Pod {
	out := *p
	out.Phase, out.Reason = pod.Failed, "Evicted"
	return &out
}

// TestEvictedHoldsUntilItStops: the containers have their grace period.
func TestEvictedHoldsUntilItStops(t *testing.T) {
	n := newNode(t, true).sync(0)
	p := holder("a", 1)
	n.pod(p, 1.5)
	n.list(10, listed(p, uuid(0)))
	want := []string{"a/main " + uuid(0) + " exclusive since 1s"}
	require.Equal(t, want, n.set(10))
	n.pod(evicted(p), 15)
	n.list(20, listed(p, uuid(0)))
	require.Equal(t, want, n.set(20), "its container runs")
	n.pod(finished(evicted(p), 45, pod.Failed), 45.2)
	n.list(50)
	require.Equal(t, []string{"a/main " + uuid(0) + " ended 45.2s"}, n.set(50))
}

// TestEvictedAndDeleted: the end of its containers wasn't told, and no set had
// it. It ran, so it wasn't rejected.
func TestEvictedAndDeleted(t *testing.T) {
	n := newNode(t, true).sync(0)
	p := holder("a", 11)
	p.Containers[0].Devices = []pod.Device{{Resource: "nvidia.com/gpu", ID: uuid(0)}}
	n.pod(p, 11.5)
	n.pod(evicted(p), 13)
	n.Gone("a", at(15))
	n.list(20)
	require.Equal(t, []string{"a/main " + uuid(0) + " ended 15s"}, n.set(20))
}

// TestEvictedWithInitDevices: nor does one lose them whose devices no source
// tells.
func TestEvictedWithInitDevices(t *testing.T) {
	n := newNode(t, true).sync(0)
	p := holder("a", 1)
	n.pod(p, 1.5)
	for i := range patience {
		n.list(float64(10*(i+1)), listed(p))
		n.set(float64(10 * (i + 1)))
	}
	n.pod(evicted(p), 35)
	n.list(40, listed(p))
	require.Equal(t, []string{"a/main nvidia.com/gpu/requested by a, 0 exclusive since 1s"}, n.set(40))
}
