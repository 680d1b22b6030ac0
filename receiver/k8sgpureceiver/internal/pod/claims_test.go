// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package pod

import (
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
)

func TestReadClaims(t *testing.T) {
	made, named := "p-gpu-x7", "shared"
	p := Read(&corev1.Pod{
		Spec: corev1.PodSpec{
			ResourceClaims: []corev1.PodResourceClaim{
				{Name: "gpu", ResourceClaimTemplateName: &made}, {Name: "shared", ResourceClaimName: &named}, {Name: "later"}, {Name: "none"},
			},
			InitContainers: []corev1.Container{{Name: "init", Resources: corev1.ResourceRequirements{Claims: []corev1.ResourceClaim{{Name: "shared"}}}}},
			Containers: []corev1.Container{
				{Name: "a", Resources: corev1.ResourceRequirements{Claims: []corev1.ResourceClaim{{Name: "gpu", Request: "one"}, {Name: "shared"}, {Name: "later"}, {Name: "none"}}}},
				{Name: "b"},
			},
		},
		Status: corev1.PodStatus{
			ResourceClaimStatuses: []corev1.PodResourceClaimStatus{{Name: "gpu", ResourceClaimName: &made}, {Name: "none"}},
			ExtendedResourceClaimStatus: &corev1.PodExtendedResourceClaimStatus{
				ResourceClaimName: "p-extended-resources-z9",
				RequestMappings: []corev1.ContainerExtendedResourceRequest{
					{ContainerName: "b", ResourceName: "nvidia.com/gpu", RequestName: "container-1-request-0"}, {ContainerName: "unheard-of"},
				},
			},
		},
	})
	require.Equal(t, "p-extended-resources-z9", p.Extended)
	require.Equal(t, []Claim{{"shared", ""}}, p.Container("init").Claims)
	require.Equal(t, []Claim{{"p-gpu-x7", "one"}, {"shared", ""}, {}}, p.Container("a").Claims, "one that isn't made yet has no name, one that isn't needed is none")
	require.Equal(t, []Claim{{"p-extended-resources-z9", "container-1-request-0"}}, p.Container("b").Claims)
}
