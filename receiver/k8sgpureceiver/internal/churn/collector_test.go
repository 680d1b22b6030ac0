// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

//go:build churn && linux

package churn

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const configuration = `
extensions:
  pprof:
    endpoint: %[3]s
receivers:
  k8s_gpu:
    node: churn
    cluster_name: churn
    collection_interval: 1s
    timeout: 1s
    pods: pods_api
    pod_resources_socket: %[1]s
    pods_api_socket: %[1]s
processors:
  gpu_accounting:
    forward_inputs: all
exporters:
  otlp_grpc:
    endpoint: %[2]s
    tls: {insecure: true}
    compression: none
    sending_queue: {enabled: false}
service:
  extensions: [pprof]
  telemetry:
    logs: {level: warn}
    metrics: {level: none}
  pipelines:
    metrics:
      receivers: [k8s_gpu]
      processors: [gpu_accounting]
      exporters: [otlp_grpc]
`

// collector is the built collector at work.
type collector struct {
	t     *testing.T
	cmd   *exec.Cmd
	pprof string // where its pprof extension listens
	log   *journal
	done  chan struct{}
}

// journal is what a process says.
type journal struct {
	mu   sync.Mutex // guards text
	text strings.Builder
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

// startCollector starts a collector beside a kubelet's socket and waits until
// it runs.
func startCollector(t *testing.T, kubelet, sink string) *collector {
	t.Helper()
	program := os.Getenv("OTELCOL_GPU")
	require.NotEmpty(t, program, "OTELCOL_GPU isn't set; see doc.go, or run: make churn")
	c := &collector{t: t, pprof: freeAddress(t), log: &journal{}, done: make(chan struct{})}
	config := filepath.Join(t.TempDir(), "config.yaml")
	require.NoError(t, os.WriteFile(config, fmt.Appendf(nil, configuration, kubelet, sink, c.pprof), 0o600))
	c.cmd = exec.Command(program, "--config", config)
	c.cmd.Stdout, c.cmd.Stderr = c.log, c.log
	require.NoError(t, c.cmd.Start())
	go func() {
		defer close(c.done)
		_ = c.cmd.Wait() // ProcessState tells
	}()
	t.Cleanup(func() {
		_ = c.cmd.Process.Kill() // it has ended, but of a test that failed
		<-c.done
		if t.Failed() {
			t.Logf("the collector's log:\n%s", c.log)
		}
	})
	require.Eventually(t, func() bool { _, err := measure(c.cmd.Process.Pid, c.pprof); return err == nil }, patience, measureEvery)
	return c
}

// stop shuts the collector down as an orchestrator does.
func (c *collector) stop() {
	c.t.Helper()
	require.NoError(c.t, c.cmd.Process.Signal(syscall.SIGTERM))
	select {
	case <-c.done:
	case <-time.After(patience):
		c.t.Fatalf("the collector doesn't stop within %v", patience)
	}
	require.Zero(c.t, c.cmd.ProcessState.ExitCode(), "exit status")
}

// freeAddress returns an address where nobody listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	return listener.Addr().String()
}
