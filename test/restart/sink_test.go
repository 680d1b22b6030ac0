// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

//go:build restart

package restart

import (
	"context"
	"fmt"
	"maps"
	"math"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"google.golang.org/grpc"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpupdata"
)

// sink takes in all that the collector sends and looks at each point as it
// comes.
type sink struct {
	pmetricotlp.UnimplementedGRPCServer
	address string

	mu       sync.Mutex // guards what follows
	batches  map[int]int
	sums     map[string]*sum
	history  map[string]map[gpu.Time]int64
	problems []string
	arrived  func(batch int) // called with each batch, before it is answered
}

func newSink(t *testing.T) *sink {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s := emptySink()
	s.address = listener.Addr().String()
	server := grpc.NewServer()
	pmetricotlp.RegisterGRPCServer(server, s)
	go server.Serve(listener) //nolint:errcheck // it ends with Stop
	t.Cleanup(server.Stop)
	return s
}

func emptySink() *sink {
	return &sink{
		batches: map[int]int{}, sums: map[string]*sum{}, history: map[string]map[gpu.Time]int64{},
	}
}

// Export takes one request.
func (s *sink) Export(_ context.Context, request pmetricotlp.ExportRequest) (pmetricotlp.ExportResponse, error) {
	batch, arrived := s.take(request.Metrics())
	if arrived != nil {
		arrived(batch)
	}
	return pmetricotlp.NewExportResponse(), nil
}

// take returns the number of the batch that came, -1 if none did.
func (s *sink) take(md pmetric.Metrics) (number int, arrived func(int)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	number = -1
	for _, rm := range md.ResourceMetrics().All() {
		for _, sm := range rm.ScopeMetrics().All() {
			for _, m := range sm.Metrics().All() {
				switch {
				case m.Name() == markerMetric:
					number = int(m.Gauge().DataPoints().At(0).IntValue())
					s.batches[number]++
				case sm.Scope().Name() == gpupdata.ScopeName:
					s.derived(rm.Resource().Attributes(), m)
				}
			}
		}
	}
	return number, s.arrived
}

// derived takes the points of one derived metric.
func (s *sink) derived(resource pcommon.Map, m pmetric.Metric) {
	if m.Name() == gpupdata.MetricLedgerError {
		for _, p := range numbers(m).All() {
			if number(p) != 0 {
				s.problem("%s is %g", m.Name(), number(p))
			}
		}
	}
	if m.Type() != pmetric.MetricTypeSum || !m.Sum().IsMonotonic() {
		return
	}
	for _, p := range m.Sum().DataPoints().All() {
		s.point(m.Name(), resource, p)
	}
}

func numbers(m pmetric.Metric) pmetric.NumberDataPointSlice {
	if m.Type() == pmetric.MetricTypeSum {
		return m.Sum().DataPoints()
	}
	return m.Gauge().DataPoints()
}

func number(p pmetric.NumberDataPoint) float64 {
	if p.ValueType() == pmetric.NumberDataPointValueTypeInt {
		return float64(p.IntValue())
	}
	return p.DoubleValue()
}

// point takes one point of a counter.
func (s *sink) point(metric string, resource pcommon.Map, p pmetric.NumberDataPoint) {
	attributes := map[string]string{}
	for _, m := range []pcommon.Map{resource, p.Attributes()} {
		for k, v := range m.All() {
			attributes[k] = v.AsString()
		}
	}
	key := metric + identity(attributes)
	c := s.sums[key]
	if c == nil {
		c = &sum{metric: metric, attributes: attributes}
		s.sums[key] = c
		s.history[key] = map[gpu.Time]int64{}
	}
	start, at := gpu.Time(p.StartTimestamp()), gpu.Time(p.Timestamp())
	if wrong := c.add(start, at, int64(math.Round(number(p)*1e9))); wrong != "" {
		s.problem("%s: %s", key, wrong)
	}
	if at > start { // the point 0 before a counter may come again later
		s.history[key][at] = c.total()
	}
}

// identity returns attributes as one text.
func identity(attributes map[string]string) string {
	var text strings.Builder
	for _, k := range slices.Sorted(maps.Keys(attributes)) {
		fmt.Fprintf(&text, " %s=%s", k, attributes[k])
	}
	return text.String()
}

func (s *sink) problem(format string, args ...any) {
	s.problems = append(s.problems, fmt.Sprintf(format, args...))
}

// watch calls f with each batch that arrives, before it is answered; nil ends
// that.
func (s *sink) watch(f func(batch int)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.arrived = f
}

// has reports whether a batch has come.
func (s *sink) has(number int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.batches[number] > 0
}

// sound fails if a point was wrong.
func (s *sink) sound(t *testing.T) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.problems); n > 0 {
		t.Errorf("%d points are wrong, as:\n%s", n, strings.Join(s.problems[:min(n, 10)], "\n"))
	}
}
