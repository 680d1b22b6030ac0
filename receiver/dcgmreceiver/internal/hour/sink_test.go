// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

//go:build dcgm && linux

package hour

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpupdata"
)

// sums are those of the engine of an instance, up to a time.
type sums struct {
	start, time      gpu.Time
	active, observed time.Duration
}

// sink takes in what the receiver sends.
type sink struct {
	batches, points int
	drops           any
	of              map[gpu.DeviceID]*sums
}

func newSink() *sink { return &sink{of: map[gpu.DeviceID]*sums{}} }

func (*sink) Capabilities() consumer.Capabilities { return consumer.Capabilities{} }

// ConsumeMetrics takes a batch. The receiver sends one at a time.
func (s *sink) ConsumeMetrics(_ context.Context, md pmetric.Metrics) error {
	s.batches++
	s.points += md.DataPointCount()
	b, drops := gpupdata.NewDecoder(gpupdata.Settings{}).Decode(md, gpu.NoTime)
	if drops != nil {
		s.drops = drops
	}
	for i := range b.Counters {
		c := &b.Counters[i]
		if c.Engine != gpu.EngineAny {
			continue
		}
		at := s.of[c.Device.ID]
		if at == nil {
			at = &sums{start: c.Start}
			s.of[c.Device.ID] = at
		}
		if at.time = c.Time; c.Part == gpu.ObservedPart {
			at.observed = time.Duration(c.Nanos)
		} else {
			at.active = time.Duration(c.Nanos)
		}
	}
	return nil
}

// requireAll holds that each sample of each instance is in the sums. The first
// one of profiling is none, and that of before it tells of no time.
func (s *sink) requireAll(t *testing.T, duration time.Duration) {
	t.Helper()
	require.Nil(t, s.drops)
	require.Len(t, s.of, boards*parts, "devices that tell of their activity")
	for board := range uint(boards) {
		for part := range uint(parts) {
			at := s.of[gpu.DeviceID(uuid(board, part))]
			require.NotNil(t, at, uuid(board, part))
			require.Equal(t, at.time.Sub(at.start), at.observed, "%s: a sample is missing", uuid(board, part))
			require.GreaterOrEqual(t, at.observed, duration-time.Second, uuid(board, part))
			require.InDelta(t, load(board, part)*at.observed.Seconds(), at.active.Seconds(), 1e-5, uuid(board, part))
		}
	}
}
