// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	resourcev1 "k8s.io/api/resource/v1"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/deviceid"
)

func load[T any](t *testing.T, name string) (out []T) {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &out))
	return out
}

// store returns one that has read the slices of testdata.
func store(t *testing.T) *Store {
	t.Helper()
	s := &Store{}
	for _, slice := range load[resourcev1.ResourceSlice](t, "slices.json") {
		s.PutSlice(ReadSlice(&slice))
	}
	return s
}

func device(name string) ID { return ID{"gpu.nvidia.com", "node-1", name} }

func uuid(n string) string { return "GPU-00000000-0000-4000-8000-0000000000" + n }

func TestRead(t *testing.T) {
	all := load[resourcev1.ResourceClaim](t, "claims.json")
	c := Read(&all[0])
	require.Equal(t, Claim{
		Key: Key{"ml", "shared"}, Allocated: gpu.Time(time.Date(2026, 3, 1, 10, 0, 5, 0, time.UTC).UnixNano()),
		Grants: []Grant{
			{Device: Device{ID: device("gpu-0")}, Request: "a"},
			{Device: Device{device("gpu-4"), "s1"}, Request: "b/small", Consumed: map[string]float64{"memory": 20 << 30, "shares": 5}},
			{Device: Device{ID: device("gpu-4")}, Request: "watch", Admin: true},
		},
		Pods: []string{"u1", "u2"},
	}, c)
	require.True(t, c.ReservedFor("u2"))
	require.False(t, c.ReservedFor("u3"))
	g, ok := c.Find(Device{device("gpu-4"), "s1"})
	require.True(t, ok)
	for request, want := range map[string]bool{"": true, "b": true, "b/small": true, "b/large": false, "a": false} {
		require.Equal(t, want, g.Answers(request), request)
	}
	_, ok = c.Find(Device{device("gpu-4"), "s2"})
	require.False(t, ok, "a share is a device of its own")

	group := Read(&all[1])
	require.Empty(t, group.Grants)
	require.True(t, group.ReservedFor("anyone"), "pods of a group aren't named")
	all[0].Status.Allocation.AllocationTimestamp = nil
	require.Equal(t, gpu.NoTime, Read(&all[0]).Allocated)
}

func TestResolve(t *testing.T) {
	s := store(t)
	for id, want := range map[ID]deviceid.Device{
		device("gpu-0"):                  {ID: gpu.DeviceID(uuid("00")), Ref: uuid("00"), Sharing: gpu.Exclusive},
		device("gpu-1-mig-1g.10gb-19-0"): {ID: "MIG-00000000-0000-4000-8000-000000000010", Ref: "MIG-00000000-0000-4000-8000-000000000010", Sharing: gpu.MIG},
		device("gpu-2-mig-1g12gb-19-0"):  {Ref: "gpu.nvidia.com/node-1/gpu-2-mig-1g12gb-19-0", Why: deviceid.UnknownMIG, Sharing: gpu.MIG},
		device("gpu-vfio-3"):             {Ref: "gpu.nvidia.com/node-1/gpu-vfio-3", Why: deviceid.AllocationOnly, Sharing: gpu.Exclusive},
		{"fork.example.com", "node-1", "d"}: {
			ID: gpu.DeviceID(uuid("07")), Ref: uuid("07"), Sharing: gpu.Exclusive,
		},
		{"gpu.amd.com", "node-1", "gpu-0-128"}: {Ref: "gpu.amd.com/node-1/gpu-0-128", Why: deviceid.AllocationOnly, Sharing: gpu.Exclusive},
	} {
		o, ok := s.Offer(id)
		require.True(t, ok, id)
		require.True(t, o.IsGPU(), id)
		require.Equal(t, want, o.Resolve(), id)
	}
	o, _ := s.Offer(device("gpu-2-mig-1g12gb-19-0"))
	require.Equal(t, uuid("02"), o.Parent)
	require.Equal(t, "1g.12gb", o.Profile)
	nic, ok := s.Offer(ID{"nic.example.com", "node-1", "eth0"})
	require.True(t, ok)
	require.False(t, nic.IsGPU())
	bare := Offer{ID: device("gpu-8")}
	require.Equal(t, deviceid.UnknownForm, bare.Resolve().Why)
}

// TestGenerations: slices of an older generation are void, but a device that is
// offered no more is still whose it was.
func TestGenerations(t *testing.T) {
	s := store(t)
	_, ok := s.Offer(device("gpu-9"))
	require.False(t, ok, "of the older generation")
	require.Len(t, s.GPUs(), 7)
	require.Equal(t, "node-1", s.GPUs()[0].Node)
	s.PutSlice(Slice{Name: "whole", Pool: Pool{"gpu.nvidia.com", "node-1"}, Generation: 3, Offers: []Offer{{ID: device("gpu-7"), UUID: uuid("07")}}})
	o, ok := s.Offer(device("gpu-0"))
	require.True(t, ok)
	require.Equal(t, uuid("00"), o.UUID)
	require.Len(t, s.GPUs(), 3)
	s.DropSlice("whole")
	require.Len(t, s.GPUs(), 4, "the older generation is the newest now")
}

// TestOffersAreBounded: those of a node that publishes ever new names are
// forgotten, those of a large cluster aren't looked through at each slice.
func TestOffersAreBounded(t *testing.T) {
	publish := func(s *Store, node, names string) {
		offers := make([]Offer, 64)
		for i := range offers {
			offers[i].ID = ID{"gpu.nvidia.com", node, fmt.Sprint(names, i)}
		}
		s.PutSlice(Slice{Name: node, Pool: Pool{"gpu.nvidia.com", node}, Offers: offers})
	}
	node := &Store{}
	for generation := range 1000 {
		publish(node, "n", fmt.Sprint(generation, "-"))
		require.LessOrEqual(t, len(node.offers), mostOffers+64)
	}
	cluster, passes := &Store{}, 0
	for slice := range 1000 {
		before := cluster.fresh
		publish(cluster, strconv.Itoa(slice), "")
		if cluster.fresh != before {
			passes++
		}
	}
	require.Len(t, cluster.offers, 64_000)
	require.LessOrEqual(t, passes, 4)
}

func TestTaints(t *testing.T) {
	s := store(t)
	o, _ := s.Offer(device("gpu-0"))
	require.Equal(t, []string{"gpu.nvidia.com/xid"}, o.Taints, "one without effect keeps nobody away")
}

func TestKeep(t *testing.T) {
	s := &Store{}
	a, b := Key{"ns", "a"}, Key{"ns", "b"}
	s.Put(Claim{Key: a})
	s.Put(Claim{Key: b})
	s.Keep(map[Key]bool{b: true})
	_, ok := s.Get(a)
	require.False(t, ok)
	_, ok = s.Get(b)
	require.True(t, ok)
}

func TestWants(t *testing.T) {
	yes := true
	exactly := func(class string, mode resourcev1.DeviceAllocationMode, n int64, admin *bool) resourcev1.DeviceRequest {
		return resourcev1.DeviceRequest{Exactly: &resourcev1.ExactDeviceRequest{DeviceClassName: class, AllocationMode: mode, Count: n, AdminAccess: admin}}
	}
	c := Read(&resourcev1.ResourceClaim{Spec: resourcev1.ResourceClaimSpec{Devices: resourcev1.DeviceClaim{Requests: []resourcev1.DeviceRequest{
		exactly("gpu.nvidia.com", resourcev1.DeviceAllocationModeExactCount, 2, nil), exactly("gpu.nvidia.com", "", 0, nil),
		exactly("gpu.nvidia.com", resourcev1.DeviceAllocationModeAll, 0, &yes), exactly("mig.nvidia.com", resourcev1.DeviceAllocationModeAll, 0, nil),
		exactly("nic.example.com", "", 4, nil),
		{},
		{FirstAvailable: []resourcev1.DeviceSubRequest{{DeviceClassName: "big-gpu", Count: 3}, {DeviceClassName: "small-gpu", Count: 9}}},
	}}}})
	require.Equal(t, map[string]int64{"gpu.nvidia.com": 3, "mig.nvidia.com": 1, "big-gpu": 3}, c.Wants)
}
