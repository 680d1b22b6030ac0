// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package exporter

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
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// patience is how long anything may take on a busy machine.
const patience = 60 * time.Second

// interval is that between two scrapes.
const interval = 500 * time.Millisecond

const configuration = `
receivers:
  otlp:
    protocols:
      grpc: {endpoint: "%[1]s"}
%[4]s
processors:
  gpu_accounting:
    allocation: %[3]s
    settle_delay: 1s
    emit_interval: 1s
exporters:
  otlp_grpc:
    endpoint: %[2]s
    tls: {insecure: true}
    compression: none
    sending_queue: {enabled: false}
    retry_on_failure: {enabled: false}
service:
  telemetry:
    logs: {level: warn}
    metrics:
      readers: [{pull: {exporter: {prometheus: {host: 127.0.0.1, port: %[5]d}}}}]
  pipelines:
    metrics: {receivers: [%[6]s], processors: [gpu_accounting], exporters: [otlp_grpc]}
`

// collector is a running one, which sends to its sink.
type collector struct {
	*sink
	t         *testing.T
	cmd       *exec.Cmd
	log       journal
	endpoint  string
	telemetry string
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

// start runs a collector that scrapes jobs, of which there may be none.
func start(t *testing.T, allocation string, jobs map[string]*target) *collector {
	t.Helper()
	c := &collector{sink: newSink(t), t: t, endpoint: freeAddress(t)}
	receivers, scraped := "otlp", ""
	if len(jobs) > 0 {
		receivers, scraped = "otlp, prometheus", scrapeConfig(jobs)
	}
	telemetry := freeAddress(t)
	c.telemetry = "http://" + telemetry + "/metrics"
	_, port, _ := strings.Cut(telemetry, ":")
	var number int
	_, err := fmt.Sscan(port, &number)
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "config.yaml")
	text := fmt.Sprintf(configuration, c.endpoint, c.address, allocation, scraped, number, receivers)
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	c.cmd = exec.Command(program(t), "--config", file)
	c.cmd.Stdout, c.cmd.Stderr = &c.log, &c.log
	require.NoError(t, c.cmd.Start())
	t.Cleanup(func() {
		if c.cmd.ProcessState == nil {
			require.NoError(t, c.cmd.Process.Kill())
			require.Error(t, c.cmd.Wait())
		}
		if t.Failed() {
			t.Log(c.log.String())
		}
	})
	return c
}

// scrapeConfig is the receiver's part of the configuration.
func scrapeConfig(jobs map[string]*target) string {
	var text strings.Builder
	fmt.Fprint(&text, "  prometheus:\n    discovery_reload_on_startup: true\n    config:\n      scrape_configs:\n")
	for name, job := range jobs {
		fmt.Fprintf(&text, "        - {job_name: %s, scrape_interval: %v, scrape_timeout: %v, honor_labels: true, static_configs: [{targets: [%q]}]}\n",
			name, interval, interval, job.address)
	}
	return text.String()
}

// stop shuts the collector down: it settles and sends what it has.
func (c *collector) stop() {
	c.t.Helper()
	require.NoError(c.t, c.cmd.Process.Signal(syscall.SIGTERM))
	require.NoError(c.t, c.cmd.Wait())
}

// send hands metrics to the collector, as soon as it listens.
func (c *collector) send(md ...pmetric.Metrics) {
	c.t.Helper()
	connection, err := grpc.NewClient(c.endpoint, grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(c.t, err)
	defer connection.Close()
	client := pmetricotlp.NewGRPCClient(connection)
	for _, m := range md {
		_, err := client.Export(c.t.Context(), pmetricotlp.NewExportRequestFromMetrics(m), grpc.WaitForReady(true))
		require.NoError(c.t, err)
	}
}

// freeAddress returns one that nobody listens on.
func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	return listener.Addr().String()
}

// program returns the collector under test.
func program(t *testing.T) string {
	t.Helper()
	if path := os.Getenv("OTELCOL_GPU"); path != "" {
		return path
	}
	path := filepath.Join(t.TempDir(), "otelcol-gpu")
	output, err := exec.CommandContext(t.Context(), "go", "build", "-o", path, "../../distribution").CombinedOutput()
	require.NoError(t, err, string(output))
	return path
}
