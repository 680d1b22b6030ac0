// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Package programs names the programs that the tests of the examples run.
package programs

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Collector returns the collector: the one that `make test` names, else one
// that it builds.
func Collector(t *testing.T) string {
	t.Helper()
	return program(t, "OTELCOL_GPU", "distribution")
}

// Gpusim returns gpusim in the same way.
func Gpusim(t *testing.T) string {
	t.Helper()
	return program(t, "GPUSIM", "cmd/gpusim")
}

func program(t *testing.T, variable, source string) string {
	t.Helper()
	if path := os.Getenv(variable); path != "" {
		return path
	}
	path := filepath.Join(t.TempDir(), "program")
	output, err := exec.CommandContext(t.Context(), "go", "build", "-o", path, "../../"+source).CombinedOutput()
	require.NoError(t, err, string(output))
	return path
}
