// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix && ledgerfault

package demo

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestPlantedFault: a collector that books a share twice doesn't pass. `make
// fault` builds one; with a true one this test fails.
func TestPlantedFault(t *testing.T) {
	code, output := run(t, nil, "--duration", "30m")
	assert.Equal(t, 1, code, output)
	assert.Regexp(t, `OTLP output: the largest differences \([0-9]+ of [0-9]+\):\n  node gpu-d, device GPU-\S+, pod apps/`, output)
	assert.Regexp(t, `OTLP output: [0-9]+ of [0-9]+ figures aren't what is true`, output)
	assert.Regexp(t, `Prometheus endpoint: [0-9]+ of [0-9]+ figures aren't`, output)
	assert.Contains(t, output, "the collector's own check of node gpu-d found gpu.ledger.error ")
	assert.NotContains(t, output, "node gpu-a found")
}
