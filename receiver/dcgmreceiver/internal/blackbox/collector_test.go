// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

//go:build dcgm

package blackbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/standin"
)

// patience is how long anything may take on a busy machine.
const patience = 30 * time.Second

// library is the stand-in, for all tests.
var library string

func TestMain(m *testing.M) { os.Exit(runWithStandin(m)) }

func runWithStandin(m *testing.M) int {
	dir, err := os.MkdirTemp("", "dcgm-standin")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a folder of the test's own
	if library, err = standin.Build(context.Background(), dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

const configuration = `
extensions:
  healthcheckv2:
    use_v2: true
    http:
      endpoint: %[1]s/health.sock
      transport: unix
      status: {enabled: true, path: /status}
receivers:
  dcgm:
    node: node-0
    cluster_name: c
    endpoint: unix:///run/standin.sock
    library_path: %[2]s
    collection_interval: 1s
    sample_interval: 100ms
exporters:
  otlp_grpc:
    endpoint: %[3]s
    tls: {insecure: true}
    compression: none
    sending_queue: {enabled: false}
service:
  extensions: [healthcheckv2]
  telemetry: {metrics: {level: none}}
  pipelines:
    metrics: {receivers: [dcgm], exporters: [otlp_grpc]}
`

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

// world is a collector, the engine that it reads, and what it sends.
type world struct {
	*sink
	t      *testing.T
	engine *standin.Script
	dir    string
	cmd    *exec.Cmd
	ended  chan struct{} // closed when the process is over
	log    journal
}

// newWorld makes an engine that runs, without devices.
func newWorld(t *testing.T) *world {
	t.Helper()
	t.Parallel()                         // most of the time they wait
	dir, err := os.MkdirTemp("", "dcgm") //nolint:usetesting // the path of a socket has 108 bytes at most
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	engine, err := standin.NewScript(filepath.Join(dir, "script"))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, engine.Close()) })
	w := &world{sink: newSink(t), t: t, engine: engine, dir: dir}
	w.say("start")
	return w
}

// say makes the engine do something.
func (w *world) say(format string, args ...any) {
	w.t.Helper()
	require.NoError(w.t, w.engine.Say(format, args...))
}

// board adds a board of which the engine is busy for a part of the time.
func (w *world) board(id uint, m standin.Model, activity float64, instances ...standin.Instance) {
	w.t.Helper()
	require.NoError(w.t, w.engine.Board(id, m, instances...))
	if len(instances) == 0 {
		w.busy(standin.GPU(id), activity)
	}
}

func (w *world) busy(e standin.Entity, activity float64) {
	w.t.Helper()
	require.NoError(w.t, w.engine.Set(e, 1001, standin.Double(activity)))
}

// start starts the collector that the variable names, with a library.
func (w *world) start(variable, library string) {
	w.t.Helper()
	program := os.Getenv(variable)
	require.NotEmpty(w.t, program, "%s isn't set; see doc.go, or run: make dcgm", variable)
	config := filepath.Join(w.dir, "config.yaml")
	require.NoError(w.t, os.WriteFile(config, fmt.Appendf(nil, configuration, w.dir, library, w.address), 0o600))
	w.cmd = exec.Command(program, "--config", config)
	w.cmd.Env = append(os.Environ(), standin.ScriptVariable+"="+w.engine.Path())
	w.cmd.Stdout, w.cmd.Stderr = &w.log, &w.log
	require.NoError(w.t, w.cmd.Start())
	w.ended = make(chan struct{})
	go func() {
		defer close(w.ended)
		w.cmd.Wait() //nolint:errcheck // the exit code is read from the state
	}()
	w.t.Cleanup(w.abandon)
}

// run starts the collector with the stand-in.
func (w *world) run() { w.start("OTELCOL_GPU_DCGM", library) }

// stop shuts the collector down as an orchestrator does, within 10 s.
func (w *world) stop() {
	w.t.Helper()
	require.NoError(w.t, w.cmd.Process.Signal(syscall.SIGTERM))
	select {
	case <-w.ended:
	case <-time.After(10 * time.Second):
		w.t.Fatal("the collector doesn't stop within 10 s")
	}
	require.Zero(w.t, w.cmd.ProcessState.ExitCode())
}

// abandon leaves no process behind; of a failed test it shows the log.
func (w *world) abandon() {
	if err := w.cmd.Process.Kill(); err == nil || !errors.Is(err, os.ErrProcessDone) {
		<-w.ended
	}
	w.check(w.t)
	if w.t.Failed() {
		w.t.Logf("%s\nthe collector's log:\n%s", w.history(), w.log.String())
	}
}

// health returns what the collector says of its components.
func (w *world) health() string {
	client := http.Client{Timeout: patience, Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", filepath.Join(w.dir, "health.sock"))
		},
	}}
	answer, err := client.Get("http://collector/status?verbose")
	if err != nil {
		return err.Error()
	}
	defer answer.Body.Close() //nolint:errcheck // it was read
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%d %s", answer.StatusCode, text)
}

// requireHealthy holds that the collector as a whole is fine, and that its
// health says something of the receiver.
func (w *world) requireHealthy(receiver string) {
	w.t.Helper()
	require.EventuallyWithT(w.t, func(c *assert.CollectT) {
		health := w.health()
		require.True(c, strings.HasPrefix(health, "200 "), health)
		require.Contains(c, health, receiver)
	}, patience, 50*time.Millisecond)
}
