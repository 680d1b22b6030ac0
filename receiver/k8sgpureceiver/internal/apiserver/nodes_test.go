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

// TestUnmanaged keeps what is read of a node, and little else.
func TestUnmanaged(t *testing.T) {
	n := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: "n", Labels: map[string]string{"a": "b"}, ManagedFields: []metav1.ManagedFieldsEntry{{}}},
		Status:     corev1.NodeStatus{Images: []corev1.ContainerImage{{SizeBytes: 1}}},
	}
	before := node.Read(n)
	after, err := unmanaged(n)
	require.NoError(t, err)
	require.Empty(t, after.(*corev1.Node).Status.Images)
	require.Empty(t, after.(*corev1.Node).ManagedFields)
	require.Equal(t, before, node.Read(after.(*corev1.Node)))
}
