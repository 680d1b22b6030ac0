// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"context"
	"errors"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// sink is a collector that keeps the names of the metrics it was sent.
type sink struct {
	pmetricotlp.UnimplementedGRPCServer
	names    []string
	rejected int64
	err      error
}

func (s *sink) Export(_ context.Context, request pmetricotlp.ExportRequest) (pmetricotlp.ExportResponse, error) {
	metric := request.Metrics().ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().At(0)
	s.names = append(s.names, metric.Name())
	response := pmetricotlp.NewExportResponse()
	response.PartialSuccess().SetRejectedDataPoints(s.rejected)
	response.PartialSuccess().SetErrorMessage("too old")
	return response, s.err
}

// serve starts a server and returns a sender to it.
func serve(t *testing.T, register func(*grpc.Server)) *Sender {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	server := grpc.NewServer()
	register(server)
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	sender, err := Dial(listener.Addr().String())
	require.NoError(t, err)
	t.Cleanup(func() {
		assert.NoError(t, sender.Close())
		server.Stop()
		if err := <-done; !errors.Is(err, grpc.ErrServerStopped) { // it was stopped before it served
			assert.NoError(t, err)
		}
	})
	return sender
}

func named(name string) pmetric.Metrics {
	metrics := pmetric.NewMetrics()
	metrics.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty().Metrics().AppendEmpty().SetName(name)
	return metrics
}

func TestSend(t *testing.T) {
	s := &sink{}
	sender := serve(t, func(server *grpc.Server) { pmetricotlp.RegisterGRPCServer(server, s) })
	for _, name := range []string{"a", "b", "c"} {
		require.NoError(t, sender.Send(t.Context(), named(name)))
	}
	assert.Equal(t, []string{"a", "b", "c"}, s.names, "one request each, in order")
}

func TestSendRefused(t *testing.T) {
	s := &sink{err: errors.New("no room")}
	sender := serve(t, func(server *grpc.Server) { pmetricotlp.RegisterGRPCServer(server, s) })
	err := sender.Send(t.Context(), named("a"))
	require.ErrorContains(t, err, "refused the batch")
	require.ErrorContains(t, err, "no room")

	s.err, s.rejected = nil, 3
	assert.ErrorContains(t, sender.Send(t.Context(), named("a")), "rejected 3 points: too old")
}

func TestSendToNoCollector(t *testing.T) {
	sender := serve(t, func(*grpc.Server) {})
	require.ErrorContains(t, sender.Send(t.Context(), named("a")), "takes no OTLP metrics")

	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, listener.Close())
	nobody, err := Dial(listener.Addr().String())
	require.NoError(t, err)
	defer nobody.Close()
	err = nobody.Send(t.Context(), named("a"))
	require.ErrorContains(t, err, "no collector at "+listener.Addr().String())
	require.ErrorContains(t, err, "(as in examples/check/collector.yaml), or name another --endpoint")
}

func TestDialError(t *testing.T) {
	_, err := Dial("\x00")
	assert.ErrorContains(t, err, "--endpoint")
}

func TestSendInterrupted(t *testing.T) {
	sender := serve(t, func(server *grpc.Server) { pmetricotlp.RegisterGRPCServer(server, &sink{}) })
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorContains(t, sender.Send(ctx, named("a")), "interrupted")
	ctx, cancel = context.WithTimeout(t.Context(), 0)
	defer cancel()
	err := sender.Send(ctx, named("a"))
	require.ErrorContains(t, err, "interrupted")
	assert.NotContains(t, err.Error(), "didn't answer", "it wasn't asked for long enough")
}

// stuck is a collector that answers when nobody waits any more.
type stuck struct{ sink }

func (*stuck) Export(ctx context.Context, _ pmetricotlp.ExportRequest) (pmetricotlp.ExportResponse, error) {
	<-ctx.Done()
	return pmetricotlp.NewExportResponse(), ctx.Err()
}

func TestSendTooLate(t *testing.T) {
	sender := serve(t, func(server *grpc.Server) { pmetricotlp.RegisterGRPCServer(server, &stuck{}) })
	sender.timeout = time.Millisecond
	require.ErrorContains(t, sender.Send(t.Context(), named("a")), "didn't answer within 1ms")

	waits := &sink{err: status.Error(codes.DeadlineExceeded, "context deadline exceeded")}
	sender = serve(t, func(server *grpc.Server) { pmetricotlp.RegisterGRPCServer(server, waits) })
	err := sender.Send(t.Context(), named("a"))
	require.ErrorContains(t, err, "gave up: rpc error: code = DeadlineExceeded")
	require.ErrorContains(t, err, "is there a server where its exporters send to?")
	assert.NotContains(t, err.Error(), "30s")
}
