// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package allocation

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/pod"
)

// fetch tells of all pods at once, as the kubelet's HTTPS endpoint does.
func (n *node) fetch(when float64, pods ...*pod.Pod) {
	n.Resync()
	for _, p := range pods {
		n.Pod(p, at(when), false)
	}
	n.Synced(at(when))
}

// seenAgain is a pod as a kubelet tells of it that started again.
func seenAgain(p *pod.Pod, when float64) *pod.Pod {
	out := *p
	out.Seen = at(when)
	return &out
}

// TestFetchedFromAKubeletThatStarts: for a moment it has no pods, and lists none.
// None of them ends, and none begins anew.
func TestFetchedFromAKubeletThatStarts(t *testing.T) {
	n := newNode(t, false)
	p := holder("a", 1.25)
	n.fetch(5, p)
	n.list(10, listed(p, uuid(0)))
	want := []string{"a/main " + uuid(0) + " exclusive since 1.25s"}
	require.Equal(t, want, n.set(10))
	n.Lost()
	n.ListFailed()
	require.Equal(t, []string{"doubt list_away"}, n.set(20))
	n.fetch(25)
	n.list(26)
	require.Equal(t, []string{"doubt pod_unlisted"}, n.set(26))
	n.fetch(30, seenAgain(p, 26))
	n.list(36, listed(p, uuid(0)))
	require.Equal(t, want, n.set(36))
	n.fetch(40)
	n.fetch(45, seenAgain(p, 26))
	n.fetch(50)
	n.list(51, listed(p, uuid(0)))
	require.Equal(t, want, n.set(51), "two answers in a row have to lack it")
}

// TestFetchedNoMore: a pod that two answers lack has ended at the newest that had
// it, if it was told of; it doesn't come back.
func TestFetchedNoMore(t *testing.T) {
	n := newNode(t, false)
	p, bare := holder("a", 1), holder("b", 1)
	n.fetch(5, p, bare)
	n.list(8, listed(p, uuid(0)))
	require.Len(t, n.set(8), 1)
	n.fetch(10, p)
	n.fetch(15)
	n.fetch(20)
	n.list(21)
	require.Equal(t, []string{"a/main " + uuid(0) + " ended 10s"}, n.set(21))
	n.fetch(25, p)
	n.list(30, listed(p, uuid(0)))
	require.Empty(t, n.set(30), "it stays ended")
}

// TestFetchedAfterItWasAway: lists had it until later than the endpoint.
func TestFetchedAfterItWasAway(t *testing.T) {
	n := newNode(t, false)
	p := holder("a", 1)
	n.fetch(5, p)
	n.list(10, listed(p, uuid(0)))
	n.set(10)
	n.Lost()
	n.list(100, listed(p, uuid(0)))
	require.Len(t, n.set(100), 1)
	n.fetch(105)
	n.fetch(110)
	n.list(111)
	require.Equal(t, []string{"a/main " + uuid(0) + " ended 1m39.9s"}, n.set(111))
}

// TestFetchedUnderItsName: a name is given again only once the pod is gone.
func TestFetchedUnderItsName(t *testing.T) {
	n := newNode(t, false)
	p, next := holder("a", 1), holder("b", 12)
	next.Name, p.Owner.Kind, next.Owner.Kind = p.Name, "StatefulSet", "StatefulSet"
	n.fetch(5, p)
	for _, when := range []float64{6, 10} {
		n.list(when, listed(p, uuid(0)))
		n.set(when)
	}
	n.fetch(15, next)
	n.list(20, listed(next, uuid(0)))
	require.Equal(t, []string{"doubt pod_newer", "a/main " + uuid(0) + " ended 9.9s"}, n.set(20))
	n.list(30, listed(next, uuid(0)))
	require.Equal(t, []string{"b/main " + uuid(0) + " exclusive since 12s"}, n.set(30))
}
