// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package collector

import (
	"context"
	"fmt"
	"net"
	"slices"
	"sync"
	"testing"
	"time"

	metricsservice "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	"google.golang.org/grpc"
)

// Record is all that a collector has exported. Points that repeat are kept
// once.
type Record struct {
	metricsservice.UnimplementedMetricsServiceServer
	address string

	mu       sync.Mutex // guards what follows
	changed  chan struct{}
	holdings []*Holding
	marks    []*Mark
	sources  map[string][]Source
	sums     map[string]*Sum
	sets     []time.Time
	problems []string
}

// Holding is a pod's hold of a device, as the receiver told it.
type Holding struct {
	UID, Container, Device string
	Attributes             map[string]string // of the newest point
	Begin                  time.Time
	First, Last            time.Time   // of the sets that had it; none has it before First
	Ends                   []time.Time // every one that was told
}

// Mark is a milestone of a pod.
type Mark struct {
	UID, Name, Attempt, Container, Source string
	At                                    time.Time
	Uncertainty                           time.Duration
	Present                               bool        // the node had the image
	Before                                []time.Time // what was told before, if it was another time
}

// Source is what a source of the receiver was at a time, until the next.
type Source struct {
	At     time.Time
	Up     bool
	Reason string
}

// Sum is a cumulative sum of the ledger.
type Sum struct {
	Metric     string
	Attributes map[string]string
	Start, At  time.Time
	Value      float64
	Earlier    float64 // of streams that ended
	First      time.Time
}

// Total returns the sum over all streams.
func (s *Sum) Total() float64 { return s.Earlier + s.Value }

// Listen returns a record of what is exported to its address, on an address of
// this machine.
func Listen(t testing.TB, host string) *Record {
	t.Helper()
	listener, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		t.Fatal(err)
	}
	r := &Record{
		address: listener.Addr().String(), changed: make(chan struct{}),
		sources: map[string][]Source{}, sums: map[string]*Sum{},
	}
	server := grpc.NewServer()
	metricsservice.RegisterMetricsServiceServer(server, r)
	go server.Serve(listener) //nolint:errcheck // it ends with Stop
	t.Cleanup(server.Stop)
	return r
}

// Address is where the record listens, without TLS.
func (r *Record) Address() string { return r.address }

// Export takes one request.
func (r *Record) Export(_ context.Context, request *metricsservice.ExportMetricsServiceRequest) (*metricsservice.ExportMetricsServiceResponse, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for p := range points(request) {
		r.take(&p)
	}
	close(r.changed)
	r.changed = make(chan struct{})
	return &metricsservice.ExportMetricsServiceResponse{}, nil
}

// Is says whether something is true of what was exported by now.
func (r *Record) Is(condition func(*Record) bool) bool {
	ok, _ := r.look(condition)
	return ok
}

// look calls condition on the record at rest, and returns what is closed when
// there's more.
func (r *Record) look(condition func(*Record) bool) (bool, <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return condition(&Record{holdings: r.holdings, marks: r.marks, sources: r.sources, sums: r.sums}), r.changed
}

// Holdings returns those of a pod; all, if uid is "".
func (r *Record) Holdings(uid string) (found []Holding) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, h := range r.holdings {
		if uid == "" || h.UID == uid {
			copied := *h
			copied.Ends = slices.Clone(h.Ends)
			found = append(found, copied)
		}
	}
	return found
}

// Marks returns the milestones of a pod.
func (r *Record) Marks(uid string) (found []Mark) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, m := range r.marks {
		if m.UID == uid {
			found = append(found, *m)
		}
	}
	return found
}

// Source returns the newest that is known of a source.
func (r *Record) Source(name string) (Source, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := r.sources[name]
	if len(all) == 0 {
		return Source{}, false
	}
	return all[len(all)-1], true
}

// Sums returns those of a metric of which match is true.
func (r *Record) Sums(metric string, match func(*Sum) bool) (found []Sum) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.sums {
		if s.Metric == metric && match(s) {
			found = append(found, *s)
		}
	}
	return found
}

// Problems returns what is wrong with single points.
func (r *Record) Problems() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.problems)
}

func (r *Record) problem(format string, args ...any) {
	r.problems = append(r.problems, fmt.Sprintf(format, args...))
}
