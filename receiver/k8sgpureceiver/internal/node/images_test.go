// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package node

import (
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
)

func TestImageSize(t *testing.T) {
	images := ReadImages([]corev1.ContainerImage{
		{Names: []string{"docker.io/vllm/vllm-openai@sha256:0f", "docker.io/vllm/vllm-openai:v1"}, SizeBytes: 9},
		{Names: []string{"docker.io/library/busybox:latest"}, SizeBytes: 2},
		{Names: []string{"r.example:5000/a:1"}, SizeBytes: 3},
		{Names: []string{"localhost/b:1"}, SizeBytes: 4},
		{Names: []string{"r.example/empty:1"}},
		{SizeBytes: 5},
	})
	for reference, want := range map[string]int64{
		"vllm/vllm-openai:v1": 9, "vllm/vllm-openai@sha256:0f": 9, "docker.io/vllm/vllm-openai:v2@sha256:0f": 9,
		"busybox": 2, "busybox:latest": 2, "library/busybox": 2, "r.example:5000/a:1": 3, "localhost/b:1": 4,
		"vllm/vllm-openai": 0, "busybox:1": 0, "r.example:5000/a": 0, "r.example/empty:1": 0, "": 0, ":": 0, "@": 0,
	} {
		require.Equal(t, want, images.Size(reference), reference)
	}
	require.Zero(t, Images(nil).Size("busybox"))
}
