// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

//go:build cgo && linux

package dcgm

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	nv "github.com/NVIDIA/go-dcgm/pkg/dcgm"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/standin"
)

// The binding has one handle per process: no test here is parallel.

func TestMain(m *testing.M) { os.Exit(runWithStandin(m)) }

func runWithStandin(m *testing.M) int {
	dir, err := os.MkdirTemp("", "dcgm-standin")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a folder of the test's own
	library, err := standin.Build(context.Background(), dir)
	if err == nil {
		err = load(library)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if script := os.Getenv(crashVariable); script != "" {
		return crash(script)
	}
	return m.Run()
}

const start = 1_800_000_000_000_000 // µs: when the scripted clock begins

// script begins a new engine, with a clock that stands still.
type script struct {
	*standin.Script
	t   *testing.T
	now int64
}

func newScript(t *testing.T) *script {
	t.Helper()
	s, err := standin.NewScript(filepath.Join(t.TempDir(), "script"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	t.Setenv(standin.ScriptVariable, s.Path())
	out := &script{s, t, start}
	out.say("clock manual")
	out.say("now %d", out.now)
	return out
}

func (s *script) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *script) say(format string, args ...any) {
	s.t.Helper()
	s.must(s.Say(format, args...))
}

// pass lets time pass.
func (s *script) pass(us int64) {
	s.t.Helper()
	s.now += us
	s.say("now %d", s.now)
}

const second = 1_000_000 // µs

func connect(t *testing.T) {
	t.Helper()
	if _, err := nv.Init(nv.Standalone, "localhost:5555", "0"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := nv.Shutdown(); err != nil {
			t.Error(err)
		}
	})
}

// watch watches fields of entities at 1 s, samples kept for 60 s.
func watch(t *testing.T, name string, fields []nv.Short, entities ...nv.GroupEntityPair) (nv.GroupHandle, nv.FieldHandle, error) {
	t.Helper()
	group, err := nv.CreateGroup(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entities {
		if err := nv.AddEntityToGroup(group, e.EntityGroupId, e.EntityId); err != nil {
			t.Fatal(err)
		}
	}
	ids, err := nv.FieldGroupCreate(name, fields)
	if err != nil {
		t.Fatal(err)
	}
	return group, ids, nv.WatchFieldsWithGroupEx(ids, group, second, 60, 0)
}

func gpuEntity(id uint) nv.GroupEntityPair {
	return nv.GroupEntityPair{EntityGroupId: nv.FE_GPU, EntityId: id}
}

func ciEntity(id uint) nv.GroupEntityPair {
	return nv.GroupEntityPair{EntityGroupId: nv.FE_GPU_CI, EntityId: id}
}

func giEntity(id uint) nv.GroupEntityPair {
	return nv.GroupEntityPair{EntityGroupId: nv.FE_GPU_I, EntityId: id}
}
