// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package sink

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/replay"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpupdata"
)

// Until sees what was there before it was called, and what comes after.
func TestUntil(t *testing.T) {
	s, err := Listen("127.0.0.1:0")
	require.NoError(t, err)
	defer s.Close()
	sender, err := replay.Dial(s.Address())
	require.NoError(t, err)
	defer sender.Close()

	settled := func(second int) func(Progress) bool {
		return func(p Progress) bool { return p.Settled["GPU-1"] >= at(second) }
	}
	require.NoError(t, sender.Send(t.Context(), encoded(chat(5, 10))))
	require.NoError(t, s.Until(t.Context(), settled(10)))
	waited := make(chan error)
	go func() { waited <- s.Until(t.Context(), settled(20)) }()
	require.NoError(t, sender.Send(t.Context(), encoded(chat(5, 20))))
	require.NoError(t, <-waited)
	require.NoError(t, sender.Send(t.Context(), encoded(chat(5, 15))))
	require.NoError(t, s.Until(t.Context(), settled(20)), "an older one takes nothing back")

	counter := gpu.Counter{
		Device: gpu.Device{ID: "GPU-2", Node: "n1"}, Engine: gpu.EngineAny, Source: "prof", Part: gpu.ObservedPart,
		Start: at(0), Time: at(7), Nanos: int64(time.Second),
	}
	require.NoError(t, sender.Send(t.Context(), gpupdata.Encode(gpu.Batch{Counters: []gpu.Counter{counter}})))
	require.NoError(t, s.Until(t.Context(), func(p Progress) bool { return p.Observed["GPU-2"] == at(7) }))
}

// TestUntilIsGivenUp, with the reason.
func TestUntilIsGivenUp(t *testing.T) {
	s, err := Listen("127.0.0.1:0")
	require.NoError(t, err)
	defer s.Close()
	why := errors.New("not today")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	assert.ErrorIs(t, s.Until(ctx, func(Progress) bool { return false }), why)
}
