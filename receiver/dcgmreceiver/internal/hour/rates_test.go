// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

//go:build dcgm && linux

package hour

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/standin"
)

// The real time for which each rate is measured, and from when on.
const (
	rateWarmUp = 20 * time.Second
	rateTime   = 60 * time.Second
)

const rateConfiguration = `
receivers:
  dcgm:
    node: node-0
    library_path: %s
    sample_interval: %v
processors:
  gpu_accounting:
exporters:
  debug: {verbosity: basic}
service:
  telemetry: {metrics: {level: none}}
  pipelines:
    metrics: {receivers: [dcgm], processors: [gpu_accounting], exporters: [debug]}
`

// TestRates prints what the built collector needs, by how often samples are
// taken: the rows of docs/performance.md.
func TestRates(t *testing.T) {
	program := os.Getenv("OTELCOL_GPU_DCGM")
	require.NotEmpty(t, program, "OTELCOL_GPU_DCGM isn't set: run make dcgm-hour")
	library, err := standin.Build(t.Context(), t.TempDir())
	require.NoError(t, err)
	for _, every := range []time.Duration{time.Second, 500 * time.Millisecond, 100 * time.Millisecond} {
		t.Run(every.String(), func(t *testing.T) { rate(t, program, library, every) })
	}
}

func rate(t *testing.T, program, library string, every time.Duration) {
	dir := t.TempDir()
	engine, err := standin.NewScript(filepath.Join(dir, "script"))
	require.NoError(t, err)
	defer engine.Close() //nolint:errcheck // what was said stays
	build(t, engine)
	config := filepath.Join(dir, "config.yaml")
	require.NoError(t, os.WriteFile(config, fmt.Appendf(nil, rateConfiguration, library, every), 0o600))
	var log bytes.Buffer
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(log.String())
		}
	})
	cmd := exec.CommandContext(t.Context(), program, "--config", config)
	cmd.Env = append(os.Environ(), standin.ScriptVariable+"="+engine.Path())
	cmd.Stdout, cmd.Stderr = &log, &log
	require.NoError(t, cmd.Start())
	defer cmd.Process.Kill() //nolint:errcheck // of a test that failed; else it is over
	time.Sleep(rateWarmUp)   // what is measured is time
	before := processorTimeOf(t, cmd.Process.Pid)
	var rss []int64
	begin := time.Now()
	for time.Since(begin) < rateTime {
		time.Sleep(sampleEvery)
		rss = append(rss, resident(t, cmd.Process.Pid))
	}
	cpu := processorTimeOf(t, cmd.Process.Pid) - before
	took := time.Since(begin)
	require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
	require.NoError(t, cmd.Wait())
	require.NotContains(t, log.String(), "no GPU is observed", "the engine gave no samples")
	t.Logf("| %v | %.1f %% | %d MB |", every, 100*cpu.Seconds()/took.Seconds(), window(rss, 0, 1)/1000)
}

// processorTimeOf returns what a process has used so far, in the system's ticks
// of 10 ms.
func processorTimeOf(t *testing.T, pid int) time.Duration {
	t.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	require.NoError(t, err)
	_, rest, ok := strings.Cut(string(stat), ") ") // its name may have blanks
	require.True(t, ok, "%s", stat)
	fields := strings.Fields(rest)
	var user, system int64
	_, err = fmt.Sscan(fields[11]+" "+fields[12], &user, &system)
	require.NoError(t, err)
	return time.Duration(user+system) * 10 * time.Millisecond
}
