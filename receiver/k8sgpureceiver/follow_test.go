// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package k8sgpureceiver

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/kubelet"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/kubelettest"
)

// TestLeavesASourceThatFails once it synced, and comes back to it.
func TestLeavesASourceThatFails(t *testing.T) {
	best, other := kubelettest.New(t).Start(t), kubelettest.New(t).Start(t)
	cfg := validConfig()
	r := newReceiver(t, cfg, nil)
	open := func(socket string) func() (podSource, error) {
		return func() (podSource, error) { return kubelet.NewPods(socket) }
	}
	ladder := []rung{{"best", true, open(best.Socket)}, {"other", true, open(other.Socket)}}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		r.follow(ctx, ladder, 50*time.Millisecond)
	}()
	uses := func(name string, changes int64) {
		t.Helper()
		require.Eventually(t, func() bool {
			found := r.own.sources("n", "c", 1)
			return len(found) == 2 && found[1].Name == name && found[1].Up && r.own.counted().SourceChanges == changes
		}, wait, tick)
	}
	uses("best", 0)
	best.Stop()
	uses("other", 1)
	best.Start(t)
	uses("best", 2)
	cancel()
	<-done
}
