// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

//go:build !(cgo && linux)

package dcgm

import (
	"context"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/engine"
)

// Open returns engine.ErrNotBuilt: this is a build without cgo.
func Open(context.Context, Config) (engine.Client, error) { return nil, engine.ErrNotBuilt }
