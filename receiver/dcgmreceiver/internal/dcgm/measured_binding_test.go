// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

//go:build cgo && linux

package dcgm

import (
	"errors"
	"os"
	"testing"
	"time"

	nv "github.com/NVIDIA/go-dcgm/pkg/dcgm"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/standin"
)

// emptyLists: v1.4601 of the binding panicked.
func emptyLists(t *testing.T) {
	mixed(t)
	_, err := nv.FieldGroupCreate("none", nil)
	_, err2 := nv.GetLatestValuesForFields(0, nil)
	_, err3 := nv.EntitiesGetLatestValues(nil, []nv.Short{203}, 0)
	_, err4 := nv.EntitiesGetLatestValues([]nv.GroupEntityPair{gpuEntity(0)}, nil, 0)
	if err == nil || err2 == nil || err3 == nil || err4 == nil {
		t.Errorf("no fields or entities: %v, %v, %v, %v", err, err2, err3, err4)
	}
}

// noCodes: so the receiver asks once more what it was (client.fail).
func noCodes(t *testing.T) {
	s := mixed(t)
	group, fields := mustWatch(t, []nv.Short{203}, gpuEntity(0))
	s.say("die")
	for name, call := range map[string]func() error{
		"GetValuesSince":           func() error { _, _, err := nv.GetValuesSince(group, fields, time.Time{}); return err },
		"GetAllDeviceCount":        func() error { _, err := nv.GetAllDeviceCount(); return err },
		"GetEntityGroupEntities":   func() error { _, err := nv.GetEntityGroupEntities(nv.FE_GPU); return err },
		"GetGPUInstanceHierarchy":  func() error { _, err := nv.GetGPUInstanceHierarchy(); return err },
		"GetLatestValuesForFields": func() error { _, err := nv.GetLatestValuesForFields(0, []nv.Short{203}); return err },
		"CreateGroup":              func() error { _, err := nv.CreateGroup("g"); return err },
		"AddToGroup":               func() error { return nv.AddToGroup(group, 0) },
		"DestroyGroup":             func() error { return nv.DestroyGroup(group) },
		"FieldGroupCreate":         func() error { _, err := nv.FieldGroupCreate("f", []nv.Short{203}); return err },
		"FieldGroupDestroy":        func() error { return nv.FieldGroupDestroy(fields) },
		"WatchFieldsWithGroupEx":   func() error { return nv.WatchFieldsWithGroupEx(fields, group, second, 60, 0) },
		"UnwatchFields":            func() error { return nv.UnwatchFields(fields, group) },
	} {
		err := call()
		if withCode, ok := errors.AsType[*nv.Error](err); err == nil || ok {
			t.Errorf("%s: %v (%v)", name, err, withCode)
		}
	}
}

func rawSentinels(t *testing.T) {
	s := mixed(t)
	s.say("status 0 4")
	d, err := nv.GetDeviceInfo(0)
	if err != nil {
		t.Fatal(err)
	}
	const blank = 2147483632 // of 32 bits
	if d.UUID != "<<<NULL>>>" || d.Power != blank || d.PCI.FBTotal != blank || d.PCI.BAR1 != blank {
		t.Errorf("of a lost GPU: %+v", d)
	}
}

// nothingLeaks counts what the process has: open files, and threads.
func nothingLeaks(t *testing.T) {
	s := newScript(t)
	s.must(s.Board(0, standin.H100))
	rounds := func(n int) (files, threads int) {
		for range n {
			s.say("start")
			if _, err := nv.Init(nv.Standalone, "localhost:5555", "0"); err != nil {
				t.Fatal(err)
			}
			if err := nv.Shutdown(); err != nil {
				t.Fatal(err)
			}
			s.say("die")
		}
		for range n / 10 {
			if _, err := nv.Init(nv.Standalone, "localhost:5555", "0"); err == nil {
				t.Fatal("connected to no engine")
			}
		}
		return count(t, "/proc/self/fd"), count(t, "/proc/self/task")
	}
	files, threads := rounds(20)
	// Go has a thread more now and then; a leak would be one of each round.
	if f, n := rounds(200); f > files+5 || n > threads+10 {
		t.Errorf("%d open files and %d threads, then %d and %d", files, threads, f, n)
	}
}

func count(t *testing.T, folder string) int {
	t.Helper()
	all, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	return len(all)
}
