// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

//go:build cgo && linux

package dcgm

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	nv "github.com/NVIDIA/go-dcgm/pkg/dcgm"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/standin"
)

func notServed(t *testing.T) {
	s := newScript(t)
	s.must(s.Board(0, standin.L40S))
	s.say("start")
	connect(t)
	group, fields, err := watch(t, "w", []nv.Short{1001, 1006, 203}, gpuEntity(0))
	if err == nil || !strings.Contains(err.Error(), "not currently loaded") {
		t.Fatalf("watch with 1006 on an L40S: %v", err)
	}
	s.pass(second)
	expect(t, "profiling, sampled once, ages", latest(t, gpuEntity(0), 1001), "0 d 0 0s")
	expect(t, "another one, sampled once, ages", latest(t, gpuEntity(0), 203), "0 i 0 0s")
	if _, _, err = nv.GetValuesSince(group, fields, time.Time{}); err == nil || !strings.Contains(err.Error(), "code -16") {
		t.Errorf("values since: %v", err)
	}
	if _, _, err = watch(t, "without", []nv.Short{1001, 203}, gpuEntity(0)); err != nil {
		t.Error(err)
	}
}

// latestOf reads fields of a GPU and of an unknown one, with one call.
func latestOf(flags uint, fields ...nv.Short) (string, error) {
	values, err := nv.EntitiesGetLatestValues([]nv.GroupEntityPair{gpuEntity(0), gpuEntity(9)}, fields, flags)
	var got []string
	for i := range values {
		got = append(got, told(nv.FieldValue_v1{
			FieldType: values[i].FieldType, Status: values[i].Status, TS: values[i].TS, Value: values[i].Value,
		}))
	}
	return strings.Join(got, "; "), err
}

func liveProfiling(t *testing.T) {
	mixed(t)
	mustWatch(t, []nv.Short{203, 1001}, gpuEntity(0))
	if _, err := latestOf(nv.DCGM_FV_FLAG_LIVE_DATA, 1001); err == nil {
		t.Error("live profiling worked")
	}
	if _, err := latestOf(0, 203); codeOf(err) != codeGone {
		t.Errorf("the engine lives after live profiling: %v", err)
	}
	// Embedded, the engine takes its process with it.
	child := exec.CommandContext(t.Context(), os.Args[0])
	child.Env = append(os.Environ(), crashVariable+"="+os.Getenv(standin.ScriptVariable))
	out, err := child.CombinedOutput()
	exit, failed := errors.AsType[*exec.ExitError](err)
	if !failed || exit.ExitCode() == survived || !strings.Contains(string(out), "SIGABRT") {
		t.Errorf("live profiling of an embedded engine: %v\n%.1000s", err, out)
	}
}

// crashVariable makes the test binary crash instead of testing, by a script.
const crashVariable = "DCGM_TEST_CRASH"

// survived is the exit code of a process that should have crashed.
const survived = 3

func crash(script string) int {
	if os.Setenv(standin.ScriptVariable, script) != nil {
		return survived
	}
	if _, err := Open(context.Background(), Config{Mode: Embedded}); err != nil {
		return survived
	}
	_, err := latestOf(nv.DCGM_FV_FLAG_LIVE_DATA, 1001)
	_ = err // nobody gets here
	return survived
}

func liveOrder(t *testing.T) {
	mixed(t)
	mustWatch(t, []nv.Short{203, 155}, gpuEntity(0))
	got, err := latestOf(0, 203, 155)
	expect(t, "not live", got, "0 i 0 0s; 0 d 70 0s; -16 i 9223372036854775792 -; -16 d 1.40737488355328e+14 -")
	live, liveErr := latestOf(nv.DCGM_FV_FLAG_LIVE_DATA, 203, 155)
	if err != nil || liveErr != nil || live == got || len(live) != len(got) {
		t.Errorf("live values are in order: %s (%v, %v)", live, err, liveErr)
	}
}

func spoiled(t *testing.T) {
	s := mixed(t)
	mustWatch(t, []nv.Short{203, 155, 54}, gpuEntity(0))
	if _, err := latestOf(0, 203, 155); err != nil {
		t.Errorf("an unknown entity spoils a call: %v", err)
	}
	if _, err := latestOf(0, 203, 2047); codeOf(err) != -3 {
		t.Errorf("an unknown field: %v", err)
	}
	s.must(s.Set(standin.GPU(0), 54, standin.String("")))
	s.pass(second)
	if _, err := latestOf(0, 203, 54); codeOf(err) != -3 {
		t.Errorf("an empty text: %v", err)
	}
}

func lastXID(t *testing.T) {
	s := mixed(t)
	group, fields := mustWatch(t, []nv.Short{230}, gpuEntity(0))
	s.must(s.Sample(standin.GPU(0), 230, start+second/2, 0, standin.Int(31)))
	s.pass(3600 * second)
	expect(t, "an hour later", latest(t, gpuEntity(0), 230), "0 i 31 500ms")
	got, next := since(t, group, fields, time.Time{})
	expect(t, "since ever", strings.Join(got, "; "), "0 i 31 500ms")
	got, _ = since(t, group, fields, next)
	expect(t, "since then", strings.Join(got, "; "), "")
}

func limits(t *testing.T) {
	mixed(t)
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

// latencies of calls are the script's, by function.
func latencies(t *testing.T) {
	s := mixed(t)
	group, fields := mustWatch(t, []nv.Short{203}, gpuEntity(0))
	for _, call := range []struct {
		name  string
		takes time.Duration
		call  func() error
	}{
		{"dcgmEntitiesGetLatestValues", 44 * time.Millisecond, func() error { _, err := latestOf(0, 203); return err }},
		{"dcgmEntityGetLatestValues", 2 * time.Millisecond, func() error {
			_, err := nv.EntityGetLatestValues(nv.FE_GPU, 0, []nv.Short{203})
			return err
		}},
		{"dcgmGetValuesSince_v2", 62 * time.Millisecond, func() error {
			_, _, err := nv.GetValuesSince(group, fields, time.Time{})
			return err
		}},
	} {
		s.say("latency %s %d", call.name, call.takes.Microseconds())
		if took, err := takes(call.call); err != nil || took < call.takes {
			t.Errorf("%s takes %v, want %v at least (%v)", call.name, took, call.takes, err)
		}
	}
}

func takes(call func() error) (time.Duration, error) {
	begin := time.Now()
	err := call()
	return time.Since(begin), err
}
