// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/feed"
	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/scenario"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpupdata"
)

// two is a scenario of two nodes.
const two = `
name: two
description: Two nodes, a pod on one of them.
duration: 2m
nodes:
  - {name: n, count: 2, devices: 1}
pods:
  - name: p
    places: [{node: n-0, devices: [0]}]
    activity: {steady: {level: 500}}
`

// intake is a collector that reads what it is sent.
type intake struct {
	pmetricotlp.UnimplementedGRPCServer
	mutex   sync.Mutex
	batches []gpu.Batch
	errs    []error // of the first requests
}

func (c *intake) Export(_ context.Context, request pmetricotlp.ExportRequest) (pmetricotlp.ExportResponse, error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if len(c.errs) > 0 {
		err := c.errs[0]
		c.errs = c.errs[1:]
		return pmetricotlp.NewExportResponse(), err
	}
	b, _ := gpupdata.NewDecoder(gpupdata.Settings{}).Decode(request.Metrics(), 0)
	c.batches = append(c.batches, b)
	return pmetricotlp.NewExportResponse(), nil
}

// start serves the collector and returns the command line that sends to it.
func (c *intake) start(t *testing.T) []string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	server := grpc.NewServer()
	pmetricotlp.RegisterGRPCServer(server, c)
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	t.Cleanup(func() {
		server.Stop()
		if err := <-done; !errors.Is(err, grpc.ErrServerStopped) { // it was stopped before it served
			assert.NoError(t, err)
		}
	})
	file := filepath.Join(t.TempDir(), "two.yaml")
	require.NoError(t, os.WriteFile(file, []byte(two), 0o600))
	return []string{"run", "--endpoint", listener.Addr().String(), "--scenario", file}
}

// sets returns the times of the sets of a node.
func (c *intake) sets(node string) (times []gpu.Time) {
	for _, b := range c.batches {
		for _, n := range b.AllocationCounts {
			if n.Node == node {
				times = append(times, n.Time)
			}
		}
	}
	return times
}

func TestRun(t *testing.T) {
	c := &intake{}
	code, stdout, stderr := gpusim(t, c.start(t)...)
	require.Zero(t, code, stderr)
	assert.Regexp(t, `^sent \d+ points in \d+ requests \(0 sent again\), 2m0s of simulated time from 2026-01-05T00:00:00Z on, in [0-9.]+ s: \d+ points/s; memory \d+ MB at most\n$`, stdout)
	assert.Empty(t, stderr, "no bar: it isn't a terminal")
	begin := gpu.Time(time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC).UnixNano())
	for _, node := range []string{"n-0", "n-1"} {
		sets := c.sets(node)
		require.Len(t, sets, 14+21, "every 10 s, at the start and the end, then the ending")
		assert.Equal(t, begin, sets[0])
		assert.IsIncreasing(t, sets)
	}
}

// A collection of both nodes is one request, and the order of each is kept.
func TestRunBundles(t *testing.T) {
	c := &intake{}
	code, _, stderr := gpusim(t, append(c.start(t), "--bundle", "9s", "--duration", "1m", "--kind", "gauges", "--interval", "5s")...)
	require.Zero(t, code, stderr)
	assert.Less(t, len(c.batches), 40)
	for _, node := range []string{"n-0", "n-1"} {
		assert.Len(t, c.sets(node), 14+21)
		assert.IsIncreasing(t, c.sets(node))
	}
	assert.Empty(t, c.batches[0].Counters)
	assert.Len(t, c.batches[0].Samples, 5)
}

func TestRunOverConnections(t *testing.T) {
	c := &intake{errs: []error{status.Error(codes.ResourceExhausted, "full")}}
	code, stdout, stderr := gpusim(t, append(c.start(t), "--nodes", "5", "--connections", "3")...)
	require.Zero(t, code, stderr)
	assert.Contains(t, stdout, "(1 sent again)")
	for _, node := range []string{"n-0", "n-1", "n-0-r1", "n-1-r1", "n-0-r2"} {
		assert.IsIncreasing(t, c.sets(node), "of one node")
		assert.Len(t, c.sets(node), 14+21)
	}
}

// Real time passes; what is told was before.
func TestRunNow(t *testing.T) {
	c := &intake{}
	code, _, stderr := gpusim(t, append(c.start(t), "--start", "now", "--speed", "10000")...)
	require.Zero(t, code, stderr)
	sets := c.sets("n-0")
	assert.LessOrEqual(t, sets[len(sets)-1], gpu.Time(time.Now().UnixNano()))
	assert.Greater(t, sets[len(sets)-1], gpu.Time(time.Now().Add(-5*time.Minute).UnixNano()))
}

func TestRunErrors(t *testing.T) {
	for _, c := range []struct {
		args []string
		err  error
		want string
	}{
		{[]string{"--endpoint", closed(t)}, nil, "no collector at"},
		{[]string{"--scenario", "nosuch"}, nil, `read scenario "nosuch": no such file`},
		{[]string{"--scenario", "accuracy/13-short-pods", "--nodes", "401"}, nil, "the number of nodes is 401: want at most 400"},
		{[]string{"--start", "2035-01-01T00:00:00Z"}, nil, "the world begins at 2035-01-01T00:00:00Z and would be told before it happens: want a start at "},
		{[]string{"--start", "2199-12-31T23:59:59Z", "--speed", "1"}, nil, "would be told before it happens"},
		{nil, status.Error(codes.InvalidArgument, "no GPU here"), "refused the batch: rpc error: code = InvalidArgument desc = no GPU here"},
	} {
		server := &intake{errs: []error{c.err}}
		code, _, stderr := gpusim(t, append(server.start(t), c.args...)...)
		assert.Equal(t, 1, code, c.args)
		assert.Contains(t, stderr, c.want)
	}
}

func TestRunInterrupted(t *testing.T) {
	c := &intake{}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	code, stdout, stderr := gpusimWith(ctx, c.start(t)...)
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr, "canceled")
	assert.Contains(t, stdout, "sent 0 points", "what was done until then is told")
}

func TestRunTimesOut(t *testing.T) {
	c := &intake{}
	code, stdout, stderr := gpusim(t, append(c.start(t), "--speed", "1", "--timeout", "50ms")...)
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr, "not done within --timeout 50ms")
	assert.Regexp(t, `^sent \d+ points`, stdout)
}

func TestRunUsage(t *testing.T) {
	for want, args := range map[string][]string{
		`"x" isn't a flag`:         {"x"},
		"--connections is 0: want": {"--connections", "0"},
		"--speed is -1: want":      {"--speed", "-1"},
		"--speed is NaN: want":     {"--speed", "NaN"},
		"--bundle is 2h0m0s: want": {"--bundle", "2h"},
		"--max-gap is 0s: want":    {"--max-gap", "0s"},
		"--settle is -1s: want":    {"--settle", "-1s"},
		"--timeout is -1s: want":   {"--timeout", "-1s"},
		`--start is "noon": want`:  {"--start", "noon"},
		"-connections":             {"--connection", "2"},

		`gpusim run: --start is "1999-01-01T00:00:00Z": want now, or a time from 2020 to 2199`: {"--start", "1999-01-01T00:00:00Z"},
		`--start is "2300-01-01T00:00:00Z": want now, or a time from`:                          {"--start", "2300-01-01T00:00:00Z"},
		"--nodes is 90000: want 1 to 20000":                                                    {"--nodes", "90000"},
		"--nodes is -1: want":                                                                  {"--nodes", "-1"},
		`--kind is "sum": want sums or gauges`:                                                 {"--kind", "sum"},
		"--duration is -1s: want more than 0":                                                  {"--duration", "-1s"},
		"--interval is 1ns: want a time of 1s to 10m":                                          {"--interval", "1ns"},
		"--interval is -1s: want":                                                              {"--interval", "-1s"},
	} {
		code, stdout, stderr := gpusim(t, append([]string{"run"}, args...)...)
		assert.Equal(t, 2, code, args)
		assert.Contains(t, stderr, want)
		assert.Empty(t, stdout)
	}
}

// What is told ends 5 minutes ahead of the clock at most.
func TestStartOf(t *testing.T) {
	now := time.Date(2026, 2, 1, 12, 0, 0, 0, time.UTC)
	of := func(speed float64, start time.Time) error {
		o := runFlags{speed: speed, begin: gpu.Time(start.UnixNano())}
		_, err := o.startOf(&scenario.Scenario{}, time.Hour, now)
		return err
	}
	latest := now.Add(5*time.Minute - time.Hour)
	require.NoError(t, of(0, latest))
	require.ErrorContains(t, of(0, latest.Add(1)), "want a start at 2026-02-01T11:05:00Z or before")
	require.NoError(t, of(60, latest.Add(time.Minute)), "the hour takes a minute")
	require.Error(t, of(60, latest.Add(time.Minute+1)))
	require.NoError(t, of(1, now.Add(5*time.Minute)))
	require.Error(t, of(1, now.Add(5*time.Minute+1)))

	_, err := runFlags{}.startOf(&scenario.Scenario{Start: gpu.Time(now.UnixNano())}, time.Hour, now)
	require.Error(t, err, "of the scenario")
}

// The bar ends where the last delivery is.
func TestRunLength(t *testing.T) {
	o := runFlags{simulationFlags: simulationFlags{scenario: "demo", duration: time.Hour}}
	o.collector = feed.Collector{MaxGap: 90 * time.Second, Settle: 15 * time.Second}
	s, err := o.load()
	require.NoError(t, err)
	sim := o.of(s)
	var last gpu.Time
	next := sim.walk(o.collector)
	for d, ok := next(); ok; d, ok = next() {
		last = d.Real
	}
	assert.LessOrEqual(t, last, s.Start.Add(o.length(s)))
	assert.Greater(t, last, s.Start.Add(time.Hour))
}
