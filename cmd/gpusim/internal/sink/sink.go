// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Package sink takes in what a collector exports over OTLP/gRPC and keeps the
// newest value of each counter of gpu_accounting.
package sink

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"

	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"google.golang.org/grpc"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/counters"
)

// maxRequest is the size of the largest request that is taken, in bytes: some
// hundred nodes in one.
const maxRequest = 64 << 20

// Sink listens until it is closed.
type Sink struct {
	address string
	server  *grpc.Server
	served  chan error

	mu       sync.Mutex // guards what follows
	ledger   ledger
	progress Progress
	news     chan struct{} // closed, and made anew, with each request
}

// Listen opens a sink at an address, as 127.0.0.1:4319; port 0 is any that is
// free.
func Listen(address string) (*Sink, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("can't receive what the collector exports: %w; --sink names another address", err)
	}
	s := &Sink{
		address:  listener.Addr().String(),
		server:   grpc.NewServer(grpc.MaxRecvMsgSize(maxRequest)),
		served:   make(chan error, 1),
		ledger:   newLedger(),
		progress: newProgress(),
		news:     make(chan struct{}),
	}
	pmetricotlp.RegisterGRPCServer(s.server, &receiver{sink: s})
	go func() { s.served <- s.server.Serve(listener) }()
	return s, nil
}

// Address is where the sink listens.
func (s *Sink) Address() string { return s.address }

// Close ends the sink and waits until it has ended.
func (s *Sink) Close() error {
	s.server.Stop()
	if err := <-s.served; !errors.Is(err, grpc.ErrServerStopped) {
		return err
	}
	return nil
}

// Export returns what arrived so far. It fails if something of it can't be
// true of counters.
func (s *Sink) Export() (counters.Export, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ledger.export()
}

// receiver is the gRPC service of a sink.
type receiver struct {
	pmetricotlp.UnimplementedGRPCServer
	sink *Sink
}

// Export takes one request.
func (r *receiver) Export(_ context.Context, request pmetricotlp.ExportRequest) (pmetricotlp.ExportResponse, error) {
	r.sink.mu.Lock()
	defer r.sink.mu.Unlock()
	r.sink.ledger.take(request.Metrics())
	r.sink.progress.take(request.Metrics())
	close(r.sink.news)
	r.sink.news = make(chan struct{})
	return pmetricotlp.NewExportResponse(), nil
}
