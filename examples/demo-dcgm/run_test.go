// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

//go:build dcgm && unix

package demodcgm

import (
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// address returns one that nobody listens on.
func address(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	return listener.Addr().String()
}

// library compiles the stand-in.
func library(t *testing.T) string {
	t.Helper()
	build := exec.CommandContext(t.Context(), "go", "run", "../../receiver/dcgmreceiver/internal/standin/build-standin", t.TempDir())
	build.Stderr = os.Stderr
	path, err := build.Output()
	require.NoError(t, err)
	return strings.TrimSpace(string(path))
}

// run runs the demo and returns its exit code and what it prints.
func run(t *testing.T, args ...string) (int, string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), "./run", args...)
	command.Env = append(os.Environ(), "OTLP_ENDPOINT="+address(t), "SINK_ENDPOINT="+address(t))
	output, _ := command.CombinedOutput()
	require.True(t, command.ProcessState.Exited())
	return command.ProcessState.ExitCode(), string(output)
}

// program returns what `make dcgm` has built.
func program(t *testing.T, variable string) string {
	t.Helper()
	path := os.Getenv(variable)
	require.NotEmpty(t, path, "%s isn't set; run: make dcgm", variable)
	return path
}

// TestFault: an engine that measures a thousandth too much is found, on each of
// the devices that were busy.
func TestFault(t *testing.T) {
	code, output := run(t, program(t, "OTELCOL_GPU_DCGM"), program(t, "GPUSIM"), library(t), "--off", "1")
	assert.Equal(t, 1, code, output)
	assert.Contains(t, output, "13 of 30 figures aren't what is true")
	assert.Contains(t, output, "pod apps/chat (exclusive), gpu.active.time: truth 8.76s, exported 8.772s (+12ms)")
}

func TestNoLibrary(t *testing.T) {
	code, output := run(t, program(t, "OTELCOL_GPU_DCGM"), program(t, "GPUSIM"), t.TempDir()+"/libdcgm.so.4")
	assert.Equal(t, 1, code)
	assert.Contains(t, output, "there is no library /")
	code, output = run(t, "collector", "gpusim")
	assert.Equal(t, 2, code)
	assert.Contains(t, output, "usage: ./run COLLECTOR GPUSIM LIBRARY [FLAGS]; make demo-dcgm builds all three")
}
