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

func (t timed) enter() (leave func()) {
	t.set(time.Now())
	return func() { t.set(time.Time{}) }
}

func (t timed) set(began time.Time) {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	t.s.calling = began
}

func (t timed) GPUs() ([]engine.GPU, error) {
	defer t.enter()()
	return t.client.GPUs()
}

func (t timed) Instances() ([]engine.Instance, error) {
	defer t.enter()()
	return t.client.Instances()
}

func (t timed) Latest(e sample.Entity, fields []sample.Field) ([]sample.Raw, error) {
	defer t.enter()()
	return t.client.Latest(e, fields)
}

func (t timed) Watch(entities []sample.Entity, fields []sample.Field, every, keep time.Duration) (engine.Watch, error) {
	defer t.enter()()
	return t.client.Watch(entities, fields, every, keep)
}

func (t timed) Since(w engine.Watch, since int64) ([]sample.Raw, int64, error) {
	defer t.enter()()
	return t.client.Since(w, since)
}

func (t timed) Unwatch(w engine.Watch) error {
	defer t.enter()()
	return t.client.Unwatch(w)
}

func (t timed) Close() error {
	defer t.enter()()
	return t.client.Close()
}
