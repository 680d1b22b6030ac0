// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package session

import (
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/engine"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/sample"
)

// timed notes when a call is being made, so that others see that it hangs.
type timed struct {
	client engine.Client
	s      *Session
}

var _ engine.Client = timed{}

func (t timed) enter(call string) (leave func()) { return t.s.enter(call, t.s.config.Hung) }

// enter notes that a call begins, which takes patience at most if all is well.
func (s *Session) enter(call string, patience time.Duration) (leave func()) {
	began := time.Now()
	s.calls(began, patience)
	return func() {
		s.calls(time.Time{}, 0)
		if s.config.Called != nil {
			s.config.Called(call, time.Since(began))
		}
	}
}

func (s *Session) calls(began time.Time, patience time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calling, s.patience = began, patience
}

func (t timed) GPUs() ([]engine.GPU, error) {
	defer t.enter("gpus")()
	return t.client.GPUs()
}

func (t timed) Instances() ([]engine.Instance, error) {
	defer t.enter("instances")()
	return t.client.Instances()
}

func (t timed) Latest(e sample.Entity, fields []sample.Field) ([]sample.Raw, error) {
	defer t.enter("latest")()
	return t.client.Latest(e, fields)
}

func (t timed) Watch(entities []sample.Entity, fields []sample.Field, every, keep time.Duration) (engine.Watch, error) {
	defer t.enter("watch")()
	return t.client.Watch(entities, fields, every, keep)
}

func (t timed) Since(w engine.Watch, since int64) ([]sample.Raw, int64, error) {
	defer t.enter("since")()
	return t.client.Since(w, since)
}

func (t timed) Unwatch(w engine.Watch) error {
	defer t.enter("unwatch")()
	return t.client.Unwatch(w)
}

func (t timed) Close() error {
	defer t.enter("close")()
	return t.client.Close()
}
