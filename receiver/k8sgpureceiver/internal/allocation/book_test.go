// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package allocation

import (
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/claim"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/deviceid"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/pod"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/podtest"
)

const origin = gpu.Earliest + 1000*gpu.Time(time.Second)

func at(s float64) gpu.Time { return origin + gpu.Time(s*1e9) }

// uuid returns the UUID of the n-th device.
func uuid(n int) string { return fmt.Sprintf("GPU-5f1c6f3e-0a3d-4b2e-9c1a-%012d", n) }

func gpuName(id string) deviceid.Name { return deviceid.Name{Resource: "nvidia.com/gpu", ID: id} }

// node drives a book as a receiver does.
type node struct {
	*Book
	t *testing.T
}

func newNode(t *testing.T, local bool) *node {
	return &node{New(Config{Node: "n", Cluster: "c", Catalog: &deviceid.Catalog{}, Local: local}), t}
}

func (n *node) pod(p *pod.Pod, when float64) { n.Pod(p, at(when), true) }

func (n *node) sync(when float64) *node {
	n.Synced(at(when))
	return n
}

// list gives two equal lists, of pods with one device each: "name=id".
func (n *node) list(when float64, entries ...Listed) {
	n.List(entries, at(when-0.2))
	n.List(slices.Clone(entries), at(when-0.1))
}

// set returns what is known at a time, as text, and has it accepted.
func (n *node) set(when float64) []string {
	n.t.Helper()
	s := n.Set(at(when))
	n.Sent(&s)
	return texts(&s)
}

func texts(s *Set) []string {
	if s.Doubt != Certain {
		return append([]string{"doubt " + string(s.Doubt)}, ends(s)...)
	}
	out := []string{}
	for _, a := range s.Allocations {
		text := fmt.Sprintf("%s/%s %s%s %s since %v", a.Holder.PodUID, a.Holder.Container, a.Device, a.Ref, a.Sharing, a.Begin.Sub(origin))
		if a.Slots.Of > 0 {
			text += fmt.Sprintf(" %d of %d", a.Slots.N, a.Slots.Of)
		} else if a.Share != 1 {
			text += fmt.Sprintf(" %v", a.Share)
		}
		out = append(out, text)
	}
	return append(out, ends(s)...)
}

func ends(s *Set) []string {
	var out []string
	for _, a := range s.Ends {
		out = append(out, fmt.Sprintf("%s/%s %s ended %v", a.Holder.PodUID, a.Holder.Container, a.Device, a.Time.Sub(origin)))
	}
	return out
}

// holder is a running pod of a Job that asks for a device, admitted at a time.
func holder(uid string, since float64) *pod.Pod {
	second := float64(int(since))
	return &pod.Pod{
		UID: uid, Namespace: "ns", Name: "pod-" + uid, Phase: pod.Running, RestartPolicy: pod.RestartAlways,
		Created: at(second), Seen: at(since), Started: at(second), Scheduled: pod.Condition{True: true, At: at(second)},
		Owner: pod.Owner{Kind: "Job"}, Containers: []pod.Container{{
			Name: "main", Requests: map[string]int64{"nvidia.com/gpu": 1}, Run: pod.Run{Started: at(second), Running: true},
		}},
	}
}

func finished(p *pod.Pod, when float64, phase pod.Phase) *pod.Pod {
	out := *p
	out.Containers = slices.Clone(p.Containers)
	out.Phase = phase
	for i := range out.Containers {
		out.Containers[i].Run.Running, out.Containers[i].Run.Finished = false, at(float64(int(when)))
	}
	return &out
}

func listed(p *pod.Pod, ids ...string) Listed {
	l := Listed{Pod: p.Key(), Container: "main"}
	for _, id := range ids {
		l.Devices = append(l.Devices, gpuName(id))
	}
	return l
}

func TestLifeOfAHolder(t *testing.T) {
	n := newNode(t, true).sync(0)
	p := holder("a", 1.5)
	p.Containers[0].Devices = []pod.Device{{Resource: "nvidia.com/gpu", ID: uuid(0)}}
	n.pod(p, 1.6)
	n.list(10, listed(p, uuid(0)))
	require.Equal(t, []string{"a/main " + uuid(0) + " exclusive since 1.5s"}, n.set(10))
	n.pod(finished(p, 15.5, pod.Succeeded), 15.8)
	n.list(16, listed(p, uuid(0))) // not cleaned up yet
	require.Equal(t, []string{"a/main " + uuid(0) + " ended 15.8s"}, n.set(20))
	n.list(30)
	require.Empty(t, n.set(30), "told once")
	n.pod(finished(p, 15.5, pod.Succeeded), 31) // the object stays
	require.Empty(t, n.set(40))
	n.Gone("a", at(41))
	n.Resync()
	n.Pod(finished(p, 15.5, pod.Succeeded), at(50), false)
	n.Synced(at(50))
	require.Empty(t, n.set(60), "a pod that ended has one interval")
	n.Resync()
	n.Pod(finished(p, 15.5, pod.Succeeded), at(70), false)
	n.Synced(at(70))
	n.list(80)
	require.Empty(t, n.set(80), "whenever it is told of again")
}

// TestEndedStaysSo: even a Completed pod can turn Failed after a restart of the
// kubelet.
func TestEndedStaysSo(t *testing.T) {
	n := newNode(t, true).sync(0)
	p := holder("a", 1.5)
	n.pod(p, 1.6)
	n.list(10, listed(p, uuid(0)))
	n.set(10)
	n.pod(finished(p, 15, pod.Succeeded), 15.8)
	n.pod(p, 16)
	n.pod(finished(p, 17, pod.Failed), 17.5)
	n.list(20)
	require.Equal(t, []string{"a/main " + uuid(0) + " ended 15.8s"}, n.set(20))
}

func TestBeginIsToldOnce(t *testing.T) {
	n := newNode(t, true).sync(0)
	p := holder("a", 1.5)
	p.Seen = gpu.NoTime
	n.pod(p, 1.6)
	n.list(10, listed(p, uuid(0)))
	want := []string{"a/main " + uuid(0) + " exclusive since 1.6s"} // bound at 1 s and something
	require.Equal(t, want, n.set(10))
	p.Seen = at(1.5)
	n.pod(p, 12)
	n.list(20, listed(p, uuid(0)))
	require.Equal(t, want, n.set(20))
}

func TestShorterThanACollection(t *testing.T) {
	n := newNode(t, true).sync(0)
	p := holder("a", 11.5)
	p.Containers[0].Devices = []pod.Device{{Resource: "nvidia.com/gpu", ID: uuid(1)}}
	n.pod(p, 11.6)
	n.pod(finished(p, 14, pod.Failed), 14.4)
	n.list(20)
	require.Equal(t, []string{"a/main " + uuid(1) + " ended 14.4s"}, n.set(20))
}

func TestRejectedPodHeldNothing(t *testing.T) {
	n := newNode(t, true).sync(0)
	p := holder("a", 1.5)
	p.Phase, p.Reason, p.Containers[0].Run = pod.Failed, "UnexpectedAdmissionError", pod.Run{}
	p.Containers[0].Devices = []pod.Device{{Resource: "nvidia.com/gpu", ID: uuid(1)}}
	n.pod(p, 1.9)
	n.list(10)
	require.Empty(t, n.set(10))
}

// TestPodIsListedBeforeItsDevices by about 50 ms.
func TestPodIsListedBeforeItsDevices(t *testing.T) {
	n := newNode(t, true).sync(0)
	p := holder("a", 9.8)
	n.pod(p, 9.81)
	n.List([]Listed{listed(p)}, at(9.85))
	require.Equal(t, []string{"doubt list_unsettled"}, n.set(9.9), "one list is no two")
	n.List([]Listed{listed(p, uuid(0))}, at(10))
	require.Equal(t, []string{"doubt list_unsettled"}, n.set(10))
	n.List([]Listed{listed(p, uuid(0))}, at(10.2))
	require.Len(t, n.set(10.3), 1)
}

// TestListsInAnyOrder: a device of two NUMA nodes is listed twice; order means
// nothing.
func TestListsInAnyOrder(t *testing.T) {
	n := newNode(t, true).sync(0)
	a, b := holder("a", 1), holder("b", 2)
	n.pod(a, 1.1)
	n.pod(b, 2.1)
	n.List([]Listed{listed(a, uuid(0), uuid(1), uuid(0)), listed(b, uuid(2))}, at(9))
	n.List([]Listed{listed(b, uuid(2), uuid(2)), listed(a, uuid(1), uuid(0))}, at(9.5))
	require.Len(t, n.set(10), 3)
}

// TestNameIsGivenAgain: a list has no UIDs.
func TestNameIsGivenAgain(t *testing.T) {
	n := newNode(t, true).sync(0)
	old, young := holder("a", 1), holder("b", 15)
	young.Name = old.Name
	n.pod(old, 1.1)
	n.list(10, listed(old, uuid(0)))
	n.set(10)
	// The list was asked for before the second pod came: it may be of the first.
	n.List([]Listed{listed(old, uuid(0))}, at(14.8))
	n.List([]Listed{listed(old, uuid(0))}, at(14.9))
	n.pod(finished(old, 14, pod.Failed), 14.95)
	n.Gone("a", at(14.96))
	n.pod(young, 15.1)
	require.Equal(t, []string{"doubt pod_newer", "a/main " + uuid(0) + " ended 14.95s"}, n.set(15.2))
	n.list(20, listed(young, uuid(1)))
	require.Equal(t, []string{"b/main " + uuid(1) + " exclusive since 15s"}, n.set(20))
}

// TestNewPodUnknownYet has the name of one that has just ended.
func TestNewPodUnknownYet(t *testing.T) {
	n := newNode(t, true).sync(0)
	old := holder("a", 1)
	n.pod(old, 1.1)
	n.list(10, listed(old, uuid(0)))
	n.set(10)
	n.pod(finished(old, 18, pod.Failed), 18.2)
	n.list(20, listed(old, uuid(3)))
	require.Equal(t, []string{"doubt pod_unknown", "a/main " + uuid(0) + " ended 18.2s"}, n.set(20))
}

// TestOtherDevicesAreNoDoubt: of a pod that is younger than the list, nor of
// one whose devices change.
func TestOtherDevicesAreNoDoubt(t *testing.T) {
	n := newNode(t, true).sync(0)
	p, other := holder("a", 1), holder("b", 9.8)
	other.Containers[0].Requests = nil
	fuse := func(id string) Listed {
		return Listed{Pod: other.Key(), Container: "main", Devices: []deviceid.Name{{Resource: "smarter-devices/fuse", ID: id}}}
	}
	n.pod(p, 1.5)
	n.list(10, listed(p, uuid(0)), fuse("0"))
	n.pod(other, 9.95)
	want := []string{"a/main " + uuid(0) + " exclusive since 1s"}
	require.Equal(t, want, n.set(10))
	for i, when := range []float64{20, 30} {
		n.list(when, listed(p, uuid(0)), fuse(strconv.Itoa(i)))
		require.Equal(t, want, n.set(when))
	}
	api := newNode(t, false).sync(0)
	api.pod(other, 1)
	api.list(10, fuse("0"))
	api.set(10)
	api.list(20)
	require.Empty(t, api.set(20), "that it isn't listed any more means nothing")
}

func TestUnknownPodHoldsBackThreeSets(t *testing.T) {
	n := newNode(t, true).sync(0)
	for i := range 5 {
		when := float64(10 * (i + 1))
		n.list(when, listed(holder("x", 1), uuid(0)))
		want := []string{"doubt pod_unknown"}
		if i >= patience { // and none after that
			want = []string{}
		}
		require.Equal(t, want, n.set(when), i)
	}
}

func TestSourcesAway(t *testing.T) {
	n := newNode(t, true)
	require.Equal(t, []string{"doubt pods_away"}, n.set(5))
	n.sync(6)
	require.Equal(t, []string{"doubt list_away"}, n.set(10))
	p := holder("a", 1)
	n.pod(p, 11)
	n.list(20, listed(p, uuid(0)))
	require.Len(t, n.set(20), 1)
	n.ListFailed()
	require.Equal(t, []string{"doubt list_away"}, n.set(30))
	n.List([]Listed{listed(p, uuid(0))}, at(39))
	require.Equal(t, []string{"doubt list_unsettled"}, n.set(40))
	n.Unsync()
	n.list(50, listed(p, uuid(0)))
	require.Equal(t, []string{"doubt pods_away"}, n.set(50))
}

// TestEndedWhileTheSourceWasAway: of one the status dates the end, of the other
// nobody knows it.
func TestEndedWhileTheSourceWasAway(t *testing.T) {
	n := newNode(t, true).sync(0)
	a, b, c := holder("a", 1), holder("b", 1), holder("c", 1)
	for _, p := range []*pod.Pod{a, b, c} {
		n.pod(p, 1.5)
	}
	n.list(10, listed(a, uuid(0)), listed(b, uuid(1)), listed(c, uuid(2)))
	require.Len(t, n.set(10), 3)
	n.Unsync()
	n.Resync()
	n.Pod(finished(a, 15, pod.Succeeded), at(40), false)
	n.Pod(c, at(40), false)
	n.Synced(at(40))
	n.list(50, listed(c, uuid(2)))
	require.Equal(t, []string{"c/main " + uuid(2) + " exclusive since 1s", "a/main " + uuid(0) + " ended 15s"}, n.set(50))
}

// TestForceDeleted: the lists lack it at once, its container runs on. The
// kubelet tells when it is gone; until then both hold the device.
func TestForceDeleted(t *testing.T) {
	n := newNode(t, true).sync(0)
	a, b := holder("a", 1), holder("b", 14)
	n.pod(a, 1.5)
	n.list(10, listed(a, uuid(0)))
	n.set(10)
	n.pod(b, 14.1)
	n.list(20, listed(b, uuid(0)))
	require.Equal(t, []string{
		"a/main " + uuid(0) + " exclusive since 1s", "b/main " + uuid(0) + " exclusive since 14s",
	}, n.set(20))
	n.Gone("a", at(22.5))
	require.Equal(t, []string{"b/main " + uuid(0) + " exclusive since 14s", "a/main " + uuid(0) + " ended 22.5s"}, n.set(30))
}

// TestFromTheAPIServer: while it is away, the lists tell that a pod has ended,
// but not those of a kubelet that has just started.
func TestFromTheAPIServer(t *testing.T) {
	n := newNode(t, false).sync(0)
	p := holder("a", 1)
	n.pod(p, 1.5)
	n.list(10, listed(p, uuid(0)))
	require.Len(t, n.set(10), 1)
	n.list(20)
	require.Equal(t, []string{"doubt pod_unlisted"}, n.set(20))
	n.list(30, listed(p, uuid(0)))
	require.Len(t, n.set(30), 1, "it was the kubelet that started")
	for _, when := range []float64{40, 50, 60} {
		n.list(when)
		require.Equal(t, []string{"doubt pod_unlisted"}, n.set(when))
	}
	n.list(70)
	require.Equal(t, []string{"a/main " + uuid(0) + " ended 29.9s"}, n.set(70), "when it was listed last")
}

func TestCrashLoopAndTerminationHold(t *testing.T) {
	n := newNode(t, true).sync(0)
	p := holder("a", 1)
	p.Containers[0].Run, p.Containers[0].Waiting = pod.Run{}, "CrashLoopBackOff"
	p.Containers[0].Before = pod.Run{Started: at(2), Finished: at(3), ExitCode: 1}
	n.pod(p, 5)
	n.list(10, listed(p, uuid(0)))
	require.Len(t, n.set(10), 1)
	p.DeletionAsked = at(15)
	n.pod(p, 15)
	n.list(20, listed(p, uuid(0)))
	require.Len(t, n.set(20), 1, "until the containers are gone")
	p.Containers[0].Run, p.Containers[0].Waiting = p.Containers[0].Before, ""
	p.Phase = pod.Failed
	n.pod(p, 21)
	n.list(30)
	require.Equal(t, []string{"a/main " + uuid(0) + " ended 15s"}, n.set(30), "deletion ends the wait for the next start")
}

// TestRoundingMakesNoOverlap: a begin of a whole second is rounded down.
func TestRoundingMakesNoOverlap(t *testing.T) {
	n := newNode(t, true).sync(0)
	a, b := holder("a", 1), holder("b", 15)
	b.Seen = gpu.NoTime
	n.pod(a, 1.5)
	n.list(10, listed(a, uuid(0)))
	n.set(10)
	n.pod(finished(a, 15.2, pod.Succeeded), 15.3)
	n.pod(b, 16.1) // too late to tell when in that second
	n.list(20, listed(b, uuid(0)))
	require.Equal(t, []string{"b/main " + uuid(0) + " exclusive since 15.3s", "a/main " + uuid(0) + " ended 15.3s"}, n.set(20))
}

func TestSlots(t *testing.T) {
	n := newNode(t, true).sync(0)
	var all []deviceid.Name
	for i := range 4 {
		all = append(all, gpuName(fmt.Sprintf("%s::%d", uuid(0), i)))
	}
	n.Allocatable(all, at(1))
	a, b := holder("a", 1), holder("b", 1)
	n.pod(a, 2)
	n.pod(b, 2)
	n.list(10, listed(a, uuid(0)+"::0", uuid(0)+"::3"), listed(b, uuid(0)+"::1"))
	want := []string{
		"a/main " + uuid(0) + " time_slicing since 1s 2 of 4", "b/main " + uuid(0) + " time_slicing since 1s 1 of 4",
	}
	require.Equal(t, want, n.set(10))
	n.Allocatable(nil, at(11)) // the plugin registers anew
	n.list(20, listed(a, uuid(0)+"::0", uuid(0)+"::3"), listed(b, uuid(0)+"::1"))
	require.Equal(t, want, n.set(20))
}

func TestOtherAllocators(t *testing.T) {
	n := newNode(t, true).sync(0)
	hami, kai, spec, reservation := holder("hami", 1), holder("kai", 1), holder("spec", 1), holder("res", 1)
	hami.Annotations = map[string]string{deviceid.AnnotationHAMi: uuid(0) + ",NVIDIA,3000,30:;"}
	reservation.Namespace = deviceid.NamespaceReservation
	reservation.Labels = map[string]string{deviceid.LabelReservationGroup: "g"}
	reservation.Annotations = map[string]string{deviceid.AnnotationReservedGPU: uuid(1)}
	kai.Labels = map[string]string{deviceid.LabelReservationGroup: "g"}
	kai.Annotations = map[string]string{deviceid.AnnotationFraction: "0.25"}
	kai.Containers[0].Requests = nil
	for _, p := range []*pod.Pod{hami, kai, spec, reservation} {
		n.pod(p, 2)
	}
	var got []string
	for i := range patience + 1 {
		when := float64(10 * (i + 1))
		n.list(when, listed(hami, uuid(7)+"-3"), listed(reservation, uuid(1)), listed(spec), listed(kai))
		got = n.set(when)
	}
	require.Equal(t, []string{
		"hami/main " + uuid(0) + " vgpu since 1s 0.3",
		"kai/main " + uuid(1) + " time_slicing since 1s 0.25",
		"spec/main nvidia.com/gpu/requested by spec, 0 exclusive since 1s",
	}, got)
}

func TestAvailability(t *testing.T) {
	n := newNode(t, true).sync(0)
	n.Allocatable([]deviceid.Name{gpuName(uuid(0)), gpuName(uuid(1))}, at(1))
	available := func(when float64) (out []bool) {
		for _, a := range n.Set(at(when)).Availability {
			require.Equal(t, a.Available, a.Reason != gpu.ReasonHealth)
			out = append(out, a.Available)
		}
		return out
	}
	require.Equal(t, []bool{true, true}, available(2))
	n.Allocatable([]deviceid.Name{gpuName(uuid(1))}, at(10))
	require.Equal(t, []bool{false, true}, available(10))
	n.Allocatable(nil, at(20))
	require.Equal(t, []bool{false, true}, available(20), "the plugin may register anew")
	n.Allocatable(nil, at(20+reregister.Seconds()))
	require.Equal(t, []bool{false, false}, available(300))
	n.Allocatable([]deviceid.Name{gpuName(uuid(0)), gpuName(uuid(1))}, at(400))
	require.Equal(t, []bool{true, true}, available(400))
}

// TestEventsAreFew: four lists a start, none of a pod without devices.
func TestEventsAreFew(t *testing.T) {
	n := newNode(t, true).sync(0)
	p := holder("a", 1)
	other := holder("b", 1)
	other.Containers[0].Requests = nil
	p.Containers[0].Run = pod.Run{}
	n.pod(p, 1.5)
	n.pod(other, 1.5)
	want := []pod.Ref{{Key: p.Key(), UID: "a"}}
	require.Equal(t, want, n.EventsWanted())
	require.Equal(t, want, n.EventsWanted(), "a pull begins a moment after admission")
	require.Empty(t, n.EventsWanted())
	p.Containers[0].Run = pod.Run{Started: at(70), Running: true}
	n.pod(p, 70.5)
	require.Equal(t, want, n.EventsWanted())
	n.Events("a", []pod.Event{{
		Reason: "Pulled", FieldPath: "spec.containers{main}", First: at(69), Message: "Successfully pulled image \"x\" in 1m0s",
	}})
	p.Ready = pod.Condition{True: true, At: at(80)}
	n.pod(p, 80.5)
	require.Equal(t, want, n.EventsWanted())
	require.Empty(t, n.EventsWanted())
	n.list(90, listed(p, uuid(0)))
	s := n.Set(at(90))
	found := map[gpu.MilestoneName]gpu.Time{}
	for _, m := range s.Milestones {
		found[m.Name] = m.At
	}
	require.Equal(t, at(9), found[gpu.PullStarted])
	require.Equal(t, at(69), found[gpu.PullFinished])
}

// TestRecordedLife follows a real kubelet's messages, device ids from the
// pods' status: nothing was listed.
func TestRecordedLife(t *testing.T) {
	b := New(Config{Node: "n", Catalog: &deviceid.Catalog{}, Local: true})
	var closed []string
	for _, s := range podtest.Life(t) {
		b.List(nil, s.At)
		switch {
		case s.Type == "INITIAL_SYNC_COMPLETE":
			b.Synced(s.At)
		case s.Type == "DELETED":
			b.Gone(string(s.Pod.UID), s.At)
		default:
			p := pod.Read(s.Pod)
			b.Pod(&p, s.At, true)
		}
		set := b.Set(s.At + 1)
		for _, a := range set.Ends {
			closed = append(closed, fmt.Sprintf("%s %s–%s", a.Holder.Pod, clock(a.Begin), clock(a.Time)))
		}
		b.Sent(&set)
	}
	require.Equal(t, []string{
		"train-0 34:35.603–34:49.878", "batch-z47bm 34:50.920–34:54.777", "crash 34:57.282–34:59.000",
	}, closed)
}

func clock(t gpu.Time) string { return time.Unix(0, int64(t)).UTC().Format("04:05.000") }

// TestClaimsAreCounted without access to them: two pods share one claim.
func TestClaimsAreCounted(t *testing.T) {
	n := newNode(t, true).sync(0)
	a, b := listed(holder("a", 1)), listed(holder("b", 1))
	a.Claimed = []claim.Use{use("c", "gpu-1"), use("c", "gpu-2"), {Device: claim.Device{ID: claim.ID{Driver: "nic.example.com", Device: "eth0"}}}}
	b.Claimed = a.Claimed
	n.list(10, a, b)
	s := n.Set(at(10))
	require.Empty(t, s.Allocations)
	require.Equal(t, []Unresolved{{"gpu.nvidia.com/n/gpu-1", deviceid.Claim}, {"gpu.nvidia.com/n/gpu-2", deviceid.Claim}}, s.Unresolved)
}

// TestClaimForAnExtendedResource: the pod asks for nvidia.com/gpu, and a claim
// that the scheduler made serves it. It is named, not counted.
func TestClaimForAnExtendedResource(t *testing.T) {
	n := newNode(t, true).sync(0)
	p := holder("a", 1)
	n.pod(p, 1.5)
	l := listed(p)
	l.Claimed = []claim.Use{use("c", "gpu-0")}
	for i := range patience + 2 {
		n.list(float64(10*(i+1)), l)
		s := n.Set(at(float64(10 * (i + 1))))
		n.Sent(&s)
		require.Equal(t, Certain, s.Doubt)
		require.Empty(t, s.Allocations)
		require.Equal(t, []Unresolved{{"gpu.nvidia.com/n/gpu-0", deviceid.Claim}}, s.Unresolved)
	}
	n.pod(finished(p, 65, pod.Succeeded), 65.5)
	n.list(70)
	require.Empty(t, n.set(70))
}

// TestChurnIsForgotten: 500 pods in ten minutes, for three hours.
func TestChurnIsForgotten(t *testing.T) {
	n := newNode(t, true).sync(0)
	closed := 0
	for i := range 9000 {
		when := float64(i) * 1.2
		p := holder(fmt.Sprintf("u%d", i), when)
		p.Containers[0].Devices = []pod.Device{{Resource: "nvidia.com/gpu", ID: uuid(i % 8)}}
		n.pod(p, when+0.1)
		n.pod(finished(p, when+1, pod.Succeeded), when+1.1)
		n.Gone(p.UID, at(when+1.15))
		if i%8 == 7 {
			n.list(when + 1.18)
			closed += len(n.set(when + 1.19))
		}
	}
	require.Equal(t, 9000, closed, "each once")
	require.Less(t, n.Len(), 60, "those of the last half minute")
	require.Less(t, len(n.closed), 3100, "those of the last hour")
	require.Less(t, len(n.lastEnd), 10)
}
