// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

//go:build !(cgo && linux)

package dcgm

import (
	"errors"
	"testing"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/engine"
)

func TestOpenSaysThatThereIsNoCgo(t *testing.T) {
	if _, err := Open(t.Context(), Config{Mode: Auto, Endpoint: DefaultEndpoint}); !errors.Is(err, engine.ErrNotBuilt) {
		t.Errorf("got %v", err)
	}
}
