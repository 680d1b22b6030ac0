// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"flag"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"google.golang.org/grpc"
)

const (
	tiny     = "internal/recording/testdata/tiny"
	tinyPage = "internal/counters/testdata/tiny.prom"
)

var update = flag.Bool("update", false, "write the golden files")

// collector keeps the requests that it is sent and, once it was sent any,
// shows a page of counters.
type collector struct {
	pmetricotlp.UnimplementedGRPCServer
	requests []pmetric.Metrics
	page     string
}

func (c *collector) Export(_ context.Context, request pmetricotlp.ExportRequest) (pmetricotlp.ExportResponse, error) {
	c.requests = append(c.requests, request.Metrics())
	return pmetricotlp.NewExportResponse(), nil
}

func (c *collector) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	if len(c.requests) > 0 {
		_, _ = w.Write([]byte(c.page))
	}
}

// start serves a collector and returns the flags that lead to it.
func (c *collector) start(t *testing.T) []string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	server := grpc.NewServer()
	pmetricotlp.RegisterGRPCServer(server, c)
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	counters := httptest.NewServer(c)
	t.Cleanup(func() {
		server.Stop()
		if err := <-done; !errors.Is(err, grpc.ErrServerStopped) { // it was stopped before it served
			assert.NoError(t, err)
		}
		counters.Close()
	})
	return []string{"gentd26", "--endpoint", listener.Addr().String(), "--counters", counters.URL}
}

func newCollector(t *testing.T) *collector {
	t.Helper()
	page, err := os.ReadFile(tinyPage)
	require.NoError(t, err)
	return &collector{page: string(page)}
}

func TestGentd26(t *testing.T) {
	c := newCollector(t)
	file := filepath.Join(t.TempDir(), "figures.json")
	code, stdout, stderr := gpusim(t, append(c.start(t),
		"--data", tiny, "--price", "1.74", "--per-container", "--json", file)...)
	require.Zero(t, code, stderr)
	assert.Contains(t, stderr, "replayed 10 batches in ", "and no bar: it isn't a terminal")
	assert.NotContains(t, stderr, "\r")
	if *update {
		require.NoError(t, os.WriteFile("testdata/tiny.txt", []byte(stdout), 0o644))
	}
	want, err := os.ReadFile("testdata/tiny.txt")
	require.NoError(t, err)
	assert.Equal(t, string(want), stdout)
	figures, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Contains(t, string(figures), `"allocated_ns": 342000000000`)
}

// What goes over the wire, tick by tick.
func TestGentd26Sends(t *testing.T) {
	c := newCollector(t)
	code, _, stderr := gpusim(t, append(c.start(t), "--data", tiny)...)
	require.Zero(t, code, stderr)
	require.Len(t, c.requests, 10, "5 ticks and 5 empty sets")
	names := func(m pmetric.Metrics) map[string]int {
		points := make(map[string]int)
		for _, resource := range m.ResourceMetrics().All() {
			for _, scope := range resource.ScopeMetrics().All() {
				for _, metric := range scope.Metrics().All() {
					points[metric.Name()] += pointsOf(metric)
				}
			}
		}
		return points
	}
	assert.Equal(t, map[string]int{
		"gpu.activity": 2, "hw.gpu.memory.usage": 2, "gpu.allocation": 2, "gpu.node.allocations": 1,
		"gentd26.generative_requests": 1,
	}, names(c.requests[1]))
	assert.Equal(t, map[string]int{"gpu.activity": 2, "gpu.node.allocations": 1}, names(c.requests[5]))
	assert.Equal(t, map[string]int{"gpu.node.allocations": 1}, names(c.requests[9]))
}

func pointsOf(metric pmetric.Metric) int {
	if metric.Type() == pmetric.MetricTypeGauge {
		return metric.Gauge().DataPoints().Len()
	}
	return metric.Sum().DataPoints().Len()
}

func TestGentd26Errors(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		page func(string) string
		want []string
	}{
		"no folder": {
			args: []string{"--data", t.TempDir()},
			want: []string{"has no gpu_duty_cycle.csv", "github.com/alibaba/clusterdata"},
		},
		"empty cut": {
			args: []string{"--data", tiny, "--from", "1", "--to", "56"},
			want: []string{"the cut from 1 to 56 has no duty-cycle sample"},
		},
		"no collector": {
			args: []string{"--data", tiny, "--endpoint", closed(t)},
			want: []string{"no collector at 127.0.0.1:", "start one with an otlp receiver there"},
		},
		"no endpoint": {
			args: []string{"--data", tiny, "--counters", "http://" + closed(t)},
			want: []string{"can't read the collector's counters", "--counters says where"},
		},
		"no counters": {
			args: []string{"--data", tiny},
			page: func(string) string { return "" },
			want: []string{`no gpu_time_seconds_total of node "gentd26"`, "needs the gpu_accounting processor"},
		},
		"states don't add up": {
			args: []string{"--data", tiny},
			page: func(page string) string { return strings.Replace(page, " 71.25", " 71.5", 1) },
			want: []string{"the states of container-001122334455 are 250ms off its allocated time"},
		},
		"lost time": {
			args: []string{"--data", tiny},
			page: func(page string) string {
				return strings.ReplaceAll(strings.Replace(page, " 71.25", " 70.25", 1), " 228", " 227")
			},
			want: []string{"the devices of the recording add up to 6m39s, the collector accounted 1s less"},
		},
		"file": {
			args: []string{"--data", tiny, "--json", "/nonexistent/figures.json"},
			want: []string{"--json: open /nonexistent/figures.json"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			server := newCollector(t)
			if c.page != nil {
				server.page = c.page(server.page)
			}
			code, _, stderr := gpusim(t, append(server.start(t), c.args...)...)
			assert.Equal(t, 1, code)
			for _, want := range c.want {
				assert.Contains(t, stderr, want)
			}
		})
	}
}

func TestGentd26WantsAFreshCollector(t *testing.T) {
	c := newCollector(t)
	args := append(c.start(t), "--data", tiny)
	code, _, stderr := gpusim(t, args...)
	require.Zero(t, code, stderr)
	code, _, stderr = gpusim(t, args...)
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr, "has already accounted the node gentd26: start a new one for each replay")
	assert.Len(t, c.requests, 10, "nothing was sent to it")
}

// A cut of one tick has no time to account.
func TestGentd26OneTick(t *testing.T) {
	c := newCollector(t)
	c.page = ""
	code, stdout, stderr := gpusim(t, append(c.start(t), "--data", tiny, "--to", "0")...)
	require.Zero(t, code, stderr)
	assert.Contains(t, stdout, "GenTD26, 0 s to 0 s: 1 container")
}

func TestGentd26Interrupted(t *testing.T) {
	c := newCollector(t)
	args := append(c.start(t), "--data", tiny)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	code, _, stderr := gpusimWith(ctx, args...)
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr, "canceled")
	assert.Empty(t, c.requests)
}

// closed returns an address that nobody listens on.
func closed(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	return listener.Addr().String()
}
