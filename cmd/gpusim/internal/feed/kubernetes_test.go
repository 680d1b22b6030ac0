// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package feed_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/feed"
	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/scenario"
	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/watch"
)

// TestKubernetes: what else reads the devices isn't told twice, and nothing of
// the rest is left out.
func TestKubernetes(t *testing.T) {
	s, err := scenario.Load("dcgm")
	require.NoError(t, err)
	w := s.World()
	settings := watch.Settings{Interval: s.Collection.Interval, Sample: s.Collection.Sample, Scrape: s.Collection.Scrape}
	node := watch.New(w, w.Nodes[0], settings)
	whole, rest := feed.Node(node, feed.Collector{}), feed.Kubernetes(feed.Node(node, feed.Collector{}))
	told := 0
	for {
		all, more := whole()
		some, ok := rest()
		require.Equal(t, more, ok)
		if !more {
			break
		}
		told += len(some.Batch.Allocations) + len(some.Batch.Milestones) + len(some.Batch.Outputs)
		b := all.Batch
		b.Samples, b.Counters, b.SeriesEnds, b.Processes, b.Memory, b.Statuses, b.PartitionCounts = nil, nil, nil, nil, nil, nil, nil
		assert.Equal(t, feed.Delivery{Real: all.Real, Batch: b}, some)
	}
	assert.Greater(t, told, 100)
}
