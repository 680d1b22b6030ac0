// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/engine"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/sample"
)

// fake is an engine: what it says of an entity's field is what the test set.
// It samples what is watched from the moment of the watch on.
type fake struct {
	mu         sync.Mutex
	up         bool
	generation int // of the engine: a client of another one is void
	gpus       []engine.GPU
	instances  []engine.Instance
	values     map[route]sample.Raw
	refused    map[route]bool // a watch with it fails whole
	xids       []sample.Raw   // the last one of each board, kept for ever
	watches    map[engine.Watch]*fakeWatch
	handed     uintptr
	hang       <-chan struct{} // calls wait for it, if it isn't nil
}

type fakeWatch struct {
	entities []sample.Entity
	fields   []sample.Field
	every    time.Duration
	log      map[route][]sample.Raw
	until    time.Time // up to which the log is complete
}

func newFake() *fake {
	f := &fake{values: map[route]sample.Raw{}, refused: map[route]bool{}}
	f.start()
	return f
}

func (f *fake) start() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.up, f.handed, f.watches = true, 0, map[engine.Watch]*fakeWatch{}
	f.generation++
}

func (f *fake) die() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.up = false
}

// change lets time pass for what is watched, then changes what is said.
func (f *fake) change(how func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.sample()
	how()
}

func gpu(id uint) sample.Entity { return sample.Entity{Kind: sample.Board, ID: id} }
func gi(id uint) sample.Entity  { return sample.Entity{Kind: sample.GPUInstance, ID: id} }
func ci(id uint) sample.Entity  { return sample.Entity{Kind: sample.ComputeInstance, ID: id} }

func (f *fake) text(e sample.Entity, field sample.Field, v string) {
	f.values[route{e, field}] = sample.Raw{Entity: e, Field: field, Type: sample.Text, Text: v}
}

func (f *fake) number(e sample.Entity, field sample.Field, v int64) {
	f.values[route{e, field}] = sample.Raw{Entity: e, Field: field, Type: sample.Integer, Int: v}
}

func (f *fake) ratio(e sample.Entity, field sample.Field, v float64) {
	f.values[route{e, field}] = sample.Raw{Entity: e, Field: field, Type: sample.Double, Double: v}
}

// board adds a board that is half busy.
func (f *fake) board(id uint, uuid string) {
	f.gpus = append(f.gpus, engine.GPU{ID: id, Status: engine.OK})
	f.text(gpu(id), sample.UUID, uuid)
	f.text(gpu(id), sample.Name, "NVIDIA H100")
	f.ratio(gpu(id), sample.EngineActive, 0.5)
	f.ratio(gpu(id), sample.PowerWatts, 300)
}

// xid is an error of a board that happened a moment ago.
func (f *fake) xid(board uint, code int64) {
	x := sample.Raw{
		Entity: gpu(board), Field: sample.XID, Type: sample.Integer, Int: code,
		Micros: time.Now().Add(-1500 * time.Millisecond).UnixMicro(),
	}
	f.xids = []sample.Raw{x}
	for _, w := range f.watches {
		if slices.Contains(w.fields, sample.XID) {
			w.log[route{x.Entity, x.Field}] = append(w.log[route{x.Entity, x.Field}], x)
		}
	}
}

// sample takes the samples that are due.
func (f *fake) sample() {
	now := time.Now()
	for _, w := range f.watches {
		for ; !w.until.After(now); w.until = w.until.Add(w.every) {
			for _, e := range w.entities {
				for _, field := range w.fields {
					r := route{e, field}
					if v, ok := f.values[r]; ok {
						v.Micros = w.until.UnixMicro()
						w.log[r] = append(w.log[r], v)
					}
				}
			}
		}
	}
}

func (f *fake) open(context.Context) (engine.Client, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.up {
		return nil, errors.New("nobody listens")
	}
	return &fakeClient{f, f.generation}, nil
}

type fakeClient struct {
	f          *fake
	generation int
}

// enter is what each call begins with.
func (c *fakeClient) enter() (leave func(), err error) {
	c.f.mu.Lock()
	hang := c.f.hang
	c.f.mu.Unlock()
	if hang != nil {
		select {
		case <-hang:
		case <-time.After(time.Minute):
			return func() {}, engine.ErrTimeout
		}
	}
	c.f.mu.Lock()
	if !c.f.up || c.generation != c.f.generation {
		c.f.mu.Unlock()
		return func() {}, engine.ErrGone
	}
	c.f.sample()
	return c.f.mu.Unlock, nil
}

func (c *fakeClient) GPUs() ([]engine.GPU, error) {
	leave, err := c.enter()
	defer leave()
	return slices.Clone(c.f.gpus), err
}

func (c *fakeClient) Instances() ([]engine.Instance, error) {
	leave, err := c.enter()
	defer leave()
	if err == nil && away(c.f.gpus) {
		err = errors.New("GPUs are detached")
	}
	return slices.Clone(c.f.instances), err
}

func (c *fakeClient) Latest(e sample.Entity, fields []sample.Field) ([]sample.Raw, error) {
	leave, err := c.enter()
	defer leave()
	if err != nil {
		return nil, err
	}
	var all []sample.Raw
	for _, field := range fields {
		last := sample.Raw{Entity: e, Field: field, Type: sample.Integer, Status: -16}
		for _, w := range c.f.watches {
			if log := w.log[route{e, field}]; len(log) > 0 && log[len(log)-1].Micros > last.Micros {
				last = log[len(log)-1]
			}
		}
		all = append(all, last)
	}
	return all, nil
}

func (c *fakeClient) Watch(entities []sample.Entity, fields []sample.Field, every, _ time.Duration) (engine.Watch, error) {
	leave, err := c.enter()
	defer leave()
	if err != nil {
		return engine.Watch{}, err
	}
	for _, e := range entities {
		for _, field := range fields {
			if c.f.refused[route{e, field}] {
				return engine.Watch{}, engine.ErrNotServed
			}
		}
	}
	c.f.handed++
	w := engine.Watch{Group: c.f.handed, Fields: c.f.handed}
	c.f.watches[w] = &fakeWatch{entities, fields, every, map[route][]sample.Raw{}, time.Now()}
	for _, x := range c.f.xids {
		if slices.Contains(fields, sample.XID) {
			c.f.watches[w].log[route{x.Entity, x.Field}] = []sample.Raw{x}
		}
	}
	c.f.sample()
	return w, nil
}

func (c *fakeClient) Since(w engine.Watch, since int64) ([]sample.Raw, int64, error) {
	leave, err := c.enter()
	defer leave()
	if err != nil {
		return nil, since, err
	}
	watch, ok := c.f.watches[w]
	if !ok {
		return nil, since, fmt.Errorf("%+v isn't watched", w)
	}
	next := since
	var all []sample.Raw
	for _, log := range watch.log {
		for _, r := range log {
			if r.Micros >= since {
				all = append(all, r)
				next = max(next, r.Micros+1)
			}
		}
	}
	return all, next, nil
}

func (c *fakeClient) Unwatch(w engine.Watch) error {
	leave, err := c.enter()
	defer leave()
	if err != nil {
		return err
	}
	if _, ok := c.f.watches[w]; !ok {
		return fmt.Errorf("%+v isn't watched", w)
	}
	delete(c.f.watches, w)
	return nil
}

func (c *fakeClient) Close() error {
	c.f.mu.Lock()
	defer c.f.mu.Unlock()
	if c.generation == c.f.generation {
		clear(c.f.watches)
	}
	return nil
}
