// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

// Package load tests the script run with a collector and a gpusim that are
// stand-ins.
package load

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestMain is the collector when run starts this test binary as one.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "--config" {
		os.Exit(collector())
	}
	os.Exit(m.Run())
}

// collector listens until it is told to stop.
func collector() int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	listener, err := net.Listen("tcp", os.Getenv("OTLP_ENDPOINT"))
	if err != nil {
		fmt.Println(err)
		return 1
	}
	defer listener.Close()
	<-ctx.Done()
	return 0
}

// address returns one that nobody listens on.
func address(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	return listener.Addr().String()
}

// run runs the script with a gpusim that is a line of bash.
func run(t *testing.T, otlp, gpusim string, args ...string) (code int, output string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "gpusim")
	require.NoError(t, os.WriteFile(file, []byte("#!/usr/bin/env bash\n"+gpusim+"\n"), 0o700))
	command := exec.CommandContext(t.Context(), "./run", append([]string{os.Args[0], file}, args...)...)
	command.Env = append(os.Environ(), "OTLP_ENDPOINT="+otlp, "PROMETHEUS_ENDPOINT=nobody:1")
	out, _ := command.CombinedOutput()
	require.True(t, command.ProcessState.Exited())
	return command.ProcessState.ExitCode(), string(out)
}

func TestRun(t *testing.T) {
	otlp := address(t)
	code, output := run(t, otlp, `echo "sent: $*"`, "--nodes", "7")
	require.Zero(t, code, output)
	assert.Regexp(t, `(?s)^== passthrough\nsent: (run .*)
gpusim: processor time [0-9.]+ s user, [0-9.]+ s system
collector: processor time [0-9:.]+, memory [0-9]+ MB at the end
== accounting
sent: run .*
collector: processor time .*, memory [0-9]+ MB at the end\n$`, output)
	assert.Contains(t, output, "run --scenario load --endpoint "+otlp+" --nodes 7\n")
}

func TestRunReturnsTheExitCode(t *testing.T) {
	code, output := run(t, address(t), "exit 7")
	assert.Equal(t, 7, code)
	assert.NotContains(t, output, "accounting")
}

func TestRunWithATakenPort(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	code, output := run(t, listener.Addr().String(), "echo sent")
	assert.Equal(t, 1, code)
	assert.Contains(t, output, "is taken by another program")
	assert.NotContains(t, output, "sent")
}
