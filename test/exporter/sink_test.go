// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package exporter

import (
	"context"
	"net"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"google.golang.org/grpc"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpupdata"
)

// scrape is one that succeeded, of all that were served.
type scrape struct {
	time   gpu.Time
	number int
}

// accountKey tells apart what was accounted: pod is "" for a device's own time.
type accountKey struct {
	device gpu.DeviceID
	pod    string
}

// total is the newest of an account.
type total struct {
	time, start       gpu.Time
	allocated, active time.Duration
	own               time.Duration // of a device's own account, all states
}

// sink takes in what a collector sends.
type sink struct {
	pmetricotlp.UnimplementedGRPCServer
	address string

	mu      sync.Mutex // guards what follows
	totals  map[accountKey]total
	scrapes map[string][]scrape // of each job, that succeeded
	wrong   []float64           // values of gpu.ledger.error
}

func newSink(t *testing.T) *sink {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s := &sink{address: listener.Addr().String(), totals: map[accountKey]total{}, scrapes: map[string][]scrape{}}
	server := grpc.NewServer()
	pmetricotlp.RegisterGRPCServer(server, s)
	go server.Serve(listener) //nolint:errcheck // it ends with Stop
	t.Cleanup(server.Stop)
	return s
}

// Export takes one request.
func (s *sink) Export(_ context.Context, request pmetricotlp.ExportRequest) (pmetricotlp.ExportResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	md := request.Metrics()
	derived, _, _ := gpupdata.DecodeDerived(md)
	for i := range derived.Accounts {
		a := &derived.Accounts[i]
		key := accountKey{a.Device.ID, a.Holder.Pod}
		of := total{time: a.Time, start: a.Start, allocated: a.Allocated, active: a.Active}
		if a.Holder.Pod == "" {
			for _, state := range a.States {
				of.own += state.Nanos
			}
		}
		if of.time >= s.totals[key].time {
			s.totals[key] = of
		}
	}
	for _, rm := range md.ResourceMetrics().All() {
		job, _ := rm.Resource().Attributes().Get("service.name")
		for _, sm := range rm.ScopeMetrics().All() {
			for _, m := range sm.Metrics().All() {
				s.metric(job.Str(), m)
			}
		}
	}
	return pmetricotlp.NewExportResponse(), nil
}

func (s *sink) metric(job string, m pmetric.Metric) {
	switch m.Name() {
	case numberMetric:
		if p := m.Gauge().DataPoints().At(0); !p.Flags().NoRecordedValue() {
			s.scrapes[job] = append(s.scrapes[job], scrape{gpu.Time(p.Timestamp()), int(p.DoubleValue())})
		}
	case gpupdata.MetricLedgerError:
		for _, p := range m.Gauge().DataPoints().All() {
			s.wrong = append(s.wrong, p.DoubleValue())
		}
	}
}

// scraped returns the scrapes of a job.
func (s *sink) scraped(job string) []scrape {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.scrapes[job])
}

// accounted returns the newest totals, after the collector has stopped.
func (s *sink) accounted(t *testing.T) map[accountKey]total {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	require.NotEmpty(t, s.wrong)
	for _, v := range s.wrong {
		require.Zero(t, v)
	}
	return s.totals
}
