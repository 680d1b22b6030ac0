// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package k8sgpureceiver

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	corev1 "k8s.io/api/core/v1"
	podresources "k8s.io/kubelet/pkg/apis/podresources/v1"
	pods "k8s.io/kubelet/pkg/apis/pods/v1alpha1"
)

// TestOrderOfListsSaysNothing: PodResources is made from maps. Whatever the
// order of pods, containers, devices and ids, and however often a device is
// listed, it is the same list.
func TestOrderOfListsSaysNothing(t *testing.T) {
	r := newRig(t, nil)
	list := &podresources.ListPodResourcesResponse{}
	known := make([]*pods.WatchPodsEvent, 0, 3)
	for i := range 3 {
		name := fmt.Sprintf("ml/p%d", i)
		containers := &corev1.PodSpec{Containers: []corev1.Container{{Name: "a"}, {Name: "b"}}}
		p, err := podOf(name, map[string]any{"metadata": map[string]any{"uid": fmt.Sprint("uid-", i)}})
		require.NoError(t, err)
		p.Spec = *containers
		data, err := p.Marshal()
		require.NoError(t, err)
		known = append(known, &pods.WatchPodsEvent{Type: pods.EventType_ADDED, Pod: data})
		list.PodResources = append(list.PodResources, twoContainers(p.Name, i))
	}
	r.kubelet.Known(known...)
	r.kubelet.AnswerInTurn(list)
	r.kubelet.Start(t)
	r.synced()
	first, _ := r.batch()
	require.Len(t, first.Allocations, 12)
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 1))
		r.kubelet.AnswerInTurn(shuffled(random, list), shuffled(random, list), shuffled(random, list))
		asked := r.kubelet.Lists()
		got, _ := r.batch()
		require.Equal(t, asked+2, r.kubelet.Lists(), "two lists are equal")
		require.Len(t, got.AllocationCounts, 1)
		require.Len(t, got.Allocations, len(first.Allocations))
		for i := range got.Allocations {
			got.Allocations[i].Time = first.Allocations[i].Time
		}
		require.Equal(t, first.Allocations, got.Allocations)
	}
}

// twoContainers has two devices each, all on two NUMA nodes.
func twoContainers(name string, number int) *podresources.PodResources {
	out := &podresources.PodResources{Namespace: "ml", Name: name}
	for c, container := range []string{"a", "b"} {
		listed := &podresources.ContainerResources{Name: container}
		for d := range 2 {
			id := fmt.Sprintf("GPU-2f6d1c30-77aa-4e52-b1d4-%012d", number*4+c*2+d)
			for node := range int64(2) {
				listed.Devices = append(listed.Devices, &podresources.ContainerDevices{
					ResourceName: "nvidia.com/gpu", DeviceIds: []string{id},
					Topology: &podresources.TopologyInfo{Nodes: []*podresources.NUMANode{{ID: node}}},
				})
			}
		}
		out.Containers = append(out.Containers, listed)
	}
	return out
}

func shuffled(random *rand.Rand, list *podresources.ListPodResourcesResponse) *podresources.ListPodResourcesResponse {
	out := proto.CloneOf(list)
	swap(random, out.PodResources)
	for _, p := range out.PodResources {
		swap(random, p.Containers)
		for _, c := range p.Containers {
			swap(random, c.Devices)
		}
	}
	return out
}

func swap[T any](random *rand.Rand, all []T) {
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
}
