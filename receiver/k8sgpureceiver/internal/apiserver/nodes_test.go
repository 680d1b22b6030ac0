// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/node"
)

// TestSlimNode keeps what is read of a node, and little else. Its images are read
// where one node is watched.
func TestSlimNode(t *testing.T) {
	named := func() *corev1.Node {
		return &corev1.Node{
			ObjectMeta: metav1.ObjectMeta{
				Name: "n", Labels: map[string]string{"a": "b"}, Annotations: map[string]string{"long": "text"},
				ManagedFields: []metav1.ManagedFieldsEntry{{}},
			},
			Status: corev1.NodeStatus{Images: []corev1.ContainerImage{{Names: []string{"registry/app:1"}, SizeBytes: 7}}},
		}
	}
	before := node.Read(named())
	one, err := slimNode(false)(named())
	require.NoError(t, err)
	require.Empty(t, one.(*corev1.Node).ManagedFields)
	require.Empty(t, one.(*corev1.Node).Annotations)
	require.Equal(t, before, node.Read(one.(*corev1.Node)))

	all, err := slimNode(true)(named())
	require.NoError(t, err)
	require.Empty(t, all.(*corev1.Node).Status.Images)
	before.Images = node.Images{}
	require.Equal(t, before, node.Read(all.(*corev1.Node)))
}
