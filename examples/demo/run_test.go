// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

// Package demo runs the demo with the built collector and gpusim, for an hour
// of its day.
package demo

import (
	"net"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-gpu/otelcol-gpu/examples/internal/programs"
)

// run runs the demo and returns its exit code and what it prints.
func run(t *testing.T, env []string, flags ...string) (int, string) {
	t.Helper()
	args := append([]string{programs.Collector(t), programs.Gpusim(t)}, flags...)
	command := exec.CommandContext(t.Context(), "./run", args...)
	command.Env = os.Environ()
	for _, name := range []string{"OTLP_ENDPOINT", "PROMETHEUS_ENDPOINT", "SINK_ENDPOINT"} {
		command.Env = append(command.Env, name+"="+address(t))
	}
	command.Env = append(command.Env, env...)
	output, _ := command.CombinedOutput()
	require.True(t, command.ProcessState.Exited())
	return command.ProcessState.ExitCode(), string(output)
}

// address returns one that nobody listens on.
func address(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	return listener.Addr().String()
}

func TestDemo(t *testing.T) {
	code, output := run(t, nil, "--duration", "1h")
	require.Zero(t, code, output)
	t.Log(output)
	assert.Contains(t, output, "4 nodes with 32 GPUs, 1 hour: 32.00 GPU-hours.")
	assert.Contains(t, output, "Ledger error 0 ns on each of 4 nodes")
	for _, side := range []string{"OTLP output", "Prometheus endpoint"} {
		assert.Regexp(t, side+`: [0-9]{3} counters, each as it should be`, output)
	}
	assert.Contains(t, output, "Where to look next")
	assert.NotContains(t, output, "The collector says", "nothing went wrong there")
	addsUp(t, output)
}

var (
	line = regexp.MustCompile(`(?m)^([ −=]) (  )?(\S.*?)  .* ([0-9,]+\.[0-9]{2})  +[0-9.]+$`)
	sums = []string{"Capacity", "Allocated", "Active", "Productive"}
)

// addsUp checks the printed account: what is left of a sum after the lines
// below it is the next sum, and the parts of a line add up to it.
func addsUp(t *testing.T, output string) {
	t.Helper()
	left, parts, open := 0, 0, 0
	var titles []string
	for _, m := range line.FindAllStringSubmatch(output, -1) {
		sign, part, title := m[1], m[2] != "", m[3]
		hundredths, err := strconv.Atoi(strings.NewReplacer(",", "", ".", "").Replace(m[4]))
		require.NoError(t, err)
		switch {
		case strings.HasPrefix(title, "of which"):
			continue
		case part:
			parts += hundredths
			continue
		}
		assert.Contains(t, []int{0, open}, parts, "the parts above "+title)
		parts, open = 0, hundredths
		switch sign {
		case " ":
			left = hundredths
		case "−":
			left -= hundredths
			continue
		case "=":
			assert.Equal(t, left, hundredths, title)
		}
		titles = append(titles, title)
	}
	assert.Equal(t, sums, titles)
}

func TestDemoWithATakenPort(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	for _, name := range []string{"OTLP_ENDPOINT", "PROMETHEUS_ENDPOINT", "SINK_ENDPOINT"} {
		code, output := run(t, []string{name + "=" + listener.Addr().String()}, "--duration", "1h")
		assert.Equal(t, 1, code)
		assert.Contains(t, output, listener.Addr().String()+" is taken by another program; stop it, or set "+name)
	}
}

func TestDemoUsage(t *testing.T) {
	output, err := exec.CommandContext(t.Context(), "./run", "collector").CombinedOutput()
	require.Error(t, err)
	assert.Contains(t, string(output), "usage: ./run COLLECTOR GPUSIM [FLAGS]")
}
