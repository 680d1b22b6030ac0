// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

//go:build cgo && linux

package dcgm

import (
	"fmt"
	"strings"
	"testing"

	nv "github.com/NVIDIA/go-dcgm/pkg/dcgm"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/standin"
)

// mixed is an engine with an H100, another in two instances, and a connection.
func mixed(t *testing.T) *script {
	t.Helper()
	s := newScript(t)
	s.must(s.Board(0, standin.H100))
	s.must(s.Board(1, standin.H100, twoInstances...))
	s.say("start")
	connect(t)
	return s
}

// mustWatch watches fields of entities until the test ends.
func mustWatch(t *testing.T, fields []nv.Short, entities ...nv.GroupEntityPair) (nv.GroupHandle, nv.FieldHandle) {
	t.Helper()
	group, ids, err := watch(t, "w", fields, entities...)
	if err != nil {
		t.Fatal(err)
	}
	return group, ids
}

func notWatched(t *testing.T) {
	mixed(t)
	expect(t, "integer", latest(t, gpuEntity(0), 203), "-16 i 9223372036854775792 -")
	expect(t, "text of an unknown entity", latest(t, gpuEntity(30), 54), "-16 s <<<NULL>>> -")
}

func noData(t *testing.T) {
	s := mixed(t)
	s.say("gpu 2 GPU-fake 2 Fake")
	s.say("status 2 5")
	s.say("unset gpu 0 150")
	mustWatch(t, []nv.Short{150, 203, 230}, gpuEntity(0), gpuEntity(2))
	expect(t, "never sampled", latest(t, gpuEntity(0), 150), "-14 i 9223372036854775792 -")
	expect(t, "fake GPU", latest(t, gpuEntity(2), 203), "-14 i 9223372036854775792 -")
	expect(t, "no XID", latest(t, gpuEntity(0), 230), "-14 i 9223372036854775792 -")
}

func notSupported(t *testing.T) {
	s := mixed(t)
	mustWatch(t, []nv.Short{203}, gpuEntity(1), giEntity(7), ciEntity(7))
	s.pass(second)
	for _, e := range []nv.GroupEntityPair{gpuEntity(1), giEntity(7), ciEntity(7)} {
		expect(t, e.EntityGroupId.String(), latest(t, e, 203), "0 i 9223372036854775794 1s")
	}
}

func firstOfGPM(t *testing.T) {
	s := mixed(t)
	s.must(s.Set(standin.CI(8), 1001, standin.Double(0.25)))
	mustWatch(t, []nv.Short{1001}, gpuEntity(0), ciEntity(8))
	expect(t, "board", latest(t, gpuEntity(0), 1001), "0 d 1.40737488355328e+14 0s")
	expect(t, "instance", latest(t, ciEntity(8), 1001), "0 d 1.40737488355328e+14 0s")
	s.pass(second)
	expect(t, "the second one", latest(t, ciEntity(8), 1001), "0 d 0.25 1s")
}

func tooLow(t *testing.T) {
	s := mixed(t)
	s.must(s.Set(standin.CI(8), 1005, standin.Double(0.25)))
	mustWatch(t, []nv.Short{1005}, ciEntity(8))
	for range 3 {
		s.pass(second)
	}
	expect(t, "1005", latest(t, ciEntity(8), 1005), "0 d 1.40737488355328e+14 3s")
}

func unreachable(t *testing.T) {
	s := mixed(t)
	mustWatch(t, []nv.Short{54, 203, 1001}, gpuEntity(0), gpuEntity(1))
	blank := func(what string, e nv.GroupEntityPair, at string) {
		t.Helper()
		expect(t, what, latest(t, e, 203), "0 i 9223372036854775792 "+at)
		expect(t, what, latest(t, e, 1001), "0 d 1.40737488355328e+14 "+at)
		expect(t, what, latest(t, e, 54), "0 s <<<NULL>>> "+at)
	}
	s.say("status 0 4")
	s.pass(second)
	blank("lost", gpuEntity(0), "1s")
	s.say("status 0 1")
	s.say("detach")
	s.pass(second)
	blank("detached", gpuEntity(0), "2s")
	blank("detached", gpuEntity(1), "2s")
}

func textForInteger(t *testing.T) {
	mixed(t)
	mustWatch(t, []nv.Short{526}, gpuEntity(0))
	expect(t, "526", latest(t, gpuEntity(0), 526), "0 s <<<NOT_SUPPORTED>>> 0s")
}

func valueOfBoard(t *testing.T) {
	s := mixed(t)
	s.must(s.Set(standin.GPU(1), 155, standin.Double(412)))
	all := []nv.GroupEntityPair{gpuEntity(1), giEntity(7), giEntity(8), ciEntity(7), ciEntity(8)}
	mustWatch(t, []nv.Short{155}, all...)
	for _, e := range all {
		expect(t, fmt.Sprint(e), latest(t, e, 155), "0 d 412 0s")
	}
}

func factsOfInstance(t *testing.T) {
	mixed(t)
	mustWatch(t, []nv.Short{50, 54, 252}, giEntity(7), giEntity(8), ciEntity(7), ciEntity(8))
	expect(t, "UUID of a GPU instance is its first compute instance's", latest(t, giEntity(7), 54), "0 s MIG-a 0s")
	expect(t, "UUID of a compute instance", latest(t, ciEntity(8), 54), "0 s MIG-b 0s")
	expect(t, "name of a GPU instance is its profile", latest(t, giEntity(8), 50), "0 s 3g.40gb 0s")
	expect(t, "name of a compute instance", latest(t, ciEntity(7), 50), "0 s 1g.10gb 0s")
	expect(t, "memory of a GPU instance", latest(t, giEntity(7), 252), "0 i 16 0s")
}

func idsOfInstances(t *testing.T) {
	s := mixed(t)
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
