// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpuaccountingprocessor

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/extension/xextension/storage"
)

func TestShutdownWithStorage(t *testing.T) {
	n := newNode(t)
	n.cfg.EmitInterval = time.Hour
	n.start()
	for i := range 6 {
		n.consume(work(i))
	}
	require.Empty(t, n.out.newest)
	n.stop()
	require.Equal(t, second(40), n.out.published()["uid-0"].time, "what F allows, and no more")
	require.NoError(t, n.Shutdown(t.Context()), "a second shutdown is fine")
	require.ErrorIs(t, n.try(work(6)), errStopped)
	require.Equal(t, 1, n.out.sends)

	n.start() // the rest was stored, and what was accepted isn't sent again
	n.stop()
	require.Equal(t, 1, n.out.sends)
	n.start()
	for i := 6; i < 12; i++ {
		n.consume(work(i))
	}
	n.stop()
	last := n.out.published()["uid-0"]
	require.Equal(t, second(0), last.start)
	require.Equal(t, 100*time.Second, last.allocated)
	require.Equal(t, 3, n.disk.Opened())
}

func TestShutdownWhoseSendFails(t *testing.T) {
	n := newNode(t)
	n.cfg.EmitInterval = time.Hour
	n.start()
	for i := range 6 {
		n.consume(work(i))
	}
	n.out.before = func() error { return errDisk }
	require.ErrorIs(t, n.Shutdown(t.Context()), errDisk)
	n.out.before = nil
	n.start().stop()
	require.Equal(t, 40*time.Second, n.out.published()["uid-0"].allocated, "due again")
}

func TestShutdownWhoseStorageFails(t *testing.T) {
	n := newNode(t).start()
	for i := range 6 {
		n.consume(work(i))
	}
	sends := n.out.sends
	n.failWrites(errDisk)
	n.consume(work(6))
	err := n.Shutdown(t.Context())
	require.ErrorIs(t, err, errDisk)
	require.Equal(t, sends, n.out.sends, "what isn't stored isn't sent")
	n.start().consume(work(7))
	require.Equal(t, second(0), n.out.published()["uid-0"].start)
}

// TestShutdownWithNothingStored: the streams began anew and couldn't be stored:
// they end here, so that all is settled as without storage.
func TestShutdownWithNothingStored(t *testing.T) {
	n := newNode(t).start()
	for i := range 6 {
		n.consume(work(i))
	}
	n.disk.After(full)
	for i := 6; i < 16; i++ {
		n.consume(work(i))
		n.clock = n.clock.Add(10 * time.Second)
	}
	require.ErrorIs(t, n.Shutdown(t.Context()), storage.ErrStorageFull)
	require.Equal(t, second(150), n.out.published()["uid-0"].time, "all of it")
	require.Empty(t, n.disk.Stored(), "though the last write said that it failed and did not")
}

// TestShutdownIsBounded: a storage hangs while a batch is stored.
func TestShutdownIsBounded(t *testing.T) {
	n := newNode(t).start()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.NoError(t, n.writing.take(t.Context()))
	require.ErrorIs(t, n.Shutdown(ctx), context.Canceled)
	require.ErrorIs(t, n.ConsumeMetrics(ctx, foreignMetrics()), context.Canceled,
		"nor does a batch wait longer than its sender")
	n.writing.leave()
	n.stop()
}

func TestShutdownWithStorageButWithoutStart(t *testing.T) {
	cfg := testConfig()
	cfg.Storage = &storageID
	p := newAccounting(newNode(t).set, cfg, nil, wallClock)
	require.NoError(t, p.Shutdown(t.Context()))
	require.NoError(t, p.Shutdown(t.Context()))
}
