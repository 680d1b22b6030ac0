// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package allocation

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
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

// unstarted is a pod of that policy whose init container has finished at 5 s,
// and whose main one waits.
func unstarted(policy pod.RestartPolicy) *pod.Pod {
	p := holder("a", 1)
	p.Phase, p.RestartPolicy = pod.Pending, policy
	p.Containers = []pod.Container{
		{Name: "init", Init: true, Run: pod.Run{Started: at(2), Finished: at(5)}},
		{Name: "main", Requests: p.Containers[0].Requests, Waiting: "ImagePullBackOff"},
	}
	return p
}

// TestNeverStartedHoldsUntilItEnds: that its init container finished isn't the
// end of a pod.
func TestNeverStartedHoldsUntilItEnds(t *testing.T) {
	for _, policy := range []pod.RestartPolicy{pod.RestartNever, pod.RestartOnFailure, pod.RestartAlways} {
		deleted, deadline := unstarted(policy), unstarted(policy)
		deleted.DeletionAsked = at(100)
		deadline.Phase, deadline.Reason = pod.Failed, "DeadlineExceeded"
		for p, want := range map[*pod.Pod]string{deleted: "1m40s", deadline: "1m40.1s"} {
			n := newNode(t, true).sync(0)
			n.pod(unstarted(policy), 5.5)
			n.list(90, listed(p, uuid(0)))
			require.Equal(t, []string{"a/main " + uuid(0) + " exclusive since 1s"}, n.set(90))
			n.pod(p, 100.1)
			n.Gone("a", at(101))
			n.list(110)
			require.Equal(t, []string{"a/main " + uuid(0) + " ended " + want}, n.set(110), policy)
		}
	}
}

// TestFoundOverWithoutADate: its objects stay, perhaps for days.
func TestFoundOverWithoutADate(t *testing.T) {
	n := newNode(t, true)
	p := unstarted(pod.RestartNever)
	p.Phase, p.Reason = pod.Failed, "DeadlineExceeded"
	p.Containers[1].Devices = []pod.Device{{Resource: "nvidia.com/gpu", ID: uuid(0)}}
	n.Pod(p, at(80000), false)
	n.sync(80000)
	n.list(80010)
	require.Empty(t, n.set(80010))
}

// TestEndsBeforeTheFirstSync: a set may be made in the middle of the first list
// of pods. Ends wait until the sync tells which of them are recent.
func TestEndsBeforeTheFirstSync(t *testing.T) {
	n := newNode(t, true)
	for i, ended := range []float64{1000, 79990} {
		p := holder(string(rune('a'+i)), 500)
		p.Containers[0].Devices = []pod.Device{{Resource: "nvidia.com/gpu", ID: uuid(i)}}
		n.Pod(finished(p, ended, pod.Succeeded), at(80000), false)
	}
	n.list(80001)
	require.Equal(t, []string{"doubt pods_away"}, n.set(80001))
	n.sync(80002)
	require.Equal(t, []string{"b/main " + uuid(1) + " ended 22h13m10s"}, n.set(80010))
	require.Empty(t, n.set(80020), "told once")
}

// TestMissingTwiceIsNoEnd: from two lists that are half a minute apart, with
// something between that tells nothing of the pod.
func TestMissingTwiceIsNoEnd(t *testing.T) {
	p := holder("a", 1)
	for name, between := range map[string]func(n *node, when float64){
		"lists fail":     func(n *node, _ float64) { n.ListFailed() },
		"lists differ":   func(n *node, when float64) { n.List([]Listed{listed(p)}, at(when-0.1)) },
		"another source": func(n *node, when float64) { n.From(false); n.sync(when) },
	} {
		n := newNode(t, false).sync(0)
		n.pod(p, 1.5)
		n.list(10, listed(p, uuid(0)))
		n.set(10)
		for _, when := range []float64{20, 60} {
			n.list(when)
			require.Equal(t, []string{"doubt pod_unlisted"}, n.set(when), name)
			between(n, when+10)
		}
		n.list(90, listed(p, uuid(0)))
		require.Len(t, n.set(90), 1, name)
	}
}

// TestListsFailWhileMissing: only what was seen of its absence counts. It ended
// when it was listed last: the kubelet lists a pod a moment longer than it runs.
func TestListsFailWhileMissing(t *testing.T) {
	for name, forget := range map[string]func(n *node){
		"lists fail":     func(n *node) { n.ListFailed() },
		"another source": func(n *node) { n.From(false); n.sync(51) },
	} {
		n := newNode(t, false).sync(0)
		n.pod(holder("a", 1), 1.5)
		n.list(10, listed(holder("a", 1), uuid(0)))
		n.set(10)
		for when := 20.0; when < 100; when += 10 {
			if when == 50 {
				forget(n)
				continue
			}
			n.list(when)
			want := "doubt pod_unlisted"
			if when == 90 {
				want = "a/main " + uuid(0) + " ended 9.9s"
			}
			require.Equal(t, []string{want}, n.set(when), name)
		}
	}
}

// TestShorterThanClocksTell: of a pod that was bound and finished before the first
// news of it, in one second, no length is known. Nothing is told of it, and so
// less than a second is missing. A moment later there is a length.
func TestShorterThanClocksTell(t *testing.T) {
	for arrival, want := range map[float64][]string{12.75: {}, 13.25: {"a/main " + uuid(0) + " ended 13s"}} {
		n := newNode(t, false).sync(0)
		p := holder("a", 12)
		p.Seen = gpu.NoTime
		p.Containers[0].Devices = []pod.Device{{Resource: "nvidia.com/gpu", ID: uuid(0)}}
		n.pod(finished(p, 12, pod.Succeeded), arrival)
		n.list(20)
		require.Equal(t, want, n.set(20))
		require.Empty(t, n.set(60))
		n.pod(p, 61)
		n.list(70)
		require.Empty(t, n.set(70), "it stays ended")
	}
}

// TestEndBeforeItsBegin: the API server's clock is ahead of the node's by more
// than the pod lived. Its end isn't told, since sets had it later than that: it
// is missing from the next set, and so ends at the last one that had it.
func TestEndBeforeItsBegin(t *testing.T) {
	n := newNode(t, false).sync(0)
	p := holder("a", 20)
	p.Seen = gpu.NoTime
	n.pod(p, 11.5)
	n.list(13, listed(p, uuid(0)))
	require.Len(t, n.set(13), 1)
	n.pod(finished(p, 17, pod.Succeeded), 17.5)
	n.list(23)
	require.Empty(t, n.set(23))
}
