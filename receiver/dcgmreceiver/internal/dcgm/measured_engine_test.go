// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

//go:build cgo && linux

package dcgm

import (
	"strings"
	"testing"
	"time"

	nv "github.com/NVIDIA/go-dcgm/pkg/dcgm"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/standin"
)

// patient is a hundredth of what a real engine takes for what takes long.
const patient = 20 * time.Millisecond

func read203() error {
	_, err := nv.EntityGetLatestValues(nv.FE_GPU, 0, []nv.Short{203})
	return err
}

func reconnect(t *testing.T) {
	t.Helper()
	if err := nv.Shutdown(); err != nil {
		t.Fatal(err)
	}
	if _, err := nv.Init(nv.Standalone, "unix:///run/dcgm.sock"); err != nil {
		t.Fatal(err)
	}
}

func death(t *testing.T) {
	s := mixed(t)
	mustWatch(t, []nv.Short{203}, gpuEntity(0))
	s.say("latency * %d", patient.Microseconds()) // as after a SIGTERM; at once after a SIGKILL
	s.say("die")
	if took, err := takes(read203); codeOf(err) != codeGone || took < patient {
		t.Fatalf("of a dead engine, after %v: %v", took, err)
	}
	s.say("start")
	for range 3 {
		if err := read203(); codeOf(err) != codeGone {
			t.Fatalf("the old connection to the new engine: %v", err)
		}
	}
	reconnect(t)
	expect(t, "the old watch", latest(t, gpuEntity(0), 203), "-16 i 9223372036854775792 -")
	mustWatch(t, []nv.Short{203}, gpuEntity(0))
	expect(t, "a new one", latest(t, gpuEntity(0), 203), "0 i 0 0s")
}

func restart(t *testing.T) {
	s := mixed(t)
	group, fields := mustWatch(t, []nv.Short{203}, gpuEntity(0))
	s.say("die")
	s.say("start")
	s.say("group theirs gpu 1")
	reconnect(t)
	info, err := nv.GetGroupInfo(group)
	if err != nil || info.GroupName != "theirs" || info.EntityList[0] != gpuEntity(1) {
		t.Errorf("the old id: %+v, %v", info, err)
	}
	if _, _, err = nv.GetValuesSince(group, fields, time.Time{}); err == nil {
		t.Error("the old watch is still there")
	}
}

func madeIsGone(t *testing.T) {
	s := mixed(t)
	ids, err := nv.CreateFakeEntities([]nv.MigHierarchyInfo{{Entity: gpuEntity(0)}})
	if err != nil || len(ids) != 1 || nv.GetGPUStatus(ids[0]) != nv.EntityStatusFake {
		t.Fatalf("make a GPU: %v, %v", ids, err)
	}
	if err = nv.InjectFieldValue(ids[0], 203, nv.DCGM_FT_INT64, 0, start, int64(55)); err != nil {
		t.Fatal(err)
	}
	expect(t, "injected", latest(t, gpuEntity(ids[0]), 203), "0 i 55 0s")
	if n, err := nv.GetAllDeviceCount(); err != nil || n != 3 {
		t.Errorf("%d GPUs (%v)", n, err)
	}
	s.say("die")
	s.say("start")
	reconnect(t)
	if n, err := nv.GetAllDeviceCount(); err != nil || n != 2 {
		t.Errorf("after the restart: %d GPUs (%v)", n, err)
	}
	expect(t, "after the restart", latest(t, gpuEntity(ids[0]), 203), "-16 i 9223372036854775792 -")
}

func nobodyListens(t *testing.T) {
	s := newScript(t)
	s.say("refuse %d", patient.Microseconds())
	for _, args := range [][]string{{"localhost:5555", "0"}, {"unix:///run/dcgm.sock"}} {
		took, err := takes(func() error {
			_, err := nv.Init(nv.Standalone, args...)
			return err
		})
		if err == nil || !strings.Contains(err.Error(), "onnection") || took < patient {
			t.Errorf("connect to %s, after %v: %v", args[0], took, err)
		}
	}
}

func hang(t *testing.T) {
	s := mixed(t)
	mustWatch(t, []nv.Short{203}, gpuEntity(0))
	s.say("hang %d", patient.Microseconds())
	if took, err := takes(read203); codeOf(err) != codeTimeout || took < patient {
		t.Fatalf("of a hung engine, after %v: %v", took, err)
	}
	s.say("hang 0")
	s.pass(second)
	expect(t, "after it woke", latest(t, gpuEntity(0), 203), "0 i 0 1s")
}

func clientGoes(t *testing.T) {
	mixed(t)
	group, fields := mustWatch(t, []nv.Short{203}, gpuEntity(0))
	reconnect(t) // nothing was given back
	if info, err := nv.GetGroupInfo(group); err == nil {
		t.Errorf("its group is still there: %+v", info)
	}
	if _, _, err := nv.GetValuesSince(group, fields, time.Time{}); err == nil {
		t.Error("its watch is still there")
	}
	if _, err := nv.FieldGroupCreate("w", []nv.Short{203}); err != nil {
		t.Errorf("its field group still has the name: %v", err)
	}
}

// countGPUs holds how many there are, and are supported.
func countGPUs(t *testing.T, all uint, supported int) {
	t.Helper()
	count, err := nv.GetAllDeviceCount()
	usable, err2 := nv.GetSupportedDevices()
	if err != nil || err2 != nil || count != all || len(usable) != supported {
		t.Errorf("%d GPUs (%v), supported %v (%v)", count, err, usable, err2)
	}
}

func lost(t *testing.T) {
	s := mixed(t)
	mustWatch(t, []nv.Short{203}, gpuEntity(0), gpuEntity(1))
	s.say("status 0 4")
	s.pass(second)
	countGPUs(t, 2, 1)
	if got := nv.GetGPUStatus(0); got != nv.EntityStatusLost {
		t.Errorf("status: %v", got)
	}
	s.say("status 0 1")
	s.pass(second)
	countGPUs(t, 2, 2)
	expect(t, "back", latest(t, gpuEntity(0), 203), "0 i 0 2s")
}

func detached(t *testing.T) {
	s := mixed(t)
	mustWatch(t, []nv.Short{203}, gpuEntity(0))
	s.say("latency dcgmDetachDriver %d", patient.Microseconds())
	if took, err := takes(nv.DetachDriver); err != nil || took < patient {
		t.Errorf("detach, after %v: %v", took, err)
	}
	s.pass(second)
	countGPUs(t, 2, 0)
	if _, err := nv.GetGPUInstanceHierarchy(); err == nil {
		t.Error("the hierarchy can be read")
	}
	if got := nv.GetGPUStatus(0); got != nv.EntityStatusDetached {
		t.Errorf("status: %v", got)
	}
	if err := nv.AttachDriver(); err != nil {
		t.Error(err)
	}
	s.pass(second)
	countGPUs(t, 2, 2)
	expect(t, "the old watch", latest(t, gpuEntity(0), 203), "0 i 0 2s")
}

func noNVML(t *testing.T) {
	s := newScript(t)
	s.must(s.Board(0, standin.H100))
	s.say("nvml absent")
	s.say("start")
	connect(t)
	countGPUs(t, 0, 0)
	group, err := nv.CreateGroup("g")
	if err != nil {
		t.Fatal(err)
	}
	if err = nv.AddEntityToGroup(group, nv.FE_GPU, 0); err == nil {
		t.Error("a GPU can be in a group")
	}
	fields, err := nv.FieldGroupCreate("f", []nv.Short{203})
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range []nv.GroupHandle{group, nv.GroupAllGPUs()} {
		if err = nv.WatchFieldsWithGroupEx(fields, g, second, 60, 0); err == nil {
			t.Error("a GPU can be watched")
		}
	}
}
