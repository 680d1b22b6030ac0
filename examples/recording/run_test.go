// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

// Package recording tests the script run with a collector and a gpusim that
// are stand-ins; test/realdata runs it with the real ones.
package recording

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
		os.Exit(collector(os.Args[2]))
	}
	os.Exit(m.Run())
}

// collector listens until it is told to stop, and leaves a file when it does.
func collector(config string) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	if _, err := os.Stat(config); err != nil {
		fmt.Println(err)
		return 1
	}
	for _, name := range []string{"OTLP_ENDPOINT", "PROMETHEUS_ENDPOINT"} {
		listener, err := net.Listen("tcp", os.Getenv(name))
		if err != nil {
			fmt.Println(err)
			return 1
		}
		defer listener.Close()
	}
	fmt.Println("a warning")
	<-ctx.Done()
	if os.WriteFile(os.Getenv("STOPPED"), nil, 0o600) != nil {
		return 1
	}
	return 0
}

// script writes a program in bash.
func script(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "program")
	require.NoError(t, os.WriteFile(file, []byte("#!/usr/bin/env bash\n"+text+"\n"), 0o700))
	return file
}

type result struct {
	code    int
	output  string
	stopped bool // the collector was stopped in order
	otlp    string
	metrics string
}

func run(t *testing.T, env []string, args ...string) result {
	t.Helper()
	r := result{otlp: address(t), metrics: address(t)}
	stopped := filepath.Join(t.TempDir(), "stopped")
	command := exec.CommandContext(t.Context(), "./run", args...)
	command.Env = append(os.Environ(), "OTLP_ENDPOINT="+r.otlp, "PROMETHEUS_ENDPOINT="+r.metrics, "STOPPED="+stopped)
	command.Env = append(command.Env, env...)
	output, _ := command.CombinedOutput()
	require.True(t, command.ProcessState.Exited())
	_, err := os.Stat(stopped)
	r.code, r.output, r.stopped = command.ProcessState.ExitCode(), string(output), err == nil
	return r
}

// address returns one that nobody listens on.
func address(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	return listener.Addr().String()
}

func TestRun(t *testing.T) {
	r := run(t, nil, os.Args[0], script(t, `printf '<%s>' "$@"`), "gentd26", "--data", "a b")
	assert.Zero(t, r.code, r.output)
	assert.Contains(t, r.output, fmt.Sprintf(
		"<gentd26><--endpoint><%s><--counters><http://%s/metrics><--data><a b>", r.otlp, r.metrics))
	assert.Contains(t, r.output, "The collector says:\na warning\n")
	assert.True(t, r.stopped)
}

func TestRunReturnsTheExitCode(t *testing.T) {
	r := run(t, nil, os.Args[0], script(t, "exit 7"), "gentd26")
	assert.Equal(t, 7, r.code, r.output)
	assert.True(t, r.stopped)
}

func TestRunWithATakenPort(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	for _, name := range []string{"OTLP_ENDPOINT", "PROMETHEUS_ENDPOINT"} {
		r := run(t, []string{name + "=" + listener.Addr().String()}, os.Args[0], script(t, "echo replayed"), "gentd26")
		assert.Equal(t, 1, r.code)
		assert.Contains(t, r.output, listener.Addr().String()+" is taken by another program")
		assert.NotContains(t, r.output, "replayed")
	}
}

func TestRunWithoutACollector(t *testing.T) {
	gpusim := script(t, "echo replayed")
	for want, args := range map[string][]string{
		"didn't start, see above":    {script(t, "echo no such key; exit 1"), gpusim, "gentd26"},
		"no such key":                {script(t, "echo no such key; exit 1"), gpusim, "gentd26"},
		"/nowhere isn't a program":   {"/nowhere", gpusim, "gentd26"},
		"/nothing isn't a program":   {os.Args[0], "/nothing", "gentd26"},
		"usage: ./run COLLECTOR":     {os.Args[0], gpusim},
		"make build builds it":       {"/nowhere", gpusim, "gentd26"},
		"bin/gpusim gentd26 --data ": {},
	} {
		r := run(t, nil, args...)
		assert.NotZero(t, r.code)
		assert.Contains(t, r.output, want)
		assert.NotContains(t, r.output, "replayed")
	}
}
