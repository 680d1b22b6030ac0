// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package k8sgpureceiver

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpupdata"
)

// TestMilestonesWithoutASet carry who passed them, as the allocations would.
func TestMilestonesWithoutASet(t *testing.T) {
	r := newRig(t, func(c *Config) { c.PodLabels = []string{"team"} })
	r.kubelet.Known(recorded(t, "train-0", corev1.PodRunning))
	r.kubelet.Answer(listOf("train-0", "trainer", recordedGPU), nil)
	r.kubelet.Start(t)
	r.synced()
	r.kubelet.Answer(nil, errors.New("away"))
	b, md := r.batch()
	require.Empty(t, b.Allocations)
	require.NotEmpty(t, b.Milestones)
	found := 0
	for _, rm := range md.ResourceMetrics().All() {
		uid, is := rm.Resource().Attributes().Get(gpupdata.AttrPodUID)
		if !is {
			continue
		}
		found++
		require.Equal(t, b.Milestones[0].Pod, uid.Str())
		for name, want := range map[string]string{
			gpupdata.AttrPodName: "train-0", gpupdata.AttrNamespaceName: "ml-team", gpupdata.AttrNodeName: "gpu-node-0",
			gpupdata.AttrClusterName: "prod", gpupdata.AttrWorkloadKind: "Pod", labelPrefix + "team": "ml",
		} {
			got, _ := rm.Resource().Attributes().Get(name)
			require.Equal(t, want, got.Str(), name)
		}
	}
	require.Equal(t, 1, found)
}
