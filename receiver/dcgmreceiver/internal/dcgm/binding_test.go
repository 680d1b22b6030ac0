// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

//go:build cgo && linux

package dcgm

import (
	"fmt"
	"strings"
	"testing"
	"time"

	nv "github.com/NVIDIA/go-dcgm/pkg/dcgm"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/standin"
)

// These tests hold the stand-in to what was measured of DCGM 4.6 through the
// real binding: what a client meets must be the same.

// told is a value as a test writes it: status, type and value, and its time
// relative to the start ("-" if it has none).
func told(v nv.FieldValue_v1) string {
	at := "-"
	if v.TS != 0 {
		at = time.Duration((v.TS - start) * int64(time.Microsecond)).String()
	}
	switch v.FieldType {
	case nv.DCGM_FT_DOUBLE:
		return fmt.Sprintf("%d d %v %s", v.Status, v.Float64(), at)
	case nv.DCGM_FT_STRING:
		return fmt.Sprintf("%d s %s %s", v.Status, v.String(), at)
	}
	return fmt.Sprintf("%d i %d %s", v.Status, v.Int64(), at)
}

func latest(t *testing.T, e nv.GroupEntityPair, field nv.Short) string {
	t.Helper()
	values, err := nv.EntityGetLatestValues(e.EntityGroupId, e.EntityId, []nv.Short{field})
	if err != nil {
		t.Fatal(err)
	}
	return told(values[0])
}

func expect(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %q, want %q", what, got, want)
	}
}

var twoInstances = []standin.Instance{
	{Profile: "3g.40gb", Slices: 3, UUID: "MIG-b", NVML: 1},
	{Profile: "1g.10gb", Slices: 1, UUID: "MIG-a", NVML: 9},
}

// The rows of the measured table: a status of 0 doesn't mean a value.
func TestSentinels(t *testing.T) {
	s := newScript(t)
	s.must(s.Board(0, standin.H100))
	s.must(s.Board(1, standin.H100, twoInstances...))
	s.say("gpu 2 GPU-fake 2 Fake")
	s.say("status 2 5")
	s.say("start")
	connect(t)
	expect(t, "never watched", latest(t, gpuEntity(0), 203), "-16 i 9223372036854775792 -")
	expect(t, "unknown entity", latest(t, gpuEntity(30), 54), "-16 s <<<NULL>>> -")
	fields := []nv.Short{203, 230, 252, 526, 1001, 1005, 155, 50, 54}
	_, _, err := watch(t, "all", fields, gpuEntity(0), gpuEntity(1), gpuEntity(2), giEntity(7), ciEntity(7), ciEntity(8))
	if err != nil {
		t.Fatal(err)
	}
	expect(t, "fake GPU", latest(t, gpuEntity(2), 203), "-14 i 9223372036854775792 -")
	expect(t, "no XID", latest(t, gpuEntity(0), 230), "-14 i 9223372036854775792 -")
	expect(t, "unsupported field", latest(t, gpuEntity(0), 526), "0 s <<<NOT_SUPPORTED>>> 0s")
	expect(t, "first GPM sample", latest(t, gpuEntity(0), 1001), "0 d 1.40737488355328e+14 0s")
	s.must(s.Set(standin.CI(8), 1001, standin.Double(0.25)))
	s.must(s.Set(standin.CI(8), 1005, standin.Double(0.25)))
	s.must(s.Set(standin.GPU(1), 155, standin.Double(412)))
	s.pass(second)
	for _, e := range []nv.GroupEntityPair{gpuEntity(1), giEntity(7), ciEntity(7)} {
		expect(t, "203 in MIG mode", latest(t, e, 203), "0 i 9223372036854775794 1s")
	}
	expect(t, "the second GPM sample", latest(t, ciEntity(8), 1001), "0 d 0.25 1s")
	expect(t, "1005 on a compute instance", latest(t, ciEntity(8), 1005), "0 d 1.40737488355328e+14 1s")
	expect(t, "power of an instance is the board's", latest(t, giEntity(7), 155), "0 d 412 1s")
	expect(t, "name of an instance", latest(t, ciEntity(7), 50), "0 s 1g.10gb 1s")
	expect(t, "UUID of a GPU instance", latest(t, giEntity(7), 54), "0 s MIG-a 1s")
	expect(t, "UUID of a compute instance", latest(t, ciEntity(8), 54), "0 s MIG-b 1s")
}

func TestLostAndDetached(t *testing.T) {
	s := newScript(t)
	s.must(s.Board(0, standin.H100))
	s.must(s.Board(1, standin.H100))
	s.say("start")
	connect(t)
	if _, _, err := watch(t, "w", []nv.Short{54, 203, 1001}, gpuEntity(0), gpuEntity(1)); err != nil {
		t.Fatal(err)
	}
	s.say("status 1 4")
	s.pass(second)
	expect(t, "lost: 203", latest(t, gpuEntity(1), 203), "0 i 9223372036854775792 1s")
	expect(t, "lost: 54", latest(t, gpuEntity(1), 54), "0 s <<<NULL>>> 1s")
	expect(t, "the other one", latest(t, gpuEntity(0), 203), "0 i 0 1s")
	if got := nv.GetGPUStatus(1); got != nv.EntityStatusLost {
		t.Errorf("status: %v", got)
	}
	supported, err := nv.GetSupportedDevices()
	count, err2 := nv.GetAllDeviceCount()
	if err != nil || err2 != nil || len(supported) != 1 || count != 2 {
		t.Errorf("supported %v (%v), count %d (%v)", supported, err, count, err2)
	}
	s.say("status 1 1")
	s.pass(second)
	expect(t, "back", latest(t, gpuEntity(1), 203), "0 i 0 2s")
	s.say("detach")
	s.pass(second)
	expect(t, "detached", latest(t, gpuEntity(0), 203), "0 i 9223372036854775792 3s")
	if _, err := nv.GetGPUInstanceHierarchy(); err == nil {
		t.Error("detached: the hierarchy can be read")
	}
	if got := nv.GetGPUStatus(0); got != nv.EntityStatusDetached {
		t.Errorf("status: %v", got)
	}
	s.say("attach")
	s.pass(second)
	expect(t, "attached", latest(t, gpuEntity(0), 203), "0 i 0 4s")
}

func TestHierarchy(t *testing.T) {
	s := newScript(t)
	s.must(s.Board(0, standin.H100))
	s.must(s.Board(1, standin.H100, twoInstances...))
	s.say("start")
	connect(t)
	h, err := nv.GetGPUInstanceHierarchy()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range h.EntityList[:h.Count] {
		got = append(got, fmt.Sprintf("%v %d of %v %d: %s %d/%d, %d slices", e.Entity.EntityGroupId, e.Entity.EntityId,
			e.Parent.EntityGroupId, e.Parent.EntityId, e.Info.GpuUuid, e.Info.NvmlGpuIndex, e.Info.NvmlInstanceId, e.Info.NvmlProfileSlices))
	}
	expect(t, "hierarchy", strings.Join(got, "\n"), strings.Join([]string{
		"GPU Instance 7 of GPU 1: " + standin.UUID(1) + " 1/9, 1 slices",
		"GPU Compute Instance 7 of GPU Instance 7: " + standin.UUID(1) + " 1/9, 1 slices",
		"GPU Instance 8 of GPU 1: " + standin.UUID(1) + " 1/1, 3 slices",
		"GPU Compute Instance 8 of GPU Instance 8: " + standin.UUID(1) + " 1/1, 3 slices",
	}, "\n"))
	s.say("remove-mig 1")
	if h, err = nv.GetGPUInstanceHierarchy(); err != nil || h.Count != 0 {
		t.Errorf("after the instances are gone: %d (%v)", h.Count, err)
	}
}
