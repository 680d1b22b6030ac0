// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

//go:build cgo && linux

package dcgm

import (
	"context"
	"testing"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/activity"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/engine"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/sample"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/session"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/standin"
)

// The whole path, on the machine's clock: library, binding, client, session.

func runSession(t *testing.T, interval time.Duration) *session.Session {
	t.Helper()
	c := session.DefaultConfig(func(ctx context.Context) (engine.Client, error) { return Open(ctx, standalone) }, interval)
	c.Look, c.Hung, c.Retry = 5*interval, 20*time.Millisecond, 20*time.Millisecond
	s := session.New(c)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.Run(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	return s
}

// until waits for something to become true.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(time.Minute); !is(); <-tick.C {
		if time.Now().After(deadline) {
			t.Fatalf("after a minute it isn't so: %s", what)
		}
	}
}

// find returns the account of a device that goes on.
func find(accounts []session.Account, uuid string) (session.Account, bool) {
	for _, a := range accounts {
		if a.Device.UUID == uuid && !a.Ended {
			return a, true
		}
	}
	return session.Account{}, false
}

// engineOf returns the series of "engine" of a device; it may come after others.
func engineOf(accounts []session.Account, uuid string) activity.Point {
	a, _ := find(accounts, uuid)
	for _, p := range a.Points {
		if p.Engine == activity.Any {
			return p
		}
	}
	return activity.Point{}
}

func observed(s *session.Session, uuid string) time.Duration {
	return engineOf(s.Read(), uuid).Observed
}

func TestSessionThroughRestartAndHang(t *testing.T) {
	s := newScript(t)
	s.say("clock real")
	s.must(s.Board(0, standin.L40S)) // 1006 can't be served
	s.must(s.Board(1, standin.H100, twoInstances...))
	s.must(s.Set(standin.GPU(0), 1001, standin.Double(0.5)))
	s.must(s.Set(standin.CI(8), 1001, standin.Double(0.25)))
	s.must(s.Set(standin.GI(8), 1005, standin.Double(0.75)))
	s.say("start")
	r := runSession(t, 20*time.Millisecond)
	until(t, "the board is observed", func() bool { return observed(r, standin.UUID(0)) > 0 })
	until(t, "the instance is observed", func() bool { return observed(r, "MIG-b") > 0 })
	accounts := r.Read()
	part, _ := find(accounts, "MIG-b")
	if part.Device.Parent != standin.UUID(1) || part.Device.Slices != 3 || part.Device.Profile != "3g.40gb" {
		t.Errorf("the instance: %+v", part.Device)
	}
	if p := engineOf(accounts, "MIG-b"); p.Observed == 0 || p.Active*4 != p.Observed {
		t.Errorf("the instance: %+v", p)
	}
	if board, _ := find(accounts, standin.UUID(1)); len(board.Points) != 0 || board.Gauges[sample.PowerWatts].Value.Float != 70 {
		t.Errorf("the board in MIG mode: %+v", board)
	}

	s.say("die")
	until(t, "the death is seen", func() bool { return r.State().Reason == session.Unreachable })
	s.say("start")
	s.say("group theirs gpu 1")
	until(t, "it is connected again", func() bool { return r.State().Up() })
	before := observed(r, standin.UUID(0))
	until(t, "the series goes on", func() bool { return observed(r, standin.UUID(0)) > before })
	if got := r.State().Reconnects; got != 1 {
		t.Errorf("%d reconnects", got)
	}

	s.say("hang %d", 60*second)
	until(t, "the hang is seen", func() bool { return r.State().Reason == session.Hung })
	s.say("hang 0")
	until(t, "it is up", func() bool { return r.State().Up() })
	before = observed(r, standin.UUID(0))
	until(t, "the series goes on", func() bool { return observed(r, standin.UUID(0)) > before })
}
