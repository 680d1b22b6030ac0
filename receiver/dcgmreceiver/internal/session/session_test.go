// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package session

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/engine"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/sample"
)

// running is a session with a fake engine, in a bubble of synctest: its time
// passes when everybody sleeps.
type running struct {
	*Session
	f     *fake
	began time.Time
}

func run(t *testing.T, f *fake) *running {
	t.Helper()
	return runWith(t, f, f.open)
}

func runWith(t *testing.T, f *fake, open engine.Opener) *running {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	r := &running{New(DefaultConfig(open, time.Second)), f, time.Now()}
	done := make(chan struct{})
	go func() {
		defer close(done)
		r.Run(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-done
		if len(f.watches) != 0 && f.up {
			t.Errorf("%d watches are left in the engine", len(f.watches))
		}
		if got := r.State().Reason; got != Stopped {
			t.Errorf("after Run: %q", got)
		}
	})
	return r
}

// pass lets time pass, a little more than asked for: what happens then is over.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func (r *running) told() string {
	var lines []string
	for _, a := range r.Read() {
		words := []string{a.Device.UUID}
		if a.Ended {
			words = append(words, "ended")
		}
		for _, p := range a.Points {
			words = append(words, fmt.Sprintf("%v/%v %v..%v %v/%v", p.Engine, p.Source, r.since(p.Start), r.since(p.Time), p.Active, p.Observed))
		}
		for _, x := range a.XIDs {
			words = append(words, fmt.Sprintf("xid %d", x.Code))
		}
		lines = append(lines, strings.Join(words, " "))
	}
	return strings.Join(lines, "\n")
}

func (r *running) since(ns int64) time.Duration { return time.Duration(ns - r.began.UnixNano()) }

func (r *running) expect(t *testing.T, what, want string) {
	t.Helper()
	if got := r.told(); got != want {
		t.Errorf("%s: got\n%s\nwant\n%s", what, got, want)
	}
}

func (r *running) state(t *testing.T, what string, want Reason) {
	t.Helper()
	if got := r.State(); got.Reason != want {
		t.Errorf("%s: %q (%v), want %q", what, got.Reason, got.Err, want)
	}
}

func TestSamplesAreAddedUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.board(0, "GPU-a")
		f.board(1, "GPU-b")
		r := run(t, f)
		pass(21 * time.Second)
		r.state(t, "an engine", "")
		r.expect(t, "after 21 s", "GPU-a engine/prof 0s..21s 10.5s/21s\nGPU-b engine/prof 0s..21s 10.5s/21s")
		if g := r.Read()[0].Gauges[sample.PowerWatts]; g.Value.Float != 300 {
			t.Errorf("power: %+v", g)
		}
	})
}

// The engine restarts: the series go on, and the time without is unknown.
func TestEngineRestarts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.board(0, "GPU-a")
		r := run(t, f)
		pass(11 * time.Second)
		f.die()
		pass(6 * time.Second)
		r.state(t, "a dead engine", Unreachable)
		r.expect(t, "dead", "GPU-a engine/prof 0s..11s 5.5s/11s")
		if g := r.Read()[0].Gauges; len(g) != 0 {
			t.Errorf("a dead engine's values are told: %v", g)
		}
		f.start()
		pass(30 * time.Second)
		r.state(t, "a new engine", "")
		if got := r.State().Reconnects; got != 1 {
			t.Errorf("%d reconnects", got)
		}
		p := r.Read()[0].Points[0]
		if hole := time.Duration(p.Time-p.Start) - p.Observed; hole < 6*time.Second || hole > 22*time.Second || p.Active*2 != p.Observed {
			t.Errorf("after the restart: %+v, %v aren't observed", p, hole)
		}
	})
}

// An engine hangs for less than a call waits: nothing is lost, and whoever
// reads doesn't wait.
func TestEngineHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.board(0, "GPU-a")
		r := run(t, f)
		pass(11 * time.Second)
		wake := make(chan struct{})
		f.change(func() { f.hang = wake })
		pass(20 * time.Second)
		before := time.Now()
		r.state(t, "a hung engine", Hung)
		r.expect(t, "hung", "GPU-a engine/prof 0s..11s 5.5s/11s")
		if waited := time.Since(before); waited != 0 {
			t.Errorf("a read took %v", waited)
		}
		f.change(func() { f.hang = nil })
		close(wake)
		pass(10 * time.Second)
		r.state(t, "awake", "")
		p := r.Read()[0].Points[0]
		if p.Observed != time.Duration(p.Time-p.Start) || p.Observed < 36*time.Second {
			t.Errorf("awake: %+v", p)
		}
	})
}

func TestEngineHangsForLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.board(0, "GPU-a")
		r := run(t, f)
		pass(11 * time.Second)
		wake := make(chan struct{})
		f.change(func() { f.hang = wake })
		pass(130 * time.Second) // two calls time out
		r.state(t, "a hung engine", Hung)
		f.change(func() { f.hang = nil })
		close(wake)
		pass(10 * time.Second)
		r.state(t, "awake", "")
		if got := r.State().Reconnects; got != 0 {
			t.Errorf("%d reconnects", got)
		}
	})
}

func TestNoEngine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.die()
		r := run(t, f)
		pass(time.Minute)
		r.state(t, "no engine", Unreachable)
		f.change(func() { f.board(0, "GPU-a") })
		f.start()
		pass(time.Minute)
		r.state(t, "it came", "")
		if len(r.Read()) != 1 {
			t.Error("no device")
		}
	})
	synctest.Test(t, func(t *testing.T) {
		r := runWith(t, newFake(), func(context.Context) (engine.Client, error) { return nil, engine.ErrNotBuilt })
		pass(time.Minute)
		if s := r.State(); s.Reason != NotBuilt || !errors.Is(s.Err, engine.ErrNotBuilt) {
			t.Errorf("without cgo: %+v", s)
		}
	})
}

// No GPU is no fault.
func TestNoGPU(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := run(t, newFake())
		pass(time.Minute)
		r.state(t, "an engine without GPUs", "")
		r.expect(t, "no GPU", "")
	})
}

// An engine that has no NVML answers no question about instances.
func TestNoNVML(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		r := runWith(t, f, func(ctx context.Context) (engine.Client, error) {
			c, err := f.open(ctx)
			return withoutInstances{c}, err
		})
		pass(time.Minute)
		r.state(t, "an engine without NVML", "")
	})
}

type withoutInstances struct{ engine.Client }

func (withoutInstances) Instances() ([]engine.Instance, error) {
	return nil, errors.New("NVML isn't loaded")
}

// What connecting fails with, and that it hangs.
func TestConnectFails(t *testing.T) {
	for want, err := range map[Reason]error{
		NotBuilt: engine.ErrNotBuilt, NoLibrary: fmt.Errorf("%w: no such file", engine.ErrNoLibrary),
		Refused: engine.ErrInUse, Unreachable: errors.New("nobody listens"), Hung: engine.ErrTimeout,
	} {
		synctest.Test(t, func(t *testing.T) {
			r := runWith(t, newFake(), func(context.Context) (engine.Client, error) { return nil, err })
			pass(time.Minute)
			r.state(t, err.Error(), want)
		})
	}
	synctest.Test(t, func(t *testing.T) {
		r := runWith(t, newFake(), func(context.Context) (engine.Client, error) {
			time.Sleep(time.Minute)
			return nil, engine.ErrTimeout
		})
		pass(10 * time.Second)
		r.state(t, "it takes a while to say that nobody listens", Starting)
		pass(10 * time.Second)
		r.state(t, "it hangs", Hung)
	})
}

// Changes and calls are told, by the goroutine that calls.
func TestChangesAreTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.board(0, "GPU-a")
		c := DefaultConfig(f.open, time.Second)
		var s *Session
		var told []Reason
		calls := map[string]int{}
		c.Changed = func() { told = append(told, s.State().Reason) }
		c.Called = func(call string, _ time.Duration) { calls[call]++ }
		s = New(c)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			s.Run(ctx)
		}()
		pass(11 * time.Second)
		f.die()
		pass(6 * time.Second)
		f.start()
		pass(20 * time.Second)
		cancel()
		<-done
		if got, want := fmt.Sprintf("%q", told), fmt.Sprintf("%q", []Reason{"", Gone, Unreachable, "", Stopped}); got != want {
			t.Errorf("told %s, want %s", got, want)
		}
		for _, call := range []string{"open", "gpus", "instances", "latest", "watch", "since", "unwatch", "close"} {
			if calls[call] == 0 {
				t.Errorf("no call of %s is told", call)
			}
		}
	})
}

// Reads stay small, and are no rarer than what is asked for.
func TestHowOftenIsRead(t *testing.T) {
	for _, test := range []struct {
		interval, slowest time.Duration
		values            int
		want              time.Duration
	}{
		{time.Second, 5 * time.Second, 200, 5 * time.Second},
		{time.Second, 5 * time.Second, 4000, 2 * time.Second},
		{time.Second, 5 * time.Second, 10000, time.Second},
		{100 * time.Millisecond, 5 * time.Second, 200, 500 * time.Millisecond},
		{100 * time.Millisecond, 200 * time.Millisecond, 200, 200 * time.Millisecond},
		{10 * time.Second, 5 * time.Second, 200, 10 * time.Second},
	} {
		u := newUse(New(Config{Interval: test.interval, Slowest: test.slowest}), nil)
		u.watches = []*watching{{set: set{fields: make([]sample.Field, 1), entities: make([]sample.Entity, test.values)}}}
		if got := u.every(); got != test.want {
			t.Errorf("%+v: %v", test, got)
		}
	}
}

// Sources that are read one after the other don't take turns.
func TestSourceStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.board(0, "GPU-a")
		f.number(gpu(0), sample.Util, 80)
		r := run(t, f)
		pass(51 * time.Second)
		r.expect(t, "after 51 s", "GPU-a engine/prof 0s..51s 25.5s/51s")
		if n := r.Read()[0].Counts.Switches; n != 0 {
			t.Errorf("%d switches of source", n)
		}
	})
}
