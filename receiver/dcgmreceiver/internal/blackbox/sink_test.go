// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

//go:build dcgm

package blackbox

import (
	"context"
	"fmt"
	"math"
	"net"
	"slices"
	"strings"
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

// key is a series of activity.
type key struct {
	device gpu.DeviceID
	engine gpu.Engine
	source string
}

// series is what was told of one.
type series struct {
	start, time      gpu.Time // of the newest point
	active, observed time.Duration
	value            float64 // of the gauge
	points           int
	ended            bool
}

// view is what was told so far.
type view struct {
	source   string // "up", or the reason
	batches  int
	widest   time.Duration // the longest time between two batches
	arrived  time.Time
	series   map[key]*series
	status   map[gpu.DeviceID]string
	parts    map[gpu.DeviceID]int
	xids     map[xid][]int64 // the values of each, as they were told
	problems []string
}

// sink takes in all that the collector sends.
type sink struct {
	pmetricotlp.UnimplementedGRPCServer
	address string

	mu   sync.Mutex // guards what follows
	view view
	news chan struct{} // closed and made anew with each batch
	said []string      // what changed, for the log
}

func newSink(t *testing.T) *sink {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s := &sink{
		address: listener.Addr().String(), news: make(chan struct{}),
		view: view{series: map[key]*series{}, status: map[gpu.DeviceID]string{}, parts: map[gpu.DeviceID]int{}, xids: map[xid][]int64{}},
	}
	server := grpc.NewServer()
	pmetricotlp.RegisterGRPCServer(server, s)
	go server.Serve(listener) //nolint:errcheck // it ends with Stop
	t.Cleanup(server.Stop)
	return s
}

// Export takes a batch.
func (s *sink) Export(_ context.Context, request pmetricotlp.ExportRequest) (pmetricotlp.ExportResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b, drops := gpupdata.NewDecoder(gpupdata.Settings{}).Decode(request.Metrics(), gpu.NoTime)
	if drops != nil {
		s.problem("the ledger refuses points: %v", drops)
	}
	v := &s.view
	now := time.Now()
	if v.batches++; v.batches > 1 {
		v.widest = max(v.widest, now.Sub(v.arrived))
	}
	v.arrived = now
	s.heartbeat(request.Metrics())
	s.errors(request.Metrics())
	for i := range b.Counters {
		s.counter(&b.Counters[i], now)
	}
	for i := range b.Samples {
		s.gauge(&b.Samples[i])
	}
	for _, e := range b.SeriesEnds {
		s.of(key{e.Device.ID, e.Engine, e.Source}).ended = true
		s.say("%s %v/%s ends", e.Device.ID, e.Engine, e.Source)
	}
	s.condition(&b)
	close(s.news)
	s.news = make(chan struct{})
	return pmetricotlp.NewExportResponse(), nil
}

// heartbeat finds what a batch says of the source.
func (s *sink) heartbeat(md pmetric.Metrics) {
	source := "no heartbeat"
	for _, rm := range md.ResourceMetrics().All() {
		for _, m := range rm.ScopeMetrics().At(0).Metrics().All() {
			if m.Name() != gpupdata.MetricSourceUp {
				continue
			}
			p := m.Gauge().DataPoints().At(0)
			reason, _ := p.Attributes().Get(gpupdata.AttrSourceReason)
			if source = reason.Str(); p.IntValue() == 1 {
				source = "up"
			}
		}
	}
	if source != s.view.source {
		s.view.source = source
		s.say("the source: %s", source)
	}
}

// of returns a series.
func (s *sink) of(k key) *series {
	if s.view.series[k] == nil {
		s.view.series[k] = &series{}
		s.say("%s %v/%s begins", k.device, k.engine, k.source)
	}
	return s.view.series[k]
}

// counter holds a sum to what was told before.
func (s *sink) counter(c *gpu.Counter, now time.Time) {
	k := key{c.Device.ID, c.Engine, c.Source}
	at, nanos := s.of(k), time.Duration(c.Nanos)
	name := fmt.Sprintf("%s %v/%s, part %v", k.device, k.engine, k.source, c.Part)
	before := at.active
	if c.Part == gpu.ObservedPart {
		before = at.observed
	}
	if c.Start != at.start { // a new series, from where the old one ended or later
		if c.Start < at.time {
			s.problem("%s begins at %v, before %v", name, c.Start, at.time)
		}
		at.start, at.active, at.observed, at.ended, before = c.Start, 0, 0, false, 0
	}
	switch {
	case at.ended:
		s.problem("%s goes on after its end", name)
	case c.Time < at.time || nanos < before:
		s.problem("%s falls: %v at %v, after %v at %v", name, nanos, c.Time, before, at.time)
	case nanos > c.Time.Sub(c.Start)+time.Microsecond:
		s.problem("%s tells of %v in %v", name, nanos, c.Time.Sub(c.Start))
	case c.Time > gpu.Time(now.UnixNano()):
		s.problem("%s is of the future", name)
	}
	at.time = c.Time
	if at.points++; c.Part == gpu.ObservedPart {
		at.observed = nanos
	} else {
		at.active = nanos
	}
}

func (s *sink) gauge(p *gpu.Sample) {
	at := s.of(key{p.Device.ID, p.Engine, p.Source})
	if at.value = p.Value; math.IsNaN(p.Value) || p.Value < 0 || p.Value > 1 {
		s.problem("%s %v: a gauge of %v", p.Device.ID, p.Engine, p.Value)
	}
}

func (s *sink) condition(b *gpu.Batch) {
	for _, st := range b.Statuses {
		now := "ok"
		if st.Failed {
			now = "failed"
		}
		if s.view.status[st.Device] != now {
			s.view.status[st.Device] = now
			s.say("%s is %s", st.Device, now)
		}
	}
	for _, c := range b.PartitionCounts {
		if n, known := s.view.parts[c.Board.ID]; !known || n != c.Count {
			s.say("%s has %d parts", c.Board.ID, c.Count)
		}
		s.view.parts[c.Board.ID] = c.Count
		if c.Ended {
			delete(s.view.parts, c.Board.ID)
		}
	}
}

func (s *sink) problem(format string, args ...any) {
	if s.view.problems = append(s.view.problems, fmt.Sprintf(format, args...)); len(s.view.problems) > 20 {
		s.view.problems = s.view.problems[:20]
	}
}

func (s *sink) say(format string, args ...any) {
	s.said = append(s.said, fmt.Sprintf("batch %d: ", s.view.batches)+fmt.Sprintf(format, args...))
}

func (s *sink) history() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.said, "\n")
}

// check fails the test if something was told that can't be.
func (s *sink) check(t *testing.T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.view.problems {
		t.Error(p)
	}
}

// until waits until what was told is so.
func (s *sink) until(t *testing.T, what string, is func(*view) bool) {
	t.Helper()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	for {
		s.mu.Lock()
		so, news := is(&s.view), s.news
		s.mu.Unlock()
		if so {
			return
		}
		select {
		case <-news:
		case <-deadline.C:
			t.Fatalf("after %v it isn't so: %s", patience, what)
		}
	}
}

// read looks at what was told.
func (s *sink) read(look func(*view)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	look(&s.view)
}

// engine returns the series of "engine" of a device by a source.
func (v *view) engine(id gpu.DeviceID, source string) series {
	if s := v.series[key{id, gpu.EngineAny, source}]; s != nil {
		return *s
	}
	return series{}
}

// devices returns the devices that have series which go on.
func (v *view) devices() []gpu.DeviceID {
	var all []gpu.DeviceID
	for k, s := range v.series {
		if !s.ended && !slices.Contains(all, k.device) {
			all = append(all, k.device)
		}
	}
	slices.Sort(all)
	return all
}
