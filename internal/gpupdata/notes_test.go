// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpupdata

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

func TestSourcesAreAHeartbeat(t *testing.T) {
	md := pmetric.NewMetrics()
	EncodeSources([]Source{
		{Name: "pods_api", Node: "n", Cluster: "c", Time: gpu.Earliest, Up: true, Reason: "ignored"},
		{Name: "pod_resources", Node: "n", Cluster: "c", Time: gpu.Earliest, Reason: "away"},
	}, gpu.Node{Region: "r"}, md)
	require.Equal(t, 1, md.ResourceMetrics().Len())
	require.Equal(t, []gpu.Node{{Name: "n", Cluster: "c", Region: "r"}}, DecodeHosts(md))
	m := md.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().At(0)
	require.Equal(t, MetricSourceUp, m.Name())
	points := m.Gauge().DataPoints()
	require.Equal(t, map[string]any{AttrSource: "pods_api"}, points.At(0).Attributes().AsRaw())
	require.EqualValues(t, 1, points.At(0).IntValue())
	require.Equal(t, map[string]any{AttrSource: "pod_resources", AttrSourceReason: "away"}, points.At(1).Attributes().AsRaw())
	require.EqualValues(t, 0, points.At(1).IntValue())
	b, drops := NewDecoder(Settings{}).Decode(md, gpu.NoTime)
	require.Empty(t, b)
	require.Empty(t, drops)
}

// TestNotesChangeNothingElse: what the ledger reads is the same with them.
func TestNotesChangeNothingElse(t *testing.T) {
	holder := gpu.Holder{Namespace: "ns", Pod: "p", PodUID: "u", Container: "c"}
	b := gpu.Batch{
		Allocations: []gpu.Allocation{
			{Device: "GPU-1", Node: "n", Holder: holder, Sharing: gpu.Exclusive, Share: 1, Time: gpu.Earliest},
			{Ref: "amd.com/gpu/0", Node: "n", Holder: holder, Sharing: gpu.Exclusive, Share: 1, Time: gpu.Earliest},
		},
		AllocationCounts: []gpu.AllocationCount{{Node: "n", Time: gpu.Earliest, Count: 2}},
		Milestones: []gpu.Milestone{
			{Pod: "u", Name: gpu.ContainerStarted, Attempt: 2, Container: "c", Source: "watch", At: gpu.Earliest, Time: gpu.Earliest},
		},
	}
	md := Encode(b)
	Annotate(md, Notes{
		AllocationSource: func(pod, container, device string) string { return pod + " " + container + " " + device },
		Instance: func(pod, container, device string) (gpu.DeviceID, int, bool) {
			return "GPU-9", 7, pod+container+device == "ucamd.com/gpu/0"
		},
		Partition: func(_, _, device string) (string, string) {
			if device == "GPU-1" {
				return "", ""
			}
			return "GPU-9", "1g.10gb"
		},
		Uncertainty: func(m gpu.Milestone) (time.Duration, bool) {
			return 250 * time.Millisecond, m == gpu.Milestone{Pod: "u", Name: gpu.ContainerStarted, Attempt: 2, Container: "c"}
		},
		Image: func(m gpu.Milestone) gpu.Image {
			return gpu.Image{Reference: m.Container + ":1", Told: m.Attempt == 2}
		},
		Resource: func(pod string) map[string]string { return map[string]string{"k8s.pod.label.team": pod} },
	})
	got, drops := NewDecoder(Settings{}).Decode(md, gpu.NoTime)
	require.Empty(t, drops)
	require.Equal(t, b, got)
	var notes []any
	for _, rm := range md.ResourceMetrics().All() {
		if label, ok := rm.Resource().Attributes().Get("k8s.pod.label.team"); ok {
			notes = append(notes, label.AsRaw())
		}
		for _, m := range rm.ScopeMetrics().At(0).Metrics().All() {
			points, _ := numberPoints(m)
			for _, p := range points.All() {
				for _, key := range []string{AttrAllocationSource, AttrHWParent, AttrMIGInstance, AttrMIGProfile, AttrMilestoneUncertainty, AttrImageName, AttrImageTags, AttrImagePresent} {
					if v, ok := p.Attributes().Get(key); ok {
						notes = append(notes, v.AsRaw())
					}
				}
			}
		}
	}
	require.Equal(t, []any{"u", "u c GPU-1", "u c amd.com/gpu/0", "GPU-9", int64(7), "1g.10gb", 0.25, "c", []any{"1"}, false}, notes)
	Annotate(Encode(b), Notes{})
}

// TestMilestonesAloneHaveAnIdentity: the same as the pod's allocations have.
func TestMilestonesAloneHaveAnIdentity(t *testing.T) {
	known := gpu.Holder{
		Namespace: "ns", Pod: "p", PodUID: "u", PodIP: "ip", Container: "c",
		Workload: gpu.Workload{Kind: "Job", Name: "j", Class: gpu.ClassBatch, Group: "g"},
	}
	b := gpu.Batch{Milestones: []gpu.Milestone{
		{Pod: "u", Name: gpu.Created, At: gpu.Earliest, Time: gpu.Earliest},
		{Pod: "other", Name: gpu.Created, At: gpu.Earliest, Time: gpu.Earliest},
	}}
	md := Encode(b)
	Annotate(md, Notes{Identity: func(pod string) (gpu.Holder, string, string) {
		require.Contains(t, []string{"u", "other"}, pod)
		return known, "c", "n"
	}})
	got, drops := NewDecoder(Settings{}).Decode(md, gpu.NoTime)
	require.Empty(t, drops)
	require.Equal(t, b, got)
	require.Equal(t, map[string]any{
		AttrClusterName: "c", AttrNodeName: "n", AttrNamespaceName: "ns", AttrPodName: "p", AttrPodUID: "u", AttrPodIP: "ip",
		AttrWorkloadKind: "Job", AttrWorkloadName: "j", AttrWorkloadClass: "batch", AttrWorkloadGroup: "g",
	}, md.ResourceMetrics().At(0).Resource().Attributes().AsRaw())
	require.NotContains(t, md.ResourceMetrics().At(1).Resource().Attributes().AsRaw(), AttrPodName, "of a pod that isn't known")
}
