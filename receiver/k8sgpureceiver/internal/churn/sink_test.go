// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

//go:build churn && linux

package churn

import (
	"context"
	"fmt"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"google.golang.org/grpc"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpupdata"
)

// sink takes in what the collector sends.
type sink struct {
	pmetricotlp.UnimplementedGRPCServer
	address string

	mu       sync.Mutex // guards what follows
	batches  int
	sets     int
	most     int64                // holders in one set
	ended    map[string]time.Time // by UID
	problems []string
}

func newSink(t *testing.T) *sink {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s := &sink{address: listener.Addr().String(), ended: map[string]time.Time{}}
	server := grpc.NewServer(grpc.MaxRecvMsgSize(64 << 20))
	pmetricotlp.RegisterGRPCServer(server, s)
	go server.Serve(listener) //nolint:errcheck // it ends with Stop
	t.Cleanup(server.Stop)
	return s
}

// Export takes one request.
func (s *sink) Export(_ context.Context, request pmetricotlp.ExportRequest) (pmetricotlp.ExportResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.batches++
	for _, rm := range request.Metrics().ResourceMetrics().All() {
		uid, _ := rm.Resource().Attributes().Get(gpupdata.AttrPodUID)
		for _, sm := range rm.ScopeMetrics().All() {
			for _, m := range sm.Metrics().All() {
				s.take(uid.Str(), m)
			}
		}
	}
	return pmetricotlp.NewExportResponse(), nil
}

func (s *sink) take(uid string, m pmetric.Metric) {
	switch m.Name() {
	case gpupdata.MetricNodeAllocations:
		s.sets++
		s.most = max(s.most, m.Sum().DataPoints().At(0).IntValue())
	case gpupdata.MetricAllocation:
		for _, p := range m.Sum().DataPoints().All() {
			at := p.Timestamp().AsTime()
			told, ended := s.ended[uid]
			switch {
			case !p.Flags().NoRecordedValue() && ended:
				s.problems = append(s.problems, fmt.Sprintf("pod %s holds a device at %v, after its end at %v", uid, at, told))
			case !p.Flags().NoRecordedValue():
			case ended && !told.Equal(at):
				s.problems = append(s.problems, fmt.Sprintf("pod %s ended at %v and at %v", uid, told, at))
			default:
				s.ended[uid] = at
			}
		}
	}
}

// missing returns how many of those that ended weren't told of, or with a time
// that is further than a second from it.
func (s *sink) missing(ended map[string]time.Time) (missing, wrong int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for uid, at := range ended {
		told, ok := s.ended[uid]
		switch {
		case !ok:
			missing++
		case told.Sub(at).Abs() > time.Second:
			wrong++
		}
	}
	return missing, wrong
}
