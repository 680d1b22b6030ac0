// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package dcgmreceiver

import (
	"context"
	"sync"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/engine"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/sample"
)

// fakeEngine has boards that are half busy: "GPU-0" and so on. It is the client
// of itself. What the binding does is tested with the library's stand-in.
type fakeEngine struct {
	mu       sync.Mutex
	refusal  error           // of Open
	fault    error           // of every call
	hang     <-chan struct{} // calls wait for it, if it isn't nil
	statuses []engine.Status // of the boards
	names    []string        // UUIDs, if they aren't the usual ones
	load     func(board uint, f sample.Field, from, to time.Time) (float64, bool)
	watched  map[engine.Watch]fakeWatch
	closed   int
}

type fakeWatch struct {
	entities []sample.Entity
	fields   []sample.Field
	every    time.Duration
	began    time.Time
}

func (f *fakeEngine) change(how func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	how()
}

func (f *fakeEngine) open(context.Context) (engine.Client, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.refusal != nil {
		return nil, f.refusal
	}
	f.watched = map[engine.Watch]fakeWatch{}
	return f, nil
}

// enter is what each call begins with: it leaves with the lock.
func (f *fakeEngine) enter() error {
	f.mu.Lock()
	hang := f.hang
	f.mu.Unlock()
	if hang != nil {
		<-hang
	}
	f.mu.Lock()
	return f.fault
}

func (f *fakeEngine) GPUs() ([]engine.GPU, error) {
	err := f.enter()
	defer f.mu.Unlock()
	var gpus []engine.GPU
	for i, status := range f.statuses {
		gpus = append(gpus, engine.GPU{ID: uint(i), Status: status})
	}
	return gpus, err
}

func (f *fakeEngine) Instances() ([]engine.Instance, error) {
	err := f.enter()
	defer f.mu.Unlock()
	return nil, err
}

func (f *fakeEngine) Latest(e sample.Entity, _ []sample.Field) ([]sample.Raw, error) {
	err := f.enter()
	defer f.mu.Unlock()
	raw := sample.Raw{Entity: e, Type: sample.Text, Micros: time.Now().UnixMicro()}
	uuid, name := raw, raw
	uuid.Field, uuid.Text = sample.UUID, "GPU-"+string(rune('0'+e.ID))
	if f.names != nil {
		uuid.Text = f.names[e.ID]
	}
	name.Field, name.Text = sample.Name, "NVIDIA H100"
	return []sample.Raw{uuid, name}, err
}

func (f *fakeEngine) Watch(entities []sample.Entity, fields []sample.Field, every, _ time.Duration) (engine.Watch, error) {
	err := f.enter()
	defer f.mu.Unlock()
	w := engine.Watch{Group: uintptr(len(f.watched) + 1), Fields: uintptr(time.Now().UnixNano())}
	f.watched[w] = fakeWatch{entities, fields, every, time.Now()}
	return w, err
}

// Since has a sample at each multiple of the watch's interval after its begin.
func (f *fakeEngine) Since(w engine.Watch, since int64) ([]sample.Raw, int64, error) {
	err := f.enter()
	defer f.mu.Unlock()
	watch := f.watched[w]
	var samples []sample.Raw
	now := time.Now()
	for at := watch.began; !at.After(now) && err == nil; at = at.Add(watch.every) {
		for _, e := range watch.entities {
			if at.UnixMicro() >= since && f.statuses[e.ID] == engine.OK {
				samples = append(samples, f.measured(e, watch, at)...)
			}
		}
	}
	return samples, now.UnixMicro() + 1, err
}

// measured returns the samples of a time; those of profiling are averages over
// the interval before it.
func (f *fakeEngine) measured(e sample.Entity, w fakeWatch, at time.Time) []sample.Raw {
	load := f.load
	if load == nil {
		load = func(_ uint, field sample.Field, _, _ time.Time) (float64, bool) {
			return 0.5, field == sample.EngineActive
		}
	}
	var samples []sample.Raw
	for _, field := range w.fields {
		raw := sample.Raw{Entity: e, Field: field, Type: sample.Double, Micros: at.UnixMicro()}
		v, ok := load(e.ID, field, at.Add(-w.every), at)
		switch {
		case ok:
			raw.Double = v
		case field == sample.MemoryUsed:
			raw.Type, raw.Int = sample.Integer, 1024
		case field == sample.SMActive:
			raw.Status = -99 // a sample that isn't a value
		default:
			continue
		}
		samples = append(samples, raw)
	}
	return samples
}

func (f *fakeEngine) Unwatch(w engine.Watch) error {
	err := f.enter()
	defer f.mu.Unlock()
	delete(f.watched, w)
	return err
}

func (f *fakeEngine) Close() error {
	err := f.enter()
	defer f.mu.Unlock()
	f.closed++
	return err
}
