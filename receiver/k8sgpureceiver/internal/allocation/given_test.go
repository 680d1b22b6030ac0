// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package allocation

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/claim"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/deviceid"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/pod"
)

const driver = "gpu.nvidia.com"

func draID(name string) claim.ID { return claim.ID{Driver: driver, Pool: "n", Device: name} }

// use returns a device of a claim as a list has it.
func use(of, name string) claim.Use {
	return claim.Use{Claim: claim.Key{Namespace: "ns", Name: of}, Device: claim.Device{ID: draID(name)}}
}

// withClaims returns a node with a slice: gpu-0 to gpu-3, a MIG instance that
// is made on demand, and one device of which many can have a share.
func withClaims(t *testing.T, local bool) *node {
	n := newNode(t, local)
	n.cfg.Claims = &claim.Store{}
	slice := claim.Slice{Name: "s", Pool: claim.Pool{Driver: driver, Name: "n"}, Offers: []claim.Offer{
		{ID: draID("mig"), Type: "mig", Profile: "1g.10gb", Parent: uuid(7)},
		{ID: draID("many"), UUID: uuid(6), Many: true, Capacity: map[string]float64{"memory": 80}},
	}}
	for i, name := range []string{"gpu-0", "gpu-1", "gpu-2", "gpu-3"} {
		slice.Offers = append(slice.Offers, claim.Offer{ID: draID(name), UUID: uuid(i)})
	}
	n.cfg.Claims.PutSlice(slice)
	return n.sync(0)
}

// claimed puts a claim that gave devices to pods.
func (n *node) claimed(name string, pods []string, grants ...claim.Grant) {
	n.cfg.Claims.Put(claim.Claim{Key: claim.Key{Namespace: "ns", Name: name}, Pods: pods, Grants: grants})
}

func granted(name string) claim.Grant {
	return claim.Grant{Device: claim.Device{ID: draID(name)}, Request: "gpu"}
}

// user is a running pod that uses a claim.
func user(uid, of string, since float64) *pod.Pod {
	p := holder(uid, since)
	p.Containers[0].Requests, p.Containers[0].Claims = nil, []pod.Claim{{Name: of}}
	return p
}

func uses(p *pod.Pod, all ...claim.Use) Listed {
	return Listed{Pod: p.Key(), Container: "main", Claimed: all}
}

// TestLifeOfAClaim: listed first without its claim, then without devices, then
// complete, and empty again just before the pod goes.
func TestLifeOfAClaim(t *testing.T) {
	n := withClaims(t, true)
	p := user("a", "c", 1.5)
	n.pod(p, 1.6)
	n.list(10, uses(p))
	require.Equal(t, []string{"doubt claim_unread"}, n.set(10))
	require.Equal(t, []claim.Key{{Namespace: "ns", Name: "c"}}, n.ClaimsWanted())
	n.claimed("c", []string{"a"}, granted("gpu-1"))
	n.list(20, uses(p))
	holds := []string{"a/main " + uuid(1) + " exclusive since 1.5s"}
	require.Equal(t, holds, n.set(20), "the claim tells, before any list does")
	require.Empty(t, n.ClaimsWanted())
	n.list(30, uses(p, use("c", "gpu-1")))
	s := n.Set(at(30))
	require.Equal(t, SourceList, s.Sources[Point{"a", "main", uuid(1)}])
	require.Empty(t, s.Unresolved)
	n.list(40, uses(p))
	require.Equal(t, holds, n.set(40))
	n.pod(finished(p, 45.5, pod.Succeeded), 45.8)
	n.claimed("c", nil, granted("gpu-1")) // it stays allocated
	require.Equal(t, []string{"a/main " + uuid(1) + " ended 45.8s"}, append(n.set(50), n.ClaimsWantedText()...))
	n.list(60, uses(p, use("c", "gpu-1")))
	require.Empty(t, n.set(60), "whatever lists and claims say of a dead pod")
}

// ClaimsWantedText is for one line of a test.
func (n *node) ClaimsWantedText() (out []string) {
	for _, key := range n.ClaimsWanted() {
		out = append(out, "wants "+key.Name)
	}
	return out
}

// TestShortLife between two lists: what the claim gave was the pod's.
func TestShortLife(t *testing.T) {
	n := withClaims(t, true)
	n.claimed("c", []string{"a"}, granted("gpu-1"))
	n.pod(user("a", "c", 12), 12.1)
	n.pod(finished(user("a", "c", 12), 14.5, pod.Succeeded), 14.8)
	n.list(20)
	require.Equal(t, []string{"a/main " + uuid(1) + " ended 14.8s"}, n.set(20))
}

// TestClaimOfTwoPods: each has half, and the one that is left all of it.
func TestClaimOfTwoPods(t *testing.T) {
	n := withClaims(t, true)
	n.claimed("c", []string{"a", "b"}, granted("gpu-1"))
	a, b := user("a", "c", 1), user("b", "c", 2)
	n.pod(a, 1.1)
	n.list(10, uses(a, use("c", "gpu-1")))
	require.Equal(t, []string{"a/main " + uuid(1) + " dra since 1s 1 of 1"}, n.set(10))
	n.pod(b, 12)
	n.list(20, uses(a, use("c", "gpu-1")), uses(b, use("c", "gpu-1")))
	require.Equal(t, []string{
		"a/main " + uuid(1) + " dra since 1s 1 of 2", "b/main " + uuid(1) + " dra since 2s 1 of 2",
	}, n.set(20))
	n.pod(finished(a, 25, pod.Succeeded), 25.5)
	n.list(30, uses(b, use("c", "gpu-1")))
	require.Equal(t, []string{"b/main " + uuid(1) + " dra since 2s 1 of 1", "a/main " + uuid(1) + " ended 25.5s"}, n.set(30))
}

// TestAdminAccess holds nothing, and is named.
func TestAdminAccess(t *testing.T) {
	n := withClaims(t, true)
	watch := granted("gpu-0")
	watch.Admin = true
	n.claimed("watch", []string{"m"}, watch)
	n.claimed("c", []string{"a"}, granted("gpu-0"))
	m, a := user("m", "watch", 1), user("a", "c", 2)
	n.pod(m, 1.1)
	n.pod(a, 2.1)
	n.list(10, uses(m, use("watch", "gpu-0")), uses(a, use("c", "gpu-0")))
	s := n.Set(at(10))
	require.Equal(t, []string{"a/main " + uuid(0) + " exclusive since 2s"}, texts(&s), "the administrator shares nothing")
	require.Equal(t, []Unresolved{{"gpu.nvidia.com/n/gpu-0", deviceid.AdminAccess}}, s.Unresolved)
	for _, m := range s.Milestones {
		require.Equal(t, "a", m.PodUID, "nobody accounts the administrator's start")
	}
}

// TestPartitionOnDemand: an instance that isn't made yet is known by its board.
func TestPartitionOnDemand(t *testing.T) {
	n := withClaims(t, true)
	n.claimed("c", []string{"a"}, granted("mig"))
	p := user("a", "c", 1)
	n.pod(p, 1.1)
	n.list(10, uses(p, use("c", "mig")))
	s := n.Set(at(10))
	require.Equal(t, []string{"a/main gpu.nvidia.com/n/mig mig since 1s"}, texts(&s))
	require.Equal(t, map[Point]Partition{{"a", "main", "gpu.nvidia.com/n/mig"}: {uuid(7), "1g.10gb"}}, s.Partitions)
	require.Equal(t, []Unresolved{{"gpu.nvidia.com/n/mig", deviceid.UnknownMIG}}, s.Unresolved)
}

// TestShares: two claims of one device, by what each consumes.
func TestShares(t *testing.T) {
	n := withClaims(t, true)
	var lists []Listed
	for uid, memory := range map[string]float64{"a": 20, "b": 40} {
		g := claim.Grant{Device: claim.Device{ID: draID("many"), Share: "s-" + uid}, Consumed: map[string]float64{"memory": memory}}
		n.claimed("c-"+uid, []string{uid}, g)
		p := user(uid, "c-"+uid, 1)
		n.pod(p, 1.1)
		lists = append(lists, uses(p, claim.Use{Claim: claim.Key{Namespace: "ns", Name: "c-" + uid}, Device: g.Device}))
	}
	n.list(10, lists...)
	require.Equal(t, []string{"a/main " + uuid(6) + " dra since 1s 0.25", "b/main " + uuid(6) + " dra since 1s 0.5"}, n.set(10))
}

// TestExtendedResource that a claim serves, which takes its time: nothing is
// counted twice, nor by the spec.
func TestExtendedResource(t *testing.T) {
	n := withClaims(t, true)
	p := holder("a", 1) // asks for nvidia.com/gpu
	p.Extended = "a-extended-resources-x"
	p.Containers[0].Claims = []pod.Claim{{Name: p.Extended, Request: "container-0-request-0"}}
	n.pod(p, 1.1)
	for i := range 2 * patience {
		n.list(float64(10*(i+1)), uses(p))
		s := n.Set(at(float64(10 * (i + 1))))
		require.Empty(t, s.Allocations)
		require.Equal(t, i < patience, s.Doubt == ClaimUnread, "a few sets wait for it, no more")
	}
	mine, other := granted("gpu-2"), granted("gpu-3")
	mine.Request, other.Request = "container-0-request-0", "container-1-request-0"
	n.claimed(p.Extended, []string{"a"}, mine, other)
	n.list(100, uses(p, use(p.Extended, "gpu-2"), use(p.Extended, "gpu-3")))
	require.Equal(t, []string{"a/main " + uuid(2) + " exclusive since 1s"}, n.set(100), "lists have all devices of the claim")
}

// TestDeviceNobodyPublishes is accounted under its name.
func TestDeviceNobodyPublishes(t *testing.T) {
	n := withClaims(t, true)
	n.claimed("c", []string{"a"}, granted("gpu-9"))
	p := user("a", "c", 1)
	n.pod(p, 1.1)
	n.list(10, uses(p, use("c", "gpu-9")))
	s := n.Set(at(10))
	require.Equal(t, []string{"a/main gpu.nvidia.com/n/gpu-9 exclusive since 1s"}, texts(&s))
	require.Equal(t, []Unresolved{{"gpu.nvidia.com/n/gpu-9", deviceid.UnknownDevice}}, s.Unresolved)
}

// TestClaimThatCantBeRead: a few sets wait, then they go without it, and it is
// named; it is asked for, seldom.
func TestClaimThatCantBeRead(t *testing.T) {
	n := withClaims(t, true)
	p, other := user("a", "c", 1), holder("b", 1)
	n.pod(p, 1.1)
	n.pod(other, 1.1)
	wanted := 0
	for i := range 100 {
		when := float64(10 * (i + 1))
		n.list(when, uses(p, use("c", "gpu-0")), listed(other, uuid(3)))
		s := n.Set(at(when))
		wanted += len(n.ClaimsWanted())
		if i < patience {
			require.Equal(t, ClaimUnread, s.Doubt)
			continue
		}
		require.Equal(t, []string{"b/main " + uuid(3) + " exclusive since 1s"}, texts(&s))
		require.Equal(t, []Unresolved{{"gpu.nvidia.com/n/gpu-0", deviceid.Claim}}, s.Unresolved)
	}
	require.Equal(t, 32, wanted)
	n.claimed("c", []string{"a"}, granted("gpu-0"))
	n.list(2000, uses(p, use("c", "gpu-0")), listed(other, uuid(3)))
	require.Len(t, n.set(2000), 2)
}

// TestForceDeletedUserOfAClaim: lists and the claim's reservation forget it at
// once, the kubelet doesn't.
func TestForceDeletedUserOfAClaim(t *testing.T) {
	n := withClaims(t, true)
	n.claimed("c", []string{"a"}, granted("gpu-0"))
	p := user("a", "c", 1)
	n.pod(p, 1.1)
	n.list(10, uses(p, use("c", "gpu-0")))
	holds := n.set(10)
	require.Len(t, holds, 1)
	n.claimed("c", []string{"b"}, granted("gpu-0"))
	n.list(20)
	require.Equal(t, holds, n.set(20))
	n.Gone("a", at(25))
	require.Equal(t, []string{"a/main " + uuid(0) + " ended 25s"}, n.set(30))
}

// TestInitContainerWithAClaim that its pod goes on with is one holder.
func TestInitContainerWithAClaim(t *testing.T) {
	n := withClaims(t, true)
	n.claimed("c", []string{"a"}, granted("gpu-0"))
	p := user("a", "c", 1)
	p.Containers = append([]pod.Container{{Name: "prepare", Init: true, Claims: []pod.Claim{{Name: "c"}}}}, p.Containers...)
	n.pod(p, 1.1)
	n.list(10, uses(p, use("c", "gpu-0")))
	require.Equal(t, []string{"a/main " + uuid(0) + " exclusive since 1s"}, n.set(10))
	p.Containers[1].Claims = nil
	n = withClaims(t, true)
	n.claimed("c", []string{"a"}, granted("gpu-0"))
	n.pod(p, 1.1)
	n.list(10, uses(p))
	require.Equal(t, []string{"a/prepare " + uuid(0) + " exclusive since 1s"}, n.set(10), "it is the pod's until it ends")
}

// TestClaimsOfOtherDevices make no holder and, once read, no doubt.
func TestClaimsOfOtherDevices(t *testing.T) {
	n := withClaims(t, true)
	nic := claim.Device{ID: claim.ID{Driver: "nic.example.com", Pool: "n", Device: "eth0"}}
	n.claimed("c", []string{"a"}, claim.Grant{Device: nic})
	p := user("a", "c", 1)
	n.list(10, uses(p, claim.Use{Claim: claim.Key{Namespace: "ns", Name: "c"}, Device: nic}))
	require.Empty(t, n.set(10), "the pod isn't known, and needn't be")
	n.pod(p, 1.1)
	require.Empty(t, n.set(20))
	l := n.lives["a"]
	require.False(t, n.mayHold(p, l))
}

// TestClaimsWithoutTheKubelet: an unlisted pod has ended, as others.
func TestClaimsWithoutTheKubelet(t *testing.T) {
	n := withClaims(t, false)
	n.claimed("c", []string{"a"}, granted("gpu-0"))
	p := user("a", "c", 1)
	n.pod(p, 1.1)
	n.list(10)
	require.Len(t, n.set(10), 1, "not prepared yet")
	n.list(20, uses(p, use("c", "gpu-0")))
	require.Len(t, n.set(20), 1)
	for _, when := range []float64{30, 40, 50} {
		n.list(when)
		require.Equal(t, []string{"doubt pod_unlisted"}, n.set(when))
	}
	n.list(60)
	require.Equal(t, []string{"a/main " + uuid(0) + " ended 19.9s"}, n.set(60))
}

// TestKeepsClaimsInUse only.
func TestKeepsClaimsInUse(t *testing.T) {
	n := withClaims(t, true)
	n.claimed("c", []string{"a"}, granted("gpu-0"))
	n.claimed("old", []string{"z"}, granted("gpu-1"))
	n.pod(user("a", "c", 1), 1.1)
	n.ClaimsWanted()
	_, used := n.cfg.Claims.Get(claim.Key{Namespace: "ns", Name: "c"})
	_, left := n.cfg.Claims.Get(claim.Key{Namespace: "ns", Name: "old"})
	require.True(t, used)
	require.False(t, left)
}

// TestClaimReadBeforeItWasReserved for this pod: it is read again.
func TestClaimReadBeforeItWasReserved(t *testing.T) {
	n := withClaims(t, true)
	n.claimed("c", []string{"b"}, granted("gpu-0"))
	n.pod(user("a", "c", 1), 1.1)
	n.list(10)
	require.Equal(t, []string{"doubt claim_unread"}, n.set(10))
	require.Equal(t, []string{"wants c"}, n.ClaimsWantedText())
}
