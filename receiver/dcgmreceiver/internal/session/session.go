// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package session

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/engine"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/topology"
)

// Config says how a session is kept.
type Config struct {
	Open     engine.Opener
	Interval time.Duration // between samples: sample_interval
	Look     time.Duration // between looks at the devices
	Hung     time.Duration // a call that takes longer says that the engine hangs
	Ask      time.Duration // between attempts to read what wasn't served
	// The wait before another connect: from Retry, doubled up to MaxRetry.
	Retry, MaxRetry time.Duration
}

// DefaultConfig returns the rules for samples that are taken every interval.
func DefaultConfig(open engine.Opener, interval time.Duration) Config {
	return Config{
		Open: open, Interval: interval, Look: 10 * time.Second, Hung: 5 * time.Second, Ask: 10 * time.Minute,
		Retry: time.Second, MaxRetry: 30 * time.Second,
	}
}

// Reason says why the engine gives nothing.
type Reason string

// The reasons. An engine that is there has none.
const (
	Starting    Reason = "starting"
	NotBuilt    Reason = "not_built"   // this program can't load DCGM
	Unreachable Reason = "unreachable" // no library, or nobody listens
	Gone        Reason = "gone"        // it died or restarted
	Hung        Reason = "hung"        // it doesn't answer
	Refused     Reason = "refused"     // it answers with errors
	Stopped     Reason = "stopped"
)

// State is how it stands with the engine.
type State struct {
	Reason     Reason // "" if the engine is up
	Err        error  // what it failed with last
	Since      time.Time
	Reconnects int64 // connections after the first
	Lacks      []topology.Lack
}

// Up reports whether the engine gives samples.
func (s State) Up() bool { return s.Reason == "" }

// Session is one connection after the other to an engine.
type Session struct {
	config Config

	mu       sync.Mutex // never held during a call of the engine
	state    State
	calling  time.Time // when the call began that is being made; zero: none
	connects int64
	accounts map[string]*account // by UUID
	ended    []Account
}

// New makes a session; Run keeps it.
func New(c Config) *Session {
	return &Session{config: c, state: State{Reason: Starting, Since: time.Now()}, accounts: map[string]*account{}}
}

// State returns how it stands, now. It never waits for the engine.
func (s *Session) State() State {
	s.mu.Lock()
	defer s.mu.Unlock()
	state := s.state
	if state.Up() && !s.calling.IsZero() && time.Since(s.calling) > s.config.Hung {
		state.Reason, state.Err, state.Since = Hung, engine.ErrTimeout, s.calling
	}
	return state
}

// Run keeps the session until ctx is done, and has closed the connection when
// it returns: at once, unless the engine hangs.
func (s *Session) Run(ctx context.Context) {
	wait := s.config.Retry
	for ctx.Err() == nil {
		client, err := s.connect(ctx)
		if err == nil {
			var lived bool
			if lived, err = s.serve(ctx, client); lived {
				wait = s.config.Retry
			}
			s.disconnect(client)
		}
		if ctx.Err() != nil {
			break
		}
		s.down(err)
		if !sleep(ctx, wait) {
			break
		}
		wait = min(2*wait, s.config.MaxRetry)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.set(Stopped, nil)
}

func (s *Session) connect(ctx context.Context) (engine.Client, error) {
	client, err := s.config.Open(ctx)
	if err != nil {
		return nil, err
	}
	return timed{client, s}, nil
}

// disconnect closes a connection: nobody takes samples for us from now on.
func (s *Session) disconnect(c engine.Client) {
	err := c.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range s.accounts {
		a.pause()
	}
	if err != nil {
		s.state.Err = errors.Join(s.state.Err, err)
	}
}

// serve uses a connection until it is gone, or ctx is done. It returns whether
// the engine ever gave samples by it.
func (s *Session) serve(ctx context.Context, c engine.Client) (lived bool, err error) {
	u := newUse(s, c)
	every := s.config.Interval
	for {
		err = u.turn()
		switch {
		case err == nil:
			s.up(!lived)
			lived = true
		case errors.Is(err, engine.ErrTimeout):
			s.down(err) // when it wakes, the connection goes on
		default:
			return lived, err
		}
		if !sleep(ctx, every) {
			return lived, ctx.Err()
		}
		every = u.every()
	}
}

func (s *Session) up(first bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if first {
		if s.connects > 0 {
			s.state.Reconnects++
		}
		s.connects++
	}
	s.set("", nil)
}

func (s *Session) down(err error) {
	reason := Refused
	switch {
	case errors.Is(err, engine.ErrNotBuilt):
		reason = NotBuilt
	case errors.Is(err, engine.ErrGone):
		reason = Gone
	case errors.Is(err, engine.ErrTimeout):
		reason = Hung
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if reason == Refused && (s.connects == 0 || s.state.Reason == Gone || s.state.Reason == Unreachable) {
		reason = Unreachable
	}
	s.set(reason, err)
}

// set changes the state, under the lock.
func (s *Session) set(r Reason, err error) {
	if s.state.Reason != r {
		s.state.Since = time.Now()
	}
	s.state.Reason, s.state.Err = r, err
}

func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
