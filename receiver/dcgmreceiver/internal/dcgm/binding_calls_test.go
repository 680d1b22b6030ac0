// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

//go:build cgo && linux

package dcgm

import (
	"errors"
	"strings"
	"testing"
	"time"

	nv "github.com/NVIDIA/go-dcgm/pkg/dcgm"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/standin"
)

func since(t *testing.T, group nv.GroupHandle, fields nv.FieldHandle, from time.Time) ([]string, time.Time) {
	t.Helper()
	values, next, err := nv.GetValuesSince(group, fields, from)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range values {
		v := &values[i]
		got = append(got, told(nv.FieldValue_v1{FieldType: v.FieldType, Status: v.Status, TS: v.TS, Value: v.Value}))
	}
	return got, next
}

func TestValuesSince(t *testing.T) {
	s := newScript(t)
	s.must(s.Board(0, standin.H100))
	s.say("start")
	connect(t)
	group, fields, err := watch(t, "w", []nv.Short{1001, 230}, gpuEntity(0))
	if err != nil {
		t.Fatal(err)
	}
	s.must(s.Set(standin.GPU(0), 1001, standin.Double(0.5)))
	s.pass(2 * second)
	s.must(s.Sample(standin.GPU(0), 1001, s.now+1, -14, standin.DoubleBlank))
	s.must(s.Sample(standin.GPU(0), 230, start+second/2, 0, standin.Int(31)))
	got, next := since(t, group, fields, time.Time{})
	expect(t, "all", strings.Join(got, "; "),
		"0 d 1.40737488355328e+14 0s; 0 d 0.5 1s; 0 d 0.5 2s; -14 d 1.40737488355328e+14 2.000001s; 0 i 31 500ms")
	got, next = since(t, group, fields, next)
	expect(t, "nothing new", strings.Join(got, "; "), "")
	s.pass(second)
	got, _ = since(t, group, fields, next)
	expect(t, "what came since", strings.Join(got, "; "), "0 d 0.5 3s")
	s.pass(100 * second)
	if got, _ = since(t, group, fields, time.Time{}); len(got) != 61+1 {
		t.Errorf("%d values are kept, want those of 60 s and the XID", len(got))
	}
}

// One profiling field that can't be served fails a watch whole; the others
// were sampled once, and age.
func TestUnservableField(t *testing.T) {
	s := newScript(t)
	s.must(s.Board(0, standin.L40S))
	s.say("start")
	connect(t)
	group, fields, err := watch(t, "w", []nv.Short{1001, 1006, 203}, gpuEntity(0))
	if err == nil || !strings.Contains(err.Error(), "not currently loaded") {
		t.Fatalf("watch with 1006 on an L40S: %v", err)
	}
	s.pass(second)
	expect(t, "sampled once", latest(t, gpuEntity(0), 1001), "0 d 0 0s")
	if _, _, err = nv.GetValuesSince(group, fields, time.Time{}); err == nil || !strings.Contains(err.Error(), "code -16") {
		t.Errorf("values since: %v", err)
	}
	if _, _, err = watch(t, "without", []nv.Short{1001, 203}, gpuEntity(0)); err != nil {
		t.Error(err)
	}
}

// Ids are handed out again: what an old one means is another client's.
func TestRestartHandsIDsOutAgain(t *testing.T) {
	s := newScript(t)
	s.must(s.Board(0, standin.H100))
	s.must(s.Board(1, standin.H100))
	s.say("start")
	connect(t)
	group, fields, err := watch(t, "ours", []nv.Short{203}, gpuEntity(0))
	if err != nil {
		t.Fatal(err)
	}
	s.say("die")
	var failed *nv.Error
	if _, err = nv.EntityGetLatestValues(nv.FE_GPU, 0, []nv.Short{203}); !errors.As(err, &failed) || failed.Code != -21 {
		t.Fatalf("of a dead engine: %v", err)
	}
	s.say("start")
	s.say("group theirs gpu 1")
	if _, err = nv.EntityGetLatestValues(nv.FE_GPU, 0, []nv.Short{203}); !errors.As(err, &failed) || failed.Code != -21 {
		t.Fatalf("the old connection to the new engine: %v", err)
	}
	if err = nv.Shutdown(); err != nil {
		t.Fatal(err)
	}
	if _, err = nv.Init(nv.Standalone, "unix:///run/dcgm.sock"); err != nil {
		t.Fatal(err)
	}
	info, err := nv.GetGroupInfo(group)
	if err != nil || info.GroupName != "theirs" || info.EntityList[0] != gpuEntity(1) {
		t.Errorf("the old id: %+v, %v", info, err)
	}
	if _, _, err = nv.GetValuesSince(group, fields, time.Time{}); err == nil {
		t.Error("the old watch is still there")
	}
}

func TestHungEngine(t *testing.T) {
	s := newScript(t)
	s.must(s.Board(0, standin.H100))
	s.say("start")
	connect(t)
	if _, _, err := watch(t, "w", []nv.Short{203}, gpuEntity(0)); err != nil {
		t.Fatal(err)
	}
	s.say("hang %d", second/20)
	var failed *nv.Error
	if _, err := nv.EntityGetLatestValues(nv.FE_GPU, 0, []nv.Short{203}); !errors.As(err, &failed) || failed.Code != -11 {
		t.Fatalf("of a hung engine: %v", err)
	}
	s.say("hang 0")
	s.pass(second)
	expect(t, "after it woke", latest(t, gpuEntity(0), 203), "0 i 0 1s")
}

func TestNoEngine(t *testing.T) {
	s := newScript(t)
	s.must(s.Board(0, standin.H100))
	if _, err := nv.Init(nv.Standalone, "localhost:5555", "0"); err == nil {
		t.Fatal("connected to no engine")
	}
	s.say("nvml absent")
	s.say("start")
	connect(t)
	if n, err := nv.GetAllDeviceCount(); err != nil || n != 0 {
		t.Errorf("without NVML: %d GPUs, %v", n, err)
	}
}

// One bad item spoils a whole call, and live profiling kills the engine.
func TestEntitiesGetLatestValues(t *testing.T) {
	s := newScript(t)
	s.must(s.Board(0, standin.H100))
	s.say("start")
	connect(t)
	if _, _, err := watch(t, "w", []nv.Short{203, 155, 54}, gpuEntity(0)); err != nil {
		t.Fatal(err)
	}
	all := func(flags uint, fields ...nv.Short) (string, error) {
		values, err := nv.EntitiesGetLatestValues([]nv.GroupEntityPair{gpuEntity(0), gpuEntity(9)}, fields, flags)
		var got []string
		for i := range values {
			got = append(got, told(nv.FieldValue_v1{
				FieldType: values[i].FieldType, Status: values[i].Status, TS: values[i].TS, Value: values[i].Value,
			}))
		}
		return strings.Join(got, "; "), err
	}
	got, err := all(0, 203, 155)
	expect(t, "an unknown entity spoils nothing", got, "0 i 0 0s; 0 d 70 0s; -16 i 9223372036854775792 -; -16 d 1.40737488355328e+14 -")
	if err != nil {
		t.Error(err)
	}
	if got, _ = all(nv.DCGM_FV_FLAG_LIVE_DATA, 203, 155); !strings.HasPrefix(got, "-16 d") {
		t.Errorf("live values are in order: %s", got)
	}
	if _, err = all(0, 203, 2047); err == nil {
		t.Error("an unknown field spoils nothing")
	}
	s.must(s.Set(standin.GPU(0), 54, standin.String("")))
	s.pass(second)
	if _, err = all(0, 203, 54); err == nil {
		t.Error("an empty string spoils nothing")
	}
	if _, err = all(nv.DCGM_FV_FLAG_LIVE_DATA, 1001); err == nil {
		t.Error("live profiling worked")
	}
	if _, err = all(0, 203); err == nil {
		t.Error("the engine lives after live profiling")
	}
}

func TestLimits(t *testing.T) {
	s := newScript(t)
	s.must(s.Board(0, standin.H100))
	s.say("start")
	connect(t)
	many := make([]nv.Short, 128)
	for i := range many {
		many[i] = nv.Short(203)
	}
	if _, err := nv.FieldGroupCreate("128", many); err == nil {
		t.Error("a field group of 128")
	}
	if _, err := nv.FieldGroupCreate("127", many[:127]); err != nil {
		t.Error(err)
	}
	if _, err := nv.FieldGroupCreate("127", many[:1]); err == nil {
		t.Error("two field groups of a name")
	}
	group, err := nv.CreateGroup("g")
	if err != nil {
		t.Fatal(err)
	}
	if _, err = nv.CreateGroup("g"); err != nil {
		t.Error(err)
	}
	if err = nv.AddToGroup(group, 0); err != nil {
		t.Error(err)
	}
	if err = nv.AddToGroup(group, 0); err == nil {
		t.Error("a GPU twice in a group")
	}
}
