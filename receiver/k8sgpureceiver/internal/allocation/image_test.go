// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package allocation

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/pod"
)

func TestImage(t *testing.T) {
	l := &life{pod: pod.Pod{Containers: []pod.Container{{Name: "new", Image: "r/new:1"}, {Name: "old", Image: "r/old:1"}}}}
	for container, message := range map[string]string{
		"new": `Successfully pulled image "r/new:1" in 2s (5s including waiting). Image size: 7 bytes.`,
		"old": `Container image "r/old:1" already present on machine`,
	} {
		l.marks.ObserveEvent(&pod.Event{
			Name: "p.x", Reason: "Pulled", FieldPath: "spec.containers{" + container + "}", First: gpu.Earliest, Message: message,
		})
	}
	node := func(reference string) int64 { return map[string]int64{"r/old:1": 5, "r/new:1": 6}[reference] }
	for name, test := range map[string]struct {
		node      func(string) int64
		milestone pod.Milestone
		want      gpu.Image
	}{
		"pulled": {nil, pod.Milestone{Name: gpu.PullFinished, Container: "new"}, gpu.Image{Reference: "r/new:1", Bytes: 7, Told: true}},
		"the event's size, not the node's": {
			node, pod.Milestone{Name: gpu.ContainerStarted, Container: "new"}, gpu.Image{Reference: "r/new:1", Bytes: 7, Told: true},
		},
		"present": {nil, pod.Milestone{Name: gpu.PullFinished, Container: "old"}, gpu.Image{Reference: "r/old:1", Told: true, Present: true}},
		"present, with the node's size": {
			node, pod.Milestone{Name: gpu.InitStarted, Container: "old"}, gpu.Image{Reference: "r/old:1", Bytes: 5, Told: true, Present: true},
		},
		"another attempt": {node, pod.Milestone{Name: gpu.ContainerStarted, Container: "new", Attempt: 1}, gpu.Image{Reference: "r/new:1", Bytes: 6}},
		"a begin":         {node, pod.Milestone{Name: gpu.PullStarted, Container: "new"}, gpu.Image{}},
		"the pod's":       {node, pod.Milestone{Name: gpu.ContainerStarted}, gpu.Image{}},
	} {
		b := New(Config{ImageSize: test.node})
		require.Equal(t, test.want, b.image(l, &test.milestone), name)
	}
}
