// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-gpu/otelcol-gpu/test/kube/collector"
	"github.com/otelcol-gpu/otelcol-gpu/test/kube/kubetest"
)

// A collector that was down tells afterwards how a pod ended whose status says
// which devices it had. Any other has ended at the last set that had it: nobody
// can know better.
func testCollectorDown(t *testing.T, s *stage) {
	settings := collector.Settings{Name: "down", Storage: true}
	if !s.hasPodsAPI {
		settings.Kubeconfig = s.accessFor(t, "pods: api_server")
	}
	c := collector.Start(t, s.Cluster, settings)
	s.agents.sampler.To(t, c)
	namespace := s.Namespace(t)
	deleted := s.start(t, namespace, kubetest.Pod("deleted", holds(kubetest.GPU, 1)))
	over := s.CreateJob(t, namespace, kubetest.Job(kubetest.Pod("over",
		kubetest.Container("main", kubetest.Run("sleep=12s"), kubetest.Use(kubetest.GPU, 1)))))
	for _, pod := range []string{string(deleted.UID), string(over.UID)} {
		c.Await(t, "a set has the pod", func(r *collector.Record) bool { return r.Has(pod) })
	}
	c.Stop(t)
	stopped := time.Now()
	s.Delete(t, deleted)
	s.AwaitHolding(t, deleted, "free", kubetest.Freed(1))
	s.AwaitHolding(t, over, "free", kubetest.Freed(1))
	s.Await(t, over, "succeeded", kubetest.Succeeded)
	s.Await(t, deleted, "gone", kubetest.Gone)
	c.Resume(t)

	ended, gone := s.truth(t, over.UID), s.truth(t, deleted.UID)
	newest := ended.freed
	if gone.freed.After(newest) {
		newest = gone.freed
	}
	require.True(t, ended.freed.After(stopped) && gone.freed.After(stopped), "they ended while the collector was down")
	c.Await(t, "all is settled", func(r *collector.Record) bool { return r.Settled(newest.Add(time.Second), len(devices())) })
	require.Empty(t, c.Problems())
	addsUp(t, c, newest)
	if s.deviceHealth {
		closedAtItsEnd(t, c, ended)
	} else {
		closedAtTheLastSet(t, c, ended)
	}
	closedAtTheLastSet(t, c, gone)
	end := c.Holdings(string(gone.pod.UID))[0].Last
	require.LessOrEqual(t, gone.freed.Sub(end), endLimit, "it ended right after the collector")
	t.Logf("down for %v; deleted: it ends %v before its process is gone", time.Since(stopped), gone.freed.Sub(end))
}

// closedAtItsEnd requires of a pod that its end is dated.
func closedAtItsEnd(t *testing.T, c *collector.Collector, h *truth) {
	t.Helper()
	holding := c.Holdings(string(h.pod.UID))
	require.Len(t, holding, 1)
	require.Len(t, holding[0].Ends, 1)
	require.LessOrEqual(t, holding[0].Begin.Sub(h.bound).Abs(), beginLimit)
	require.LessOrEqual(t, holding[0].Ends[0].Sub(h.freed).Abs(), endLimit, "%+v, but free at %v", holding[0], h.freed)
	t.Logf("%s: the end that is told afterwards is %v after that of the process", h, holding[0].Ends[0].Sub(h.freed))
}

// closedAtTheLastSet requires of a pod that no end is made up.
func closedAtTheLastSet(t *testing.T, c *collector.Collector, h *truth) {
	t.Helper()
	holding := c.Holdings(string(h.pod.UID))
	require.Len(t, holding, 1)
	require.Empty(t, holding[0].Ends)
	require.False(t, holding[0].Last.After(h.freed))
	held := holding[0].Last.Sub(holding[0].Begin)
	require.InDelta(t, held.Seconds(), heldTime(c, h).Seconds(), timeLimit.Seconds())
}
