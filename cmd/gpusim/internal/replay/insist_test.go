// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// moody is a collector that answers with one error after another.
type moody struct {
	sink
	errs []error
}

func (m *moody) Export(ctx context.Context, request pmetricotlp.ExportRequest) (pmetricotlp.ExportResponse, error) {
	if len(m.errs) > 0 {
		m.err, m.errs = m.errs[0], m.errs[1:]
	}
	return m.sink.Export(ctx, request)
}

// patiently returns a sender to m whose waits take no time, and these.
func patiently(t *testing.T, m *moody) (*Sender, *[]time.Duration) {
	t.Helper()
	s := serve(t, func(server *grpc.Server) { pmetricotlp.RegisterGRPCServer(server, m) })
	waits := &[]time.Duration{}
	s.wait = func(ctx context.Context, d time.Duration) error {
		*waits = append(*waits, d)
		return ctx.Err()
	}
	return s, waits
}

func TestInsist(t *testing.T) {
	full, away := status.Error(codes.ResourceExhausted, "full"), status.Error(codes.Unavailable, "away")
	m := &moody{errs: []error{full, full, nil}}
	s, waits := patiently(t, m)
	retries, err := s.Insist(t.Context(), named("a"))
	require.NoError(t, err)
	assert.Equal(t, 2, retries)
	assert.Equal(t, []time.Duration{50 * time.Millisecond, 100 * time.Millisecond}, *waits)

	m.errs = []error{away, nil}
	retries, err = s.Insist(t.Context(), named("b"))
	require.NoError(t, err, "a collector that took one comes back")
	assert.Equal(t, 1, retries)
	assert.Equal(t, []string{"a", "a", "a", "b", "b"}, m.names)

	m.errs = []error{status.Error(codes.InvalidArgument, "no")}
	retries, err = s.Insist(t.Context(), named("c"))
	require.ErrorContains(t, err, "refused the batch")
	assert.Zero(t, retries)
}

func TestInsistGivesUp(t *testing.T) {
	m := &moody{errs: []error{status.Error(codes.ResourceExhausted, "full")}}
	s, waits := patiently(t, m)
	retries, err := s.Insist(t.Context(), named("a"))
	require.ErrorContains(t, err, "gave up after 18 more attempts in 1m1s")
	require.ErrorContains(t, err, "full")
	assert.Equal(t, 18, retries)
	assert.Equal(t, longestWait, (*waits)[17])
}

// There is nothing to wait for where there never was a collector, or once the
// command is interrupted.
func TestInsistDoesNotWait(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, listener.Close())
	nobody, err := Dial(listener.Addr().String())
	require.NoError(t, err)
	defer nobody.Close()
	retries, err := nobody.Insist(t.Context(), named("a"))
	require.ErrorContains(t, err, "no collector at")
	assert.Zero(t, retries)

	ctx, cancel := context.WithCancel(t.Context())
	m := &moody{errs: []error{status.Error(codes.ResourceExhausted, "full")}}
	s, _ := patiently(t, m)
	s.wait = func(ctx context.Context, d time.Duration) error {
		cancel()
		return wait(ctx, d)
	}
	_, err = s.Insist(ctx, named("a"))
	assert.ErrorContains(t, err, "interrupted")
}
