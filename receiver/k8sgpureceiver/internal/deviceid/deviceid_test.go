// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package deviceid

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

const (
	uuidA = "GPU-5f1c6f3e-0a3d-4b2e-9c1a-000000000000"
	uuidB = "GPU-5f1c6f3e-0a3d-4b2e-9c1a-00000000000b"
	mig   = "MIG-41b35c1e-0c3c-5e5c-a6a5-1d3fbd4d4a11"
	old   = "MIG-" + uuidA + "/7/0"
)

func catalog() *Catalog {
	return &Catalog{
		Resources: []string{"example.com/renamed"},
		Minors:    map[int]gpu.DeviceID{0: uuidB, 3: uuidA},
		Indexes:   map[int]gpu.DeviceID{0: uuidA, 1: uuidB},
		Instances: map[Instance]gpu.DeviceID{{0, 7}: mig},
	}
}

func TestResolve(t *testing.T) {
	for name, test := range map[string]struct {
		resource, id string
		want         Device
	}{
		"exclusive":         {"nvidia.com/gpu", uuidA, Device{ID: uuidA, Ref: uuidA, Sharing: gpu.Exclusive}},
		"time slice":        {"nvidia.com/gpu", uuidA + "::3", Device{ID: uuidA, Ref: uuidA, Sharing: gpu.TimeSlicing, Slot: "3"}},
		"renamed by plugin": {"nvidia.com/gpu.shared", uuidA + "::0", Device{ID: uuidA, Ref: uuidA, Sharing: gpu.TimeSlicing, Slot: "0"}},
		"MIG single":        {"nvidia.com/gpu", mig, Device{ID: mig, Ref: mig, Sharing: gpu.MIG}},
		"MIG mixed":         {"nvidia.com/mig-1g.5gb.me", mig, Device{ID: mig, Ref: mig, Sharing: gpu.MIG}},
		"MIG shared":        {"nvidia.com/mig-1g.10gb.shared", mig + "::1", Device{ID: mig, Ref: mig, Sharing: gpu.TimeSlicing, Slot: "1"}},
		"MIG before R470":   {"nvidia.com/gpu", old, Device{ID: old, Ref: old, Sharing: gpu.MIG}},
		"HAMi":              {"nvidia.com/gpu", uuidA + "-4", Device{ID: uuidA, Ref: uuidA, Sharing: gpu.VGPU, Slot: "4"}},
		"any name, by form": {"volcano.sh/vgpu-number", uuidA + "-4", Device{ID: uuidA, Ref: uuidA, Sharing: gpu.VGPU, Slot: "4"}},
		"GKE: the minor, not the index": {
			"nvidia.com/gpu", "nvidia0",
			Device{ID: uuidB, Ref: "nvidia.com/gpu/nvidia0", Sharing: gpu.Exclusive},
		},
		"GKE shared":     {"nvidia.com/gpu", "nvidia3/vgpu1", Device{ID: uuidA, Ref: "nvidia.com/gpu/nvidia3", Sharing: gpu.TimeSlicing, Slot: "1"}},
		"GKE MIG":        {"nvidia.com/gpu", "nvidia0/gi7", Device{ID: mig, Ref: "nvidia.com/gpu/nvidia0/gi7", Sharing: gpu.MIG}},
		"GKE MIG shared": {"nvidia.com/gpu", "nvidia0/gi7/vgpu0", Device{ID: mig, Ref: "nvidia.com/gpu/nvidia0/gi7", Sharing: gpu.TimeSlicing, Slot: "0"}},
		"GKE MIG, by number": {
			"nvidia.com/gpu", "nvidia0/gi9",
			Device{Ref: "nvidia.com/gpu/nvidia0/gi9", Why: UnknownMIG, Board: uuidB, Number: 9, Sharing: gpu.MIG},
		},
		"GKE MIG unknown": {"nvidia.com/gpu", "nvidia8/gi1", Device{Ref: "nvidia.com/gpu/nvidia8/gi1", Why: UnknownMIG, Number: 1, Sharing: gpu.MIG}},
		"unknown minor":   {"nvidia.com/gpu", "nvidia9", Device{Ref: "nvidia.com/gpu/nvidia9", Why: UnknownMinor, Sharing: gpu.Exclusive}},
		"index":           {"nvidia.com/gpu", "1", Device{ID: uuidB, Ref: "nvidia.com/gpu/1", Sharing: gpu.Exclusive}},
		"index, a slot":   {"nvidia.com/gpu", "1::2", Device{ID: uuidB, Ref: "nvidia.com/gpu/1", Sharing: gpu.TimeSlicing, Slot: "2"}},
		"unknown index":   {"nvidia.com/gpu", "8", Device{Ref: "nvidia.com/gpu/8", Why: UnknownIndex, Sharing: gpu.Exclusive}},
		"AMD":             {"amd.com/gpu", "0000:03:00.0", Device{Ref: "amd.com/gpu/0000:03:00.0", Why: AllocationOnly, Sharing: gpu.Exclusive}},
		"AMD partition":   {"amd.com/cpx_nps4", "amdgpu_xcp_3", Device{Ref: "amd.com/cpx_nps4/amdgpu_xcp_3", Why: AllocationOnly, Sharing: gpu.Exclusive}},
		"Intel":           {"gpu.intel.com/i915", "card0-2", Device{Ref: "gpu.intel.com/i915/card0", Why: AllocationOnly, Sharing: gpu.TimeSlicing, Slot: "2"}},
		"another form":    {"nvidia.com/gpu", "GPU-what?", Device{Ref: "nvidia.com/gpu/GPU-what?", Why: UnknownForm, Sharing: gpu.Exclusive}},
		"no number":       {"nvidia.com/gpu", uuidA + "::x", Device{Ref: "nvidia.com/gpu/" + uuidA + "::x", Why: UnknownForm, Sharing: gpu.Exclusive}},
		"configured":      {"example.com/renamed", "thing", Device{Ref: "example.com/renamed/thing", Why: UnknownForm, Sharing: gpu.Exclusive}},
	} {
		got, ok := catalog().Resolve(Name{test.resource, test.id})
		require.True(t, ok, name)
		require.Equal(t, test.want, got, name)
		require.Equal(t, test.want.ID == "", got.Why != Resolved, name)
	}
}

func TestOtherDevicesAreNoGPUs(t *testing.T) {
	for _, n := range []Name{
		{"rdma/hca", "0"},
		{"nvidia.com/hostdev", "0000:3b:00.2"},
		{"nvidia.com/GA102GL_A10", "28"},
		{"amd.com/xilinx_u30", "0"},
		{"gpu.intel.com/monitoring", "card0"},
		{"", ""},
	} {
		_, ok := catalog().Resolve(n)
		require.False(t, ok, n)
	}
}

func TestReplicasCanBeMPS(t *testing.T) {
	c := &Catalog{Replicas: gpu.MPS}
	d, _ := c.Resolve(Name{"nvidia.com/gpu", uuidA + "::3"})
	require.Equal(t, gpu.MPS, d.Sharing)
}

func TestParseHAMi(t *testing.T) {
	got, err := ParseHAMi(uuidA + ",NVIDIA,3000,30:" + uuidB + ",NVIDIA,1000,0:;" + uuidA + ",NVIDIA,500,5:;")
	require.NoError(t, err)
	require.Equal(t, []Slice{
		{Container: 0, Device: uuidA, MemoryMiB: 3000, Cores: 30},
		{Container: 0, Device: uuidB, MemoryMiB: 1000},
		{Container: 1, Device: uuidA, MemoryMiB: 500, Cores: 5},
	}, got)
	require.InDelta(t, 0.3, got[0].Share(), 1e-12)
	for text, want := range map[string]string{
		"GPU-1,NVIDIA,1,1:":       `"GPU-1" isn't the UUID`,
		uuidA + ",NVIDIA,1:":      "want UUID,type,memory,cores",
		uuidA + ",NVIDIA,x,1:":    `memory "x"`,
		uuidA + ",NVIDIA,1,101:":  `cores "101"`,
		uuidA + ",NVIDIA,1,many:": `cores "many"`,
	} {
		_, err := ParseHAMi(text)
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, AnnotationHAMi)
	}
}

func TestReservations(t *testing.T) {
	require.True(t, IsReservation("kai-resource-reservation", nil))
	require.True(t, IsReservation("runai-reservation", nil))
	require.True(t, IsReservation("mine", map[string]string{AnnotationReservedGPU: uuidA}))
	require.False(t, IsReservation("ml", map[string]string{AnnotationFraction: "0.5"}))
	require.Equal(t, []string{"g1"}, ReservationGroups(map[string]string{"runai-gpu-group": "g1", "app": "x"}))
	require.Equal(t, []string{"a", "b"}, ReservationGroups(map[string]string{"runai-gpu-group/b": "b", "runai-gpu-group/a": "a", "runai-gpu-group": "a"}))
	require.Empty(t, ReservationGroups(nil))
}

func TestFraction(t *testing.T) {
	const device = 46068 // MiB, an L40S
	for text, want := range map[string]bool{"0.5": true, "1": true, "0": false, "1.5": false, "-1": false, "NaN": false, "half": false} {
		f := ParseFraction(map[string]string{AnnotationFraction: text})
		_, known := f.Of(device)
		require.Equal(t, want, known, text)
		require.Equal(t, 1, f.Devices)
	}
	for memory, want := range map[string]float64{"11517": 0.25, "46068": 1, "99999999": 1, "0": 0, "-1": 0, "4Gi": 0, "": 0} {
		f := ParseFraction(map[string]string{AnnotationMemory: memory})
		share, known := f.Of(device)
		require.InDelta(t, want, share, 0, memory)
		require.Equal(t, want > 0, known, memory)
		_, known = f.Of(0)
		require.False(t, known, "%s of an unknown device", memory)
	}
	both := ParseFraction(map[string]string{AnnotationFraction: "0.5", AnnotationMemory: "1"})
	require.Equal(t, Fraction{Share: 0.5, Devices: 1}, both)
	for text, want := range map[string]int{"2": 2, "0": 1, "-1": 1, "65": 1, "many": 1, "": 1} {
		require.Equal(t, want, ParseFraction(map[string]string{AnnotationDevices: text}).Devices, text)
	}
}

// FuzzResolve: no id panics, and a UUID is one.
func FuzzResolve(f *testing.F) {
	for _, id := range []string{uuidA, uuidA + "::1", uuidA + "-1", mig, old, "nvidia0/gi7/vgpu0", "card0-1", "::", "99999999999"} {
		f.Add("nvidia.com/gpu", id)
	}
	f.Add("amd.com/gpu", "0000:03:00.0")
	known := regexp.MustCompile(`^(GPU|MIG)-`)
	f.Fuzz(func(t *testing.T, resource, id string) {
		d, ok := catalog().Resolve(Name{resource, id})
		if !ok {
			return
		}
		if d.Ref == "" || (d.ID == "") != (d.Why != Resolved) || d.ID != "" && !known.MatchString(string(d.ID)) {
			t.Errorf("%q of %q: %+v", id, resource, d)
		}
		_, _ = ParseHAMi(id)
	})
}
