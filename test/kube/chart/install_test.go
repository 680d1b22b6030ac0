// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package chart

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-gpu/otelcol-gpu/test/kube/collector"
	"github.com/otelcol-gpu/otelcol-gpu/test/kube/kubetest"
)

// TestInstall: agent and gateway run with the access that the chart gives them,
// follow the node's label, keep their counters, and leave nothing.
func TestInstall(t *testing.T) {
	s := start(t)
	t.Run("the API server accepts each set of values", func(t *testing.T) { testDryRun(t, s) })
	s.helm(t, "install", release, chart)
	s.awaitReady(t, "gateway", 1)
	s.awaitReady(t, "agent", 1)

	namespace := s.Namespace(t)
	holder := s.Create(t, namespace, kubetest.Pod("holder", kubetest.Container("main", kubetest.Run("wait"), kubetest.Use(kubetest.GPU, 1))))
	s.await(t, "the agent tells who holds a GPU", func() bool { return s.allocated(string(holder.UID)) > 0 })
	s.await(t, "the gateway tells of nodes", func() bool { return s.record.Is(func(r *collector.Record) bool { return r.Up("nodes") }) })

	t.Run("an agent leaves a node whose driver is replaced", func(t *testing.T) {
		begin := time.Now()
		s.label(t, clientLabel, "paused-for-driver-upgrade")
		s.awaitReady(t, "agent", 0)
		assert.Less(t, time.Since(begin), 30*time.Second)
		s.label(t, clientLabel, "true")
		s.awaitReady(t, "agent", 1)
	})
	t.Run("counters go on through an upgrade and back", func(t *testing.T) {
		for _, tag := range []string{newer, older} {
			before := s.allocated(string(holder.UID))
			s.values["image"].(map[string]any)["tag"] = tag
			s.helm(t, "upgrade", release, chart)
			s.awaitImage(t, tag)
			s.await(t, "the holder's time goes on", func() bool { return s.allocated(string(holder.UID)) > before+2 })
		}
		for _, sum := range s.record.Sums("gpu.allocated.time", func(sum *collector.Sum) bool { return sum.Attributes["k8s.pod.uid"] == string(holder.UID) }) {
			assert.Zero(t, sum.Earlier, "a new stream began")
		}
	})
	assert.Empty(t, s.record.Problems())

	s.helm(t, "uninstall", release, "--wait")
	require.Empty(t, s.left(t))
}
