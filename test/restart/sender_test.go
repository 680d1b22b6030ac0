// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

//go:build restart

package restart

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials/insecure"
)

// patience is how long anything may take that takes a second at most.
const patience = time.Minute

// sender sends to one collector through all of its lives.
type sender struct {
	t      *testing.T
	to     *collector
	life   int // of the collector that conn belongs to
	conn   *grpc.ClientConn
	client pmetricotlp.GRPCClient
	took   time.Duration // a request, lately
}

func newSender(t *testing.T, to *collector) *sender {
	t.Helper()
	s := &sender{t: t, to: to, took: time.Millisecond}
	t.Cleanup(s.hangUp)
	return s
}

// dial makes a connection of its own for each life: what is left of an old one
// may look alive for a while.
func (s *sender) dial() error {
	if s.life == s.to.starts {
		return nil
	}
	s.hangUp()
	conn, err := grpc.NewClient("unix://"+s.to.socket(),
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDisableRetry(),
		grpc.WithConnectParams(grpc.ConnectParams{
			Backoff: backoff.Config{BaseDelay: 5 * time.Millisecond, Multiplier: 1.1, MaxDelay: 20 * time.Millisecond},
		}))
	if err != nil {
		return err
	}
	s.life, s.conn, s.client = s.to.starts, conn, pmetricotlp.NewGRPCClient(conn)
	return nil
}

func (s *sender) hangUp() {
	if s.conn != nil {
		s.conn.Close()
	}
}

// send sends one request to the present life and waits for its answer. It
// waits for a life that is starting, not for one that is over.
func (s *sender) send(metrics pmetric.Metrics) error {
	if err := s.dial(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(s.to.life, patience)
	defer cancel()
	began := time.Now()
	response, err := s.client.Export(ctx, pmetricotlp.NewExportRequestFromMetrics(metrics), grpc.WaitForReady(true))
	if err != nil {
		return err
	}
	s.took = (7*s.took + time.Since(began)) / 8
	if n := response.PartialSuccess().RejectedDataPoints(); n > 0 {
		return fmt.Errorf("%d points were rejected: %s", n, response.PartialSuccess().ErrorMessage())
	}
	return nil
}

// ready waits until the present life takes requests, with one that is empty.
func (s *sender) ready() {
	s.t.Helper()
	took := s.took
	require.NoError(s.t, s.send(pmetric.NewMetrics()), "the collector doesn't start; its log:\n%s", s.to.tail())
	s.took = took
}

// deliver sends until the batch is accepted. Only a kill may keep it from that.
func (s *sender) deliver(b batch) {
	s.t.Helper()
	require.NoError(s.t, s.send(b.metrics), "batch %d; the collector's log:\n%s", b.number, s.to.tail())
}
