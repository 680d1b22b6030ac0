// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

//go:build restart

package restart

import (
	"context"
	"errors"
	"fmt"
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

// storageLine makes the processor keep its state in the collector's storage.
// Without it every kill begins new counters, and the tests of kills fail.
const storageLine = "storage: file_storage"

// maxGap is longer than an interval between two allocation sets and than one
// between two samples, and shorter than what one lost batch leaves of either:
// every lost batch shows.
const maxGap = 10500 * time.Millisecond

// window is the evidence window of the output counter.
const window = 20 * time.Second

const configuration = `
extensions:
  file_storage:
    directory: %[1]s/storage
    %[5]s
receivers:
  otlp:
    protocols:
      grpc:
        transport: unix
        endpoint: %[1]s/otlp.sock
processors:
  gpu_accounting:
    %[4]s
    max_gap: %[3]s
    evidence_window: %[6]s
    idle_grace: 1m
    outputs:
      - metric: app.tokens
        unit: "{token}"
      - metric: app.waiting
        kind: demand
    price: {amount: 2.5, currency: EUR, per: hour}
exporters:
  otlp_grpc:
    endpoint: %[2]s
    tls: {insecure: true}
    compression: none
    # An error reaches the sender: nothing is kept on the way.
    sending_queue: {enabled: false}
    retry_on_failure: {enabled: false}
service:
  extensions: [file_storage]
  telemetry:
    logs: {level: warn}
    metrics: {level: none}
  pipelines:
    metrics:
      receivers: [otlp]
      processors: [gpu_accounting]
      exporters: [otlp_grpc]
`

// collector is one collector with a folder of its own, and its many lives.
type collector struct {
	t      *testing.T
	dir    string
	life   context.Context // done when the process has ended
	ended  context.CancelCauseFunc
	cmd    *exec.Cmd
	starts int
	log    journal // of all lives
}

// journal is what a process says. It is no file: a full disk stops no word.
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

// newCollector writes a configuration for a collector that sends to sink.
func newCollector(t *testing.T, sink string) *collector {
	t.Helper()
	dir, err := os.MkdirTemp("", "restart") //nolint:usetesting // the path of a socket has 108 bytes at most
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	require.NoError(t, os.Mkdir(filepath.Join(dir, "storage"), 0o750))
	c := &collector{t: t, dir: dir}
	c.configure(sink, "")
	t.Cleanup(c.abandon)
	return c
}

// configure writes the configuration, with a line more for file_storage.
func (c *collector) configure(sink, storage string) {
	c.t.Helper()
	text := fmt.Sprintf(configuration, c.dir, sink, maxGap, storageLine, storage, window)
	require.NoError(c.t, os.WriteFile(filepath.Join(c.dir, "config.yaml"), []byte(text), 0o600))
}

// program returns the collector under test.
func program(t *testing.T) string {
	t.Helper()
	path := os.Getenv("OTELCOL_GPU")
	if path == "" {
		t.Fatal("OTELCOL_GPU isn't set; see doc.go, or run: make restart")
	}
	return path
}

// socket is where the collector listens.
func (c *collector) socket() string { return filepath.Join(c.dir, "otlp.sock") }

// start begins a life. It doesn't wait: a request that waits for the collector
// does.
func (c *collector) start() {
	c.t.Helper()
	// A life that was killed leaves its socket behind.
	if err := os.Remove(c.socket()); !errors.Is(err, os.ErrNotExist) {
		require.NoError(c.t, err)
	}
	c.starts++
	cmd := exec.Command(program(c.t), "--config", filepath.Join(c.dir, "config.yaml"))
	cmd.Stdout, cmd.Stderr = &c.log, &c.log
	require.NoError(c.t, cmd.Start())
	life, ended := context.WithCancelCause(c.t.Context())
	c.cmd, c.life, c.ended = cmd, life, ended
	go func() { ended(fmt.Errorf("the collector has ended: %w", errors.Join(cmd.Wait(), errEnded))) }()
}

var errEnded = errors.New("process is over")

// kill ends the life at once, as a power cut does, and waits until it has.
func (c *collector) kill() {
	c.signal(syscall.SIGKILL)
	<-c.life.Done()
}

// stop shuts the collector down as an orchestrator does.
func (c *collector) stop() {
	c.t.Helper()
	c.signal(syscall.SIGTERM)
	select {
	case <-c.life.Done():
	case <-time.After(patience):
		c.t.Errorf("the collector doesn't stop within %v", patience)
		c.kill()
	}
	require.Zero(c.t, c.cmd.ProcessState.ExitCode(), "exit status; its log:\n%s", c.tail())
}

func (c *collector) signal(s os.Signal) {
	if err := c.cmd.Process.Signal(s); !errors.Is(err, os.ErrProcessDone) {
		require.NoError(c.t, err)
	}
}

// abandon leaves no process behind, and shows the log of a failed test.
func (c *collector) abandon() {
	if c.cmd != nil && c.life.Err() == nil {
		c.kill()
	}
	if c.t.Failed() {
		c.t.Logf("the end of the collector's log, life %d:\n%s", c.starts, c.tail())
	}
}

// tail returns the end of the log.
func (c *collector) tail() string {
	lines := strings.Split(strings.TrimSpace(c.log.String()), "\n")
	return strings.Join(lines[max(0, len(lines)-20):], "\n")
}
