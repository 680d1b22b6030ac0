// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

// Package check tests the collector that gpusim run and gpusim check are for,
// with the real programs.
package check

import (
	"net"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-gpu/otelcol-gpu/examples/internal/programs"
)

// both runs a scenario and checks it.
const both = `
flags="--scenario $SCENARIO --duration 150m"
"$GPUSIM" run $flags --endpoint "$OTLP_ENDPOINT" &&
	"$GPUSIM" check $flags --counters "http://$PROMETHEUS_ENDPOINT/metrics" --interval "$INTERVAL"`

// run starts a collector and runs both against it.
func run(t *testing.T, scenario, interval string) (code int, output string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), "../with-collector", "collector.yaml", programs.Collector(t), "/bin/sh", "-c", both)
	command.Env = append(os.Environ(), "SCENARIO="+scenario, "INTERVAL="+interval, "GPUSIM="+programs.Gpusim(t),
		"OTLP_ENDPOINT="+address(t), "PROMETHEUS_ENDPOINT="+address(t), "SINK_ENDPOINT=")
	out, _ := command.CombinedOutput()
	require.True(t, command.ProcessState.Exited())
	return command.ProcessState.ExitCode(), string(out)
}

// address returns one that nobody listens on.
func address(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	return listener.Addr().String()
}

// A scenario of the metric requests_total, and one that waits for work.
func TestRunAndCheck(t *testing.T) {
	for _, scenario := range []string{"accuracy/28-clock-steps", "accuracy/10-starved"} {
		code, output := run(t, scenario, "10s")
		assert.Zero(t, code, output)
		assert.Contains(t, output, "counters, each as it should be")
		assert.NotContains(t, output, "The collector says")
	}
}

// It can fail: the truth of another interval isn't what was sent.
func TestRunAndCheckOfAnother(t *testing.T) {
	code, output := run(t, "accuracy/28-clock-steps", "30s")
	assert.Equal(t, 1, code, output)
	assert.Regexp(t, `gpusim: [0-9]+ of [0-9]+ figures`, output)
	assert.NotContains(t, output, "each as it should be")
}
