// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

// Package load tests the script run, once with the real programs, else with a
// collector and a gpusim that are stand-ins.
package load

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-gpu/otelcol-gpu/examples/internal/programs"
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

// TestRunForReal sends what one node tells: each collector takes all of it.
func TestRunForReal(t *testing.T) {
	command := exec.CommandContext(t.Context(), "./run", programs.Collector(t), programs.Gpusim(t), "--nodes", "1", "--bundle", "1s")
	command.Env = append(os.Environ(), "OTLP_ENDPOINT="+address(t))
	output, err := command.CombinedOutput()
	require.NoError(t, err, string(output))
	t.Log(string(output))
	sent := regexp.MustCompile(`(?m)^sent ([0-9]+) points in [0-9]+ requests \(0 sent again\), 10m0s of simulated time`).FindAllSubmatch(output, -1)
	require.Len(t, sent, 2, string(output))
	assert.Equal(t, sent[0][1], sent[1][1])
	assert.Len(t, regexp.MustCompile(`(?m)^collector: processor time [0-9]+\.[0-9]{2} s, memory [0-9]+ MB at the end$`).FindAll(output, -1), 2)
	assert.NotContains(t, string(output), "The collector says")
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
collector: processor time [0-9]+\.[0-9]{2} s, memory [0-9]+ MB at the end
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
