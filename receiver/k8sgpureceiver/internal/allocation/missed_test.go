// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package allocation

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/pod"
)

// TestMissed: a pod that went unseen has no dated end. One whose end was seen
// keeps it.
func TestMissed(t *testing.T) {
	n := newNode(t, false).sync(0)
	a, b := holder("a", 1), holder("b", 1)
	n.pod(a, 1.5)
	n.pod(b, 1.5)
	n.list(10, listed(a, uuid(0)), listed(b, uuid(1)))
	require.Len(t, n.set(10), 2)
	n.pod(finished(b, 15, pod.Succeeded), 15.5)
	n.Missed("a")
	n.Missed("b")
	n.Missed("never known")
	n.list(500)
	require.Equal(t, []string{"b/main " + uuid(1) + " ended 15.5s"}, n.set(500))
}
