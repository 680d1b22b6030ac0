// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpuaccountingprocessor

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/collector/extension/xextension/storage"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpupdata"
)

// full has nothing be set any more. What is there can be deleted.
func full(ops []*storage.Operation) error {
	for _, op := range ops {
		if op.Type == storage.Set {
			return storage.ErrStorageFull
		}
	}
	return nil
}

func TestStorageFullForAWhile(t *testing.T) {
	n := newNode(t).start()
	for i := range 6 {
		n.consume(work(i))
	}
	before, sends := n.out.published(), n.out.sends
	require.Equal(t, second(40), before["uid-0"].time)

	n.failWrites(storage.ErrStorageFull)
	for i := 6; i < 11; i++ {
		n.clock = n.clock.Add(10 * time.Second)
		n.consume(work(i)) // the input passes
	}
	require.Equal(t, sends, n.out.sends, "derived points stay back")
	require.Equal(t, []componentstatus.Status{componentstatus.StatusRecoverableError}, n.statuses(), "said once")
	require.ErrorContains(t, n.status[0].Err(), "gpu_accounting: the checkpoint can't be written")
	require.ErrorIs(t, n.status[0].Err(), storage.ErrStorageFull)

	n.failWrites(nil)
	n.consume(work(11))
	require.Equal(t, componentstatus.StatusOK, n.statuses()[1])
	after := n.out.published()["uid-0"]
	require.Equal(t, before["uid-0"].start, after.start, "the stream goes on")
	require.Equal(t, second(100), after.time)
	require.Equal(t, 100*time.Second, after.allocated, "nothing is lost")

	n.start()
	n.consume(work(12))
	require.Equal(t, 110*time.Second, n.out.published()["uid-0"].allocated)
}

// TestStorageFullForLong: after a minute the old streams are given up.
func TestStorageFullForLong(t *testing.T) {
	core, logs := observer.New(zap.WarnLevel)
	n := newNode(t)
	n.set.Logger = zap.New(core, zap.AddStacktrace(zap.ErrorLevel)) // as the collector's
	n.start()
	for i := range 6 {
		n.consume(work(i))
	}
	n.disk.Before(full)
	sends := n.out.sends
	for i := 6; i < 13; i++ { // the seventh is a minute after the first
		require.NotEmpty(t, n.disk.Stored())
		n.consume(work(i))
		require.Equal(t, sends, n.out.sends)
		n.clock = n.clock.Add(10 * time.Second)
	}
	require.Empty(t, n.disk.Stored(), "a restart finds nothing to go on from")
	require.Equal(t, 2, logs.Len(), "that it can't be written, and that it is given up")
	for _, said := range logs.All() {
		require.Empty(t, said.Stack, "it is the disk's fault")
	}

	n.consume(work(13))
	n.consume(work(14))
	anew := n.out.published()["uid-0"]
	require.Equal(t, second(120), anew.start, "new streams, from the batch that gave the old ones up")
	require.Equal(t, second(130), anew.time)
	require.Equal(t, 10*time.Second, anew.allocated)
	require.Contains(t, n.out.streams["gpu.ledger.clampedmap[k8s.node.name:n1]"], second(120))
	require.Empty(t, n.disk.Stored())

	n.start() // killed while nothing is stored: again new streams
	n.disk.Before(full)
	require.Empty(t, n.status)
	n.consume(work(15))
	n.disk.Before(nil)
	n.consume(work(16))
	n.consume(work(17))
	require.Equal(t, second(150), n.out.published()["uid-0"].start)

	n.start() // it could be stored: they go on
	n.consume(work(18))
	require.Equal(t, second(150), n.out.published()["uid-0"].start)
	require.Equal(t, 20*time.Second, n.out.published()["uid-0"].allocated)
}

// TestDeadStorage: if the checkpoint can't even be deleted, a restart could
// resume it. Nothing is published until it can be written.
func TestDeadStorage(t *testing.T) {
	n := newNode(t).start()
	for i := range 6 {
		n.consume(work(i))
	}
	n.failWrites(errDisk)
	sends := n.out.sends
	for i := 6; i < 30; i++ {
		n.clock = n.clock.Add(10 * time.Second)
		n.consume(work(i))
	}
	require.Equal(t, sends, n.out.sends)
	require.Len(t, n.status, 1)
	n.failWrites(nil)
	n.consume(work(30))
	require.Equal(t, second(0), n.out.published()["uid-0"].start)
	require.Equal(t, 290*time.Second, n.out.published()["uid-0"].allocated)
}

// TestUnreadableStorage: the storage works again later.
func TestUnreadableStorage(t *testing.T) {
	n := newNode(t).start()
	for i := range 6 {
		n.consume(work(i))
	}
	n.disk.Kill()
	n.disk.Before(func([]*storage.Operation) error { return errDisk })
	p := newAccounting(n.set, n.cfg, n.out, func() time.Time { return n.clock })
	p.keeper.id, p.keeper.claims, p.keeper.bootID = selfID, &claims{}, func() string { return n.boot }
	require.NoError(t, p.Start(t.Context(), n), "the collector starts all the same")
	require.Equal(t, map[string]int64{"unreadable": 1}, p.own.restores)
	n.accounting = p
	n.consume(work(6))
	n.disk.Before(nil)
	n.consume(work(7))
	n.consume(work(8))
	require.Equal(t, second(60), n.out.published()["uid-0"].start)
	require.Equal(t, componentstatus.StatusOK, n.statuses()[1])
}

// TestForeignBatchesCostNoWrite: a batch that says nothing isn't stored.
func TestForeignBatchesCostNoWrite(t *testing.T) {
	n := newNode(t).start()
	n.consume(work(0))
	writes := fmt.Sprint(n.own.writes)
	require.NoError(t, n.ConsumeMetrics(t.Context(), foreignMetrics()))
	require.Equal(t, writes, fmt.Sprint(n.own.writes))
	require.Contains(t, writes, "saved:1")
}

// TestSenderThatLeaves: what was taken in is stored, whether its sender still
// waits or not.
func TestSenderThatLeaves(t *testing.T) {
	n := newNode(t).start()
	n.consume(work(0))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.NoError(t, n.ConsumeMetrics(ctx, gpupdata.Encode(work(1))))
	require.Empty(t, n.status)
	require.Equal(t, map[string]int64{"saved": 1, "appended": 1}, n.own.writes)
}
