// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Package checkpointtest is a storage extension for tests, in memory, that fails
// when it is told to.
package checkpointtest

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension/xextension/storage"
)

// What a client returns that may not be used.
var (
	ErrInUse  = errors.New("timeout") // the words of file_storage
	ErrKilled = errors.New("the process was killed")
)

// Storage outlives the components that use it, as a disk outlives a process.
type Storage struct {
	component.StartFunc
	component.ShutdownFunc

	mu     sync.Mutex
	data   map[string]map[string][]byte // by client
	open   map[string]*client
	before func([]*storage.Operation) error
	after  func([]*storage.Operation) error
	opened int
}

var _ storage.Extension = (*Storage)(nil)

// New returns an empty storage.
func New() *Storage {
	return &Storage{data: map[string]map[string][]byte{}, open: map[string]*client{}}
}

// Host returns a host that has s as the extension with that id.
func (s *Storage) Host(id component.ID) component.Host { return host{id: s} }

type host map[component.ID]component.Component

func (h host) GetExtensions() map[component.ID]component.Component { return h }

// Before has every batch of operations fail before anything happens, if f
// returns an error. A nil f ends that.
func (s *Storage) Before(f func([]*storage.Operation) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.before = f
}

// After has every batch of operations fail after all of it happened, if f
// returns an error. A nil f ends that.
func (s *Storage) After(f func([]*storage.Operation) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.after = f
}

// Kill ends the process: its clients fail from now on and hold nothing.
func (s *Storage) Kill() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, c := range s.open {
		c.gone = ErrKilled
		delete(s.open, name)
	}
}

// Tamper changes what is stored, of all clients.
func (s *Storage) Tamper(change func(data map[string][]byte)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, data := range s.data {
		change(data)
	}
}

// Stored returns what is stored, of all clients.
func (s *Storage) Stored() map[string][]byte {
	all := map[string][]byte{}
	s.Tamper(func(data map[string][]byte) { maps.Copy(all, data) })
	return all
}

// Opened returns how many clients there were.
func (s *Storage) Opened() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.opened
}

// GetClient returns a client, and ErrInUse while that name has one.
func (s *Storage) GetClient(
	_ context.Context, kind component.Kind, id component.ID, name string,
) (storage.Client, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	name = kind.String() + "/" + id.String() + "/" + name
	if s.open[name] != nil {
		return nil, ErrInUse
	}
	if s.data[name] == nil {
		s.data[name] = map[string][]byte{}
	}
	c := &client{of: s, name: name}
	s.open[name] = c
	s.opened++
	return c, nil
}

type client struct {
	of   *Storage
	name string
	gone error // guarded by of.mu
}

func (c *client) Get(ctx context.Context, key string) ([]byte, error) {
	op := storage.GetOperation(key)
	err := c.Batch(ctx, op)
	return op.Value, err
}

func (c *client) Set(ctx context.Context, key string, value []byte) error {
	return c.Batch(ctx, storage.SetOperation(key, value))
}

func (c *client) Delete(ctx context.Context, key string) error {
	return c.Batch(ctx, storage.DeleteOperation(key))
}

func (c *client) Batch(ctx context.Context, ops ...*storage.Operation) error {
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	if err := ctx.Err(); c.gone != nil || err != nil {
		return errors.Join(c.gone, err)
	}
	if c.of.before != nil {
		if err := c.of.before(ops); err != nil {
			return err
		}
	}
	data := c.of.data[c.name]
	for _, op := range ops {
		switch op.Type {
		case storage.Get:
			op.Value = slices.Clone(data[op.Key])
		case storage.Set:
			data[op.Key] = append([]byte{}, op.Value...)
		case storage.Delete:
			delete(data, op.Key)
		}
	}
	if c.of.after != nil {
		return c.of.after(ops)
	}
	return nil
}

func (c *client) Close(context.Context) error {
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	if c.gone == nil {
		c.gone = errors.New("the client is closed")
		delete(c.of.open, c.name)
	}
	return nil
}

// Writes reports whether ops change anything.
func Writes(ops []*storage.Operation) bool {
	return slices.ContainsFunc(ops, func(op *storage.Operation) bool { return op.Type != storage.Get })
}
