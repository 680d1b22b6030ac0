// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

//go:build cgo && linux

package dcgm

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync/atomic"

	nv "github.com/NVIDIA/go-dcgm/pkg/dcgm"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/engine"
)

// inUse holds the one handle that the binding has in a process. It would hand
// the engine of the first to a second one, whatever that asked for.
var inUse atomic.Bool

// Open connects to a host engine, or starts one in this process. It blocks
// for about 5 s if nobody listens.
func Open(_ context.Context, c Config) (engine.Client, error) {
	if err := load(c.LibraryPath); err != nil {
		return nil, err
	}
	if !inUse.CompareAndSwap(false, true) {
		return nil, engine.ErrInUse
	}
	if err := initialise(c); err != nil {
		inUse.Store(false)
		return nil, err
	}
	return &client{groups: map[engine.Watch]string{}}, nil
}

func initialise(c Config) error {
	if c.Mode == Embedded {
		if _, err := nv.Init(nv.Embedded); err != nil {
			return fmt.Errorf("start DCGM's engine in this process: %w", err)
		}
		return nil
	}
	e, err := parseEndpoint(c.Endpoint)
	if err != nil {
		return err
	}
	socket := "0"
	if e.unix {
		socket = "1"
	}
	if _, err = nv.Init(nv.Standalone, e.address, socket); err != nil {
		err = fmt.Errorf("connect to DCGM's host engine at %s: %w", c.Endpoint, err)
		if strings.Contains(err.Error(), "imeout") { // the binding gives no code
			err = fmt.Errorf("%w: %w", engine.ErrTimeout, err)
		}
		return err
	}
	return nil
}

// names makes names of groups that nobody else has: those of field groups
// must be unique in an engine, and outlive a client that was killed for a
// moment.
var names atomic.Int64

func uniqueName() string {
	return fmt.Sprintf("otelcol-gpu-%d-%d", os.Getpid(), names.Add(1))
}
