// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package session

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/catalog"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/engine"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/sample"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/topology"
)

// Config says how a session is kept.
type Config struct {
	Open     engine.Opener
	Fields   []sample.Field // that are read of devices
	Interval time.Duration  // between samples: sample_interval
	Slowest  time.Duration  // between two reads of what was sampled, unless samples are rarer
	Look     time.Duration  // between looks at the devices
	Hung     time.Duration  // a call that takes longer says that the engine hangs
	Ask      time.Duration  // between attempts to read what wasn't served
	// The wait before another connect: from Retry, doubled up to MaxRetry.
	Retry, MaxRetry time.Duration
	// Changed is called when the State has changed, Called after each call of
	// the engine: by the goroutine that calls it, so neither may wait for it.
	// Both may be nil.
	Changed func()
	Called  func(call string, took time.Duration)
}

// DefaultConfig returns the rules for samples that are taken every interval.
func DefaultConfig(open engine.Opener, interval time.Duration) Config {
	return Config{
		Open: open, Fields: catalog.All(), Interval: interval, Slowest: 5 * time.Second, Look: 10 * time.Second, Hung: 5 * time.Second, Ask: 10 * time.Minute,
		Retry: time.Second, MaxRetry: 30 * time.Second,
	}
}

// Reason says why the engine gives nothing.
type Reason string

// The reasons. An engine that is there has none.
const (
	Starting    Reason = "starting"
	NotBuilt    Reason = "not_built"   // this program can't load DCGM
	NoLibrary   Reason = "no_library"  // DCGM isn't installed
	Unreachable Reason = "unreachable" // nobody listens
	Gone        Reason = "gone"        // it died or restarted
	Hung        Reason = "hung"        // it doesn't answer
	Refused     Reason = "refused"     // it answers with errors
	Stopped     Reason = "stopped"
)

// Reasons returns those for which something is amiss, or not yet there.
func Reasons() []Reason {
	return []Reason{Starting, NotBuilt, NoLibrary, Unreachable, Gone, Hung, Refused}
}

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
	calling  time.Time     // when the call began that is being made; zero: none
	patience time.Duration // after which that call says that the engine hangs
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
	if state.Reason != Hung && !s.calling.IsZero() && time.Since(s.calling) > s.patience {
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
		fault := Unreachable
		if err == nil {
			var lived bool
			if lived, err = s.serve(ctx, client); lived {
				wait = s.config.Retry
			}
			s.disconnect(client)
			fault = Refused
		}
		if ctx.Err() != nil {
			break
		}
		s.down(fault, err)
		if !sleep(ctx, wait) {
			break
		}
		wait = min(2*wait, s.config.MaxRetry)
	}
	s.set(Stopped, nil)
}

func (s *Session) connect(ctx context.Context) (engine.Client, error) {
	// To say that nobody listens takes as long as a call that hangs.
	leave := s.enter("open", 3*s.config.Hung)
	client, err := s.config.Open(ctx)
	leave()
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
			s.down(Refused, err) // when it wakes, the connection goes on
		default:
			return lived, err
		}
		if !sleep(ctx, every) {
			return lived, u.drain() // what was sampled up to now
		}
		every = u.every()
	}
}

func (s *Session) up(first bool) {
	if first {
		s.mu.Lock()
		if s.connects > 0 {
			s.state.Reconnects++
		}
		s.connects++
		s.mu.Unlock()
	}
	s.set("", nil)
}

// down notes what the engine failed with: if the error doesn't say for what
// reason, it is the one given.
func (s *Session) down(reason Reason, err error) {
	switch {
	case errors.Is(err, engine.ErrNotBuilt):
		reason = NotBuilt
	case errors.Is(err, engine.ErrNoLibrary):
		reason = NoLibrary
	case errors.Is(err, engine.ErrInUse):
		reason = Refused
	case errors.Is(err, engine.ErrGone):
		reason = Gone
	case errors.Is(err, engine.ErrTimeout):
		reason = Hung
	}
	s.set(reason, err)
}

// set changes the state.
func (s *Session) set(r Reason, err error) {
	s.mu.Lock()
	changed := s.state.Reason != r
	if changed {
		s.state.Since = time.Now()
	}
	s.state.Reason, s.state.Err = r, err
	s.mu.Unlock()
	if changed && s.config.Changed != nil {
		s.config.Changed()
	}
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
