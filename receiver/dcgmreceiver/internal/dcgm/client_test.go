// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

//go:build cgo && linux

package dcgm

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/engine"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/sample"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/standin"
)

var standalone = Config{Mode: Auto, Endpoint: DefaultEndpoint}

func open(t *testing.T, c Config) engine.Client {
	t.Helper()
	client, err := Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := client.Close(); err != nil {
			t.Error(err)
		}
	})
	return client
}

func board(id uint) sample.Entity { return sample.Entity{Kind: sample.Board, ID: id} }

func watchAll(t *testing.T, c engine.Client, fields []sample.Field, entities ...sample.Entity) engine.Watch {
	t.Helper()
	w, err := c.Watch(entities, fields, time.Second, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestClientReadsWhatThereIs(t *testing.T) {
	s := newScript(t)
	s.must(s.Board(0, standin.L4))
	s.must(s.Board(3, standin.H100, twoInstances...))
	s.say("status 0 4")
	s.say("start")
	c := open(t, standalone)
	gpus, err := c.GPUs()
	if want := []engine.GPU{{ID: 0, Status: engine.Lost}, {ID: 3, Status: engine.OK}}; err != nil || !slices.Equal(gpus, want) {
		t.Errorf("GPUs: %+v, %v", gpus, err)
	}
	instances, err := c.Instances()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, i := range instances {
		got = append(got, fmt.Sprintf("%v %d in %v %d: gi %d, %d slices", i.Entity.Kind, i.Entity.ID, i.Parent.Kind, i.Parent.ID, i.GPUInstance, i.Slices))
	}
	want := []string{
		"gpu_instance 21 in board 3: gi 9, 1 slices", "compute_instance 21 in gpu_instance 21: gi 9, 1 slices",
		"gpu_instance 22 in board 3: gi 1, 3 slices", "compute_instance 22 in gpu_instance 22: gi 1, 3 slices",
	}
	if !slices.Equal(got, want) {
		t.Errorf("instances:\n%s", strings.Join(got, "\n"))
	}
	ci := sample.Entity{Kind: sample.ComputeInstance, ID: 22}
	watchAll(t, c, []sample.Field{54, sample.PowerWatts, sample.MemoryUsed}, board(3), ci)
	values, err := c.Latest(ci, []sample.Field{54, sample.PowerWatts})
	wantValues := []sample.Raw{
		{Entity: ci, Field: 54, Type: sample.Text, Micros: start, Text: "MIG-b"},
		{Entity: ci, Field: sample.PowerWatts, Type: sample.Double, Micros: start, Double: 70},
	}
	if err != nil || !slices.Equal(values, wantValues) {
		t.Errorf("latest: %+v, %v", values, err)
	}
}

func TestClientReadsEverySampleOnce(t *testing.T) {
	s := newScript(t)
	s.must(s.Board(0, standin.A100))
	s.must(s.Set(standin.GPU(0), 203, standin.Int(37)))
	s.say("start")
	c := open(t, standalone)
	w := watchAll(t, c, []sample.Field{sample.Util}, board(0))
	next := int64(0)
	var times []int64
	for range 4 {
		var values []sample.Raw
		var err error
		if values, next, err = c.Since(w, next); err != nil {
			t.Fatal(err)
		}
		for _, v := range values {
			times = append(times, (v.Micros-start)/second)
			if v.Int != 37 || v.Type != sample.Integer || v.Entity != board(0) {
				t.Errorf("got %+v", v)
			}
		}
		s.pass(2 * second)
	}
	if want := []int64{0, 1, 2, 3, 4, 5, 6}; !slices.Equal(times, want) {
		t.Errorf("samples of seconds %v, want %v", times, want)
	}
	if err := c.Unwatch(w); err != nil {
		t.Error(err)
	}
	if err := c.Unwatch(w); err == nil {
		t.Error("a watch was ended twice")
	}
}

func TestClientTellsWhatIsNotServed(t *testing.T) {
	s := newScript(t)
	s.must(s.Board(0, standin.L4))
	s.say("start")
	c := open(t, standalone)
	for range 70 { // more than the engine has groups: what failed is given back
		_, err := c.Watch([]sample.Entity{board(0)}, []sample.Field{1001, 1006}, time.Second, time.Minute)
		if !errors.Is(err, engine.ErrNotServed) || errors.Is(err, engine.ErrGone) || !strings.Contains(err.Error(), "not currently loaded") {
			t.Fatalf("got %v", err)
		}
	}
	for what, ask := range map[string]struct {
		entity uint
		field  sample.Field
	}{"a field of a newer engine": {0, 2000}, "a board that isn't there": {9, 1001}} {
		if _, err := c.Watch([]sample.Entity{board(ask.entity)}, []sample.Field{ask.field}, time.Second, time.Minute); !errors.Is(err, engine.ErrNotServed) {
			t.Errorf("%s: got %v", what, err)
		}
	}
	watchAll(t, c, []sample.Field{1001}, board(0))
}

// However the engine is asked: it is gone, and stays gone for this client.
func TestClientTellsThatTheEngineIsGone(t *testing.T) {
	s := newScript(t)
	s.must(s.Board(0, standin.H100))
	s.say("start")
	c := open(t, standalone)
	w := watchAll(t, c, []sample.Field{203}, board(0))
	calls := map[string]func() error{
		"GPUs":      func() error { _, err := c.GPUs(); return err },
		"Instances": func() error { _, err := c.Instances(); return err },
		"Latest":    func() error { _, err := c.Latest(board(0), []sample.Field{203}); return err },
		"Since":     func() error { _, _, err := c.Since(w, 0); return err },
		"Watch": func() error {
			_, err := c.Watch([]sample.Entity{board(0)}, []sample.Field{155}, time.Second, time.Minute)
			return err
		},
	}
	for _, line := range []string{"die", "start"} {
		s.say("%s", line)
		for name, call := range calls {
			if err := call(); !errors.Is(err, engine.ErrGone) || errors.Is(err, engine.ErrNotServed) {
				t.Errorf("%s after %s: %v", name, line, err)
			}
		}
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	again := open(t, standalone)
	w = watchAll(t, again, []sample.Field{203}, board(0))
	if values, _, err := again.Since(w, 0); err != nil || len(values) != 1 {
		t.Errorf("after it was opened again: %+v, %v", values, err)
	}
}

func TestClientTellsThatTheEngineHangs(t *testing.T) {
	s := newScript(t)
	s.must(s.Board(0, standin.H100))
	s.say("start")
	c := open(t, standalone)
	w := watchAll(t, c, []sample.Field{203}, board(0))
	s.say("hang %d", second/50)
	if _, _, err := c.Since(w, 0); !errors.Is(err, engine.ErrTimeout) {
		t.Errorf("Since: %v", err)
	}
	if _, err := c.GPUs(); !errors.Is(err, engine.ErrTimeout) {
		t.Errorf("GPUs: %v", err)
	}
	if _, err := c.Watch([]sample.Entity{board(0)}, []sample.Field{155}, time.Second, time.Minute); !errors.Is(err, engine.ErrTimeout) {
		t.Errorf("Watch: %v", err)
	}
	s.say("hang 0")
	if values, _, err := c.Since(w, 0); err != nil || len(values) != 1 {
		t.Errorf("after it woke: %+v, %v", values, err)
	}
}

func TestOpenSaysWhatIsMissing(t *testing.T) {
	newScript(t)
	for name, test := range map[string]struct {
		config Config
		want   []string
	}{
		"library": {Config{Mode: Auto, Endpoint: DefaultEndpoint, LibraryPath: "/nowhere/libdcgm.so.4"}, []string{"/nowhere/libdcgm.so.4", "can't be loaded"}},
		"engine":  {standalone, []string{DefaultEndpoint, "connecting to nv-hostengine"}},
	} {
		_, err := Open(t.Context(), test.config)
		for _, want := range test.want {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: got %v, want %q in it", name, err, want)
			}
		}
	}
}

func TestOpenIsOncePerProcess(t *testing.T) {
	s := newScript(t)
	s.say("start")
	c := open(t, standalone)
	if _, err := Open(t.Context(), standalone); !errors.Is(err, engine.ErrInUse) {
		t.Errorf("a second one: %v", err)
	}
	if err := errors.Join(c.Close(), c.Close()); err != nil {
		t.Error(err)
	}
	open(t, Config{Mode: Auto, Endpoint: "unix:///run/dcgm.sock"})
}

func TestEmbedded(t *testing.T) {
	s := newScript(t)
	s.must(s.Board(0, standin.T4))
	c := open(t, Config{Mode: Embedded})
	if gpus, err := c.GPUs(); err != nil || len(gpus) != 1 {
		t.Errorf("got %+v, %v", gpus, err)
	}
}
