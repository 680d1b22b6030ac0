// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Package replay sends metrics to a collector over OTLP/gRPC, one request
// after the other, as fast as the collector takes them.
package replay

import (
	"context"
	"fmt"
	"time"

	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// requestTimeout bounds one request. The ledger works in line, so an answer
// means that the batch was accounted.
const requestTimeout = 30 * time.Second

// Sender sends to one collector.
type Sender struct {
	endpoint string
	conn     *grpc.ClientConn
	client   pmetricotlp.GRPCClient
	timeout  time.Duration // of one request
	taken    bool          // the collector took a request of Insist
	wait     func(context.Context, time.Duration) error
}

// Dial prepares a plain connection to endpoint (host:port).
func Dial(endpoint string) (*Sender, error) {
	conn, err := grpc.NewClient(endpoint, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return nil, fmt.Errorf("--endpoint %q: %w", endpoint, err)
	}
	return &Sender{endpoint: endpoint, conn: conn, client: pmetricotlp.NewGRPCClient(conn), timeout: requestTimeout, wait: wait}, nil
}

// Close ends the connection.
func (s *Sender) Close() error { return s.conn.Close() }

// Send sends one request and waits for its answer. Points that the collector
// rejects are an error: a replay without them would prove nothing.
func (s *Sender) Send(ctx context.Context, metrics pmetric.Metrics) error {
	own, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	response, err := s.client.Export(own, pmetricotlp.NewExportRequestFromMetrics(metrics))
	if err != nil {
		return s.explain(ctx, own, err)
	}
	if n := response.PartialSuccess().RejectedDataPoints(); n > 0 {
		return fmt.Errorf("the collector at %s rejected %d points: %s", s.endpoint, n, response.PartialSuccess().ErrorMessage())
	}
	return nil
}
