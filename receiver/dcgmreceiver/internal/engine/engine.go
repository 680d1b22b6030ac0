// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Package engine is how the receiver sees a DCGM host engine: an interface
// that hides the binding, and the goroutine to which a connection belongs.
package engine

import (
	"context"
	"errors"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/sample"
)

// What a call can fail with, beside errors that concern that call only.
var (
	// ErrGone: the engine died or restarted. The client never recovers: close
	// it and open another. Ids that the engine gave mean nothing any more, or
	// something else.
	ErrGone = errors.New("the connection to the host engine is gone")
	// ErrTimeout: the engine hung. When it wakes, the client goes on.
	ErrTimeout = errors.New("the host engine doesn't answer")
	// ErrNotServed: the engine can't serve a watch, of all its fields
	// together. Some of them may be served.
	ErrNotServed = errors.New("the host engine doesn't serve these fields")
	// ErrNoLibrary: DCGM isn't installed, or not where it is looked for.
	ErrNoLibrary = errors.New("DCGM's library can't be loaded")
	// ErrInUse: something else in this process has the one connection that DCGM
	// allows it.
	ErrInUse = errors.New("this process has a connection to DCGM already")
	// ErrNotBuilt: this program can't load DCGM, whatever is installed.
	ErrNotBuilt = errors.New("this collector was built without cgo, which DCGM needs")
)

// Status is the state of a GPU as the engine sees it.
type Status uint8

// The states. Detached is every GPU while the driver is detached.
const (
	Unknown Status = iota
	OK
	Unsupported
	Inaccessible
	Lost
	Fake
	Disabled
	Detached
	statuses
)

var statusNames = [statuses]string{"unknown", "ok", "unsupported", "inaccessible", "lost", "fake", "disabled", "detached"}

func (s Status) String() string {
	if s >= statuses {
		return statusNames[Unknown]
	}
	return statusNames[s]
}

// GPU is a board that the engine knows.
type GPU struct {
	ID     uint
	Status Status
}

// Instance is a MIG GPU instance or compute instance.
type Instance struct {
	Entity, Parent  sample.Entity
	BoardUUID       string
	NVMLIndex       uint // of the board
	GPUInstance     uint // NVML's id
	ComputeInstance uint // NVML's id; meaningless of a GPU instance
	Slices          uint // compute slices of its profile
}

// Watch is a set of fields that are sampled, of a set of entities.
type Watch struct{ Group, Fields uintptr }

// Client is a connection to an engine. It belongs to one goroutine; every
// call may block for a minute, when the engine hangs.
type Client interface {
	GPUs() ([]GPU, error)
	Instances() ([]Instance, error)
	// Latest returns the newest sample of each field of an entity.
	Latest(e sample.Entity, fields []sample.Field) ([]sample.Raw, error)
	// Watch has fields of entities sampled every so often, and kept for keep.
	Watch(entities []sample.Entity, fields []sample.Field, every, keep time.Duration) (Watch, error)
	// Since returns the samples taken at since or later, in µs since 1970,
	// and the time to ask for next.
	Since(w Watch, since int64) ([]sample.Raw, int64, error)
	Unwatch(w Watch) error
	// Close gives back what the client has in the engine.
	Close() error
}

// Opener connects to an engine, or starts one. It may block for some seconds.
type Opener func(ctx context.Context) (Client, error)
