// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package allocation

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/pod"
)

// TestLastingDoubtCostsThreeSets, not three of four, and gives nobody's devices
// to the pod that had the name.
func TestLastingDoubtCostsThreeSets(t *testing.T) {
	n := newNode(t, false).sync(0)
	steady, old := holder("a", 1), holder("b", 1)
	n.pod(steady, 1.5)
	n.pod(old, 1.5)
	n.list(10, listed(steady, uuid(0)), listed(old, uuid(1)))
	require.Len(t, n.set(10), 2)
	for i := range 6 {
		when := float64(10 * (i + 2))
		n.list(when, listed(steady, uuid(0)), listed(old, uuid(2)))
		switch got := n.set(when); {
		case i < patience:
			require.Equal(t, []string{"doubt devices_changed"}, got, when)
		case i == patience:
			require.Equal(t, []string{"a/main " + uuid(0) + " exclusive since 1s", "b/main " + uuid(1) + " ended 9.9s"}, got)
		default:
			require.Equal(t, []string{"a/main " + uuid(0) + " exclusive since 1s"}, got, when)
		}
		require.Equal(t, i >= patience, len(n.left) == 1, when)
	}
}

// TestListedOneWayThenAnother: a list has no two days the same for a pod.
func TestListedOneWayThenAnother(t *testing.T) {
	n := newNode(t, true).sync(0)
	steady, other := holder("a", 1), holder("b", 1)
	n.pod(steady, 1.5)
	n.pod(other, 1.5)
	for i := range 8 {
		when := float64(10 * (i + 1))
		n.List([]Listed{listed(steady, uuid(0)), listed(other, uuid(1))}, at(when-0.2))
		n.List([]Listed{listed(steady, uuid(0)), listed(other)}, at(when-0.1))
		want := []string{"doubt list_unsettled"}
		if i >= patience {
			want = []string{"a/main " + uuid(0) + " exclusive since 1s"}
		}
		require.Equal(t, want, n.set(when), when)
	}
}

// TestStatusSaysWhose: it has the UID, a list only a name.
func TestStatusSaysWhose(t *testing.T) {
	n := newNode(t, true).sync(0)
	p := holder("a", 1)
	p.Containers[0].Devices = []pod.Device{{Resource: "nvidia.com/gpu", ID: uuid(0)}}
	n.pod(p, 10.1)
	n.list(10, listed(p, uuid(0)))
	require.Len(t, n.set(10.2), 1, "though the pod is younger than the list")
	n.list(20, listed(p, uuid(1)))
	require.Equal(t, []string{"doubt devices_changed"}, n.set(20))
}

// TestNamesThatAreGivenAgain are listed twice before that says whose devices it
// are: the API server's news are older than a list.
func TestNamesThatAreGivenAgain(t *testing.T) {
	n := newNode(t, false).sync(0)
	p := holder("a", 1)
	p.Owner.Kind = "StatefulSet"
	n.pod(p, 1.5)
	n.list(10, listed(p, uuid(0)))
	require.Equal(t, []string{"doubt pod_newer"}, n.set(10))
	n.list(20, listed(p, uuid(0)))
	require.Len(t, n.set(20), 1)
	next := holder("b", 21)
	next.Owner.Kind = "StatefulSet"
	n.pod(next, 21.5)
	n.Lost()
	for i, when := range []float64{30, 40, 50, 60, 70} {
		n.list(when, listed(p, uuid(0)), listed(next, uuid(1)))
		require.Equal(t, i < patience, n.set(when)[0] == "doubt pod_unknown", "it may be another by now")
	}
	n.Synced(at(75))
	n.list(80, listed(p, uuid(0)), listed(next, uuid(1)))
	n.set(80)
	n.list(90, listed(p, uuid(0)), listed(next, uuid(1)))
	require.Len(t, n.set(90), 2)
}

// TestPropOnePodHoldsNothingBack: whatever the sources say of one pod, the
// others' set is sent within a few collections, and has them.
func TestPropOnePodHoldsNothingBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := New(Config{Node: "n", Catalog: newNode(nil, true).cfg.Catalog, Local: rapid.Bool().Draw(t, "local")})
		steady := holder("steady", 1)
		b.Pod(steady, at(1.5), true)
		b.Synced(at(2))
		without := 0
		for i := range 40 {
			when := float64(10 * (i + 1))
			oddNews(t, b, when)
			for _, before := range []float64{0.2, 0.1} {
				list := []Listed{listed(steady, uuid(0))}
				b.List(append(list, oddList(t)...), at(when-before))
			}
			s := b.Set(at(when))
			b.Sent(&s)
			if without++; s.Doubt == Certain {
				without = 0
				if !slices.ContainsFunc(s.Allocations, func(a gpu.Allocation) bool { return a.Holder.PodUID == "steady" }) {
					t.Fatalf("at %v the set lacks the other pod", when)
				}
			}
			if without > 2*patience {
				t.Fatalf("at %v no set for %d collections: %s", when, without, s.Doubt)
			}
		}
	})
}

// oddNews tells anything of a pod with one name.
func oddNews(t *rapid.T, b *Book, when float64) {
	uid := rapid.SampledFrom([]string{"x", "y", "z"}).Draw(t, "uid")
	p := holder(uid, when-5)
	p.Name = "odd"
	p.Owner.Kind = rapid.SampledFrom([]string{"Job", "StatefulSet"}).Draw(t, "owner")
	if rapid.Bool().Draw(t, "status") {
		p.Containers[0].Devices = []pod.Device{{Resource: "nvidia.com/gpu", ID: uuid(rapid.IntRange(1, 2).Draw(t, "device"))}}
	}
	switch rapid.IntRange(0, 5).Draw(t, "news") {
	case 0, 1:
		b.Pod(p, at(when-rapid.SampledFrom([]float64{0.05, 3}).Draw(t, "ago")), true)
	case 2:
		b.Pod(finished(p, when-2, pod.Failed), at(when-1), true)
	case 3:
		b.Gone(uid, at(when-1))
	case 4:
		b.Missed(uid)
	}
}

func oddList(t *rapid.T) []Listed {
	p := holder("x", 1)
	p.Name = "odd"
	switch n := rapid.IntRange(0, 4).Draw(t, "listed"); n {
	case 0:
		return nil
	case 1, 2:
		return []Listed{listed(p, uuid(n))}
	case 3:
		return []Listed{listed(p, uuid(1)), listed(p, uuid(2))}
	}
	return []Listed{listed(p)}
}
