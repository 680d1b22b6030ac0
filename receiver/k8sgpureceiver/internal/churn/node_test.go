// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

//go:build churn && linux

package churn

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	podresources "k8s.io/kubelet/pkg/apis/podresources/v1"
	pods "k8s.io/kubelet/pkg/apis/pods/v1alpha1"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/kubelettest"
)

// devices is how many GPUs the node has.
const devices = 16

// A pod lives so long, so that each is in several collections.
const shortest, longest = 5 * time.Second, 25 * time.Second

// node is a node that is always full: where a pod ends, another begins.
type node struct {
	t       *testing.T
	kubelet *kubelettest.Kubelet
	random  *rand.Rand
	free    []string // slots
	alive   map[types.UID]*tenant
	over    map[types.UID]*corev1.Pod // ended, their objects are there
	begun   int
	ended   map[string]time.Time // by UID
}

// tenant is a pod, its slot and its last moment.
type tenant struct {
	pod  *corev1.Pod
	slot string
	ends time.Time
}

// newNode returns a node for so many pods at a time.
func newNode(t *testing.T, most int) *node {
	t.Helper()
	n := &node{
		t: t, kubelet: kubelettest.New(t), random: rand.New(rand.NewPCG(1, 2)),
		alive: map[types.UID]*tenant{}, over: map[types.UID]*corev1.Pod{}, ended: map[string]time.Time{},
	}
	for i := range most {
		n.free = append(n.free, fmt.Sprintf("GPU-%08d-c4a2-4d1e-8f00-5d2b6a90e7c1::%d", i%devices, i/devices))
	}
	offered := make([]*podresources.ContainerDevices, 0, most)
	for _, slot := range n.free {
		offered = append(offered, &podresources.ContainerDevices{ResourceName: "nvidia.com/gpu", DeviceIds: []string{slot}})
	}
	n.kubelet.Offer(offered...)
	n.kubelet.Answer(n.list(), nil)
	n.kubelet.Start(t)
	return n
}

// step lets pods end whose time is over, and begins others in their place.
func (n *node) step(refill bool) {
	now := time.Now()
	for uid, p := range n.over { // of the step before
		n.send(pods.EventType_DELETED, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{UID: uid, Name: p.Name, Namespace: p.Namespace}})
		delete(n.over, uid)
	}
	for uid, a := range n.alive {
		if now.Before(a.ends) && refill {
			continue
		}
		n.finish(a, now)
		delete(n.alive, uid)
	}
	for refill && len(n.free) > 0 {
		n.begin(now)
	}
	n.kubelet.Answer(n.list(), nil)
}

func (n *node) begin(now time.Time) {
	slot := n.free[0]
	n.free = n.free[1:]
	n.begun++
	uid := types.UID(fmt.Sprintf("%08d-9b1f-4c55-a0d7-2f6e41c3b8aa", n.begun))
	p := newPod(uid, fmt.Sprintf("job-%d", n.begun), now)
	n.send(pods.EventType_ADDED, p)
	run(p, slot, now)
	n.send(pods.EventType_MODIFIED, p)
	lives := shortest + time.Duration(n.random.Int64N(int64(longest-shortest)))
	n.alive[uid] = &tenant{pod: p, slot: slot, ends: now.Add(lives)}
}

// finish ends a pod in one of the ways in which pods end.
func (n *node) finish(a *tenant, now time.Time) {
	at, phase, code := metav1.NewTime(now), corev1.PodSucceeded, int32(0)
	switch n.random.IntN(3) {
	case 0:
		a.pod.DeletionTimestamp, a.pod.DeletionGracePeriodSeconds = &at, new(int64(1))
		n.send(pods.EventType_MODIFIED, a.pod)
	case 1:
		phase, code = corev1.PodFailed, 1
	}
	status := &a.pod.Status
	status.Phase, status.Conditions[1].Status = phase, corev1.ConditionFalse
	state := &status.ContainerStatuses[0].State
	state.Terminated = &corev1.ContainerStateTerminated{StartedAt: state.Running.StartedAt, FinishedAt: at, ExitCode: code}
	state.Running = nil
	n.send(pods.EventType_MODIFIED, a.pod)
	n.over[a.pod.UID] = a.pod
	n.ended[string(a.pod.UID)] = now
	n.free = append(n.free, a.slot)
}

// restart is one of the kubelet: its connections end, its socket is made anew.
// Nothing changes until the collector watches again: what nobody sees go has no
// end that could be told.
func (n *node) restart() {
	n.kubelet.Stop()
	var known []*pods.WatchPodsEvent
	for _, a := range n.alive {
		known = append(known, n.event(pods.EventType_ADDED, a.pod))
	}
	for _, p := range n.over {
		known = append(known, n.event(pods.EventType_ADDED, p))
	}
	n.kubelet.Known(known...)
	n.kubelet.Start(n.t)
	n.watched()
}

// watched waits until the collector watches.
func (n *node) watched() {
	require.Eventually(n.t, func() bool { return n.kubelet.Watchers() > 0 }, patience, 10*time.Millisecond, "the collector watches")
}

func (n *node) send(kind pods.EventType, p *corev1.Pod) { n.kubelet.Send(n.event(kind, p)) }

func (n *node) event(kind pods.EventType, p *corev1.Pod) *pods.WatchPodsEvent {
	data, err := p.Marshal()
	require.NoError(n.t, err)
	return &pods.WatchPodsEvent{Type: kind, Pod: data}
}

func (n *node) list() *podresources.ListPodResourcesResponse {
	out := &podresources.ListPodResourcesResponse{}
	for _, uid := range slices.Sorted(maps.Keys(n.alive)) {
		a := n.alive[uid]
		out.PodResources = append(out.PodResources, &podresources.PodResources{
			Name: a.pod.Name, Namespace: a.pod.Namespace, Containers: []*podresources.ContainerResources{{
				Name: "work", Devices: []*podresources.ContainerDevices{{ResourceName: "nvidia.com/gpu", DeviceIds: []string{a.slot}}},
			}},
		})
	}
	return out
}
