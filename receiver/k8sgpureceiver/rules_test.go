// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package k8sgpureceiver

import (
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	podresources "k8s.io/kubelet/pkg/apis/podresources/v1"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// tainted are recorded slices, and a rule that taints one device of them.
func tainted(t *testing.T, device string) map[string]any {
	t.Helper()
	objects := recordedClaims(t)
	objects["/apis/resource.k8s.io/v1/devicetaintrules"] = resourcev1.DeviceTaintRuleList{
		TypeMeta: metav1.TypeMeta{APIVersion: "resource.k8s.io/v1", Kind: "DeviceTaintRuleList"}, ListMeta: metav1.ListMeta{ResourceVersion: "7"},
		Items: []resourcev1.DeviceTaintRule{{
			ObjectMeta: metav1.ObjectMeta{Name: "r"},
			Spec: resourcev1.DeviceTaintRuleSpec{
				DeviceSelector: &resourcev1.DeviceTaintSelector{Device: &device},
				Taint:          resourcev1.DeviceTaint{Key: "example.com/repair", Effect: resourcev1.DeviceTaintEffectNoSchedule},
			},
		}},
	}
	return objects
}

// TestDeviceThatARuleTaints can't be had, of four that the node offers.
func TestDeviceThatARuleTaints(t *testing.T) {
	startAPI(t, &apiServer{objects: tainted(t, "gpu-0")})
	r := newRig(t, func(c *Config) { c.ClaimLookup, c.AuthType = true, "kubeConfig" })
	r.kubelet.Answer(&podresources.ListPodResourcesResponse{}, nil)
	r.kubelet.Start(t)
	var b gpu.Batch
	require.Eventually(t, func() bool {
		var md pmetric.Metrics
		b, md = r.batch()
		cannot := slices.ContainsFunc(b.Availability, func(a gpu.Availability) bool { return a.Reason == gpu.ReasonTaint })
		return cannot && sources(md)[sourceRules] == "up"
	}, wait, tick)
	require.Len(t, b.Availability, 4)
	for _, a := range b.Availability {
		require.Equal(t, a.Device == recordedGPU, !a.Available, a.Device)
	}
}

// TestNoGPUsNoRules: a node without devices that a rule may taint doesn't ask for
// rules.
func TestNoGPUsNoRules(t *testing.T) {
	api := &apiServer{objects: tainted(t, "gpu-0")}
	empty := api.objects["/apis/resource.k8s.io/v1/resourceslices"].(resourcev1.ResourceSliceList)
	empty.Items = nil
	api.objects["/apis/resource.k8s.io/v1/resourceslices"] = empty
	startAPI(t, api)
	r := newRig(t, func(c *Config) { c.ClaimLookup, c.AuthType = true, "kubeConfig" })
	r.kubelet.Start(t)
	require.Eventually(t, func() bool {
		_, md := r.batch()
		return sources(md)[sourceSlices] == "up"
	}, wait, tick)
	require.NoError(t, r.Shutdown(t.Context()))
	require.NotContains(t, r.own.read(0).SourceUp, sourceRules)
}

// TestClusterKnowsRules: a device that a rule taints isn't allocatable.
func TestClusterKnowsRules(t *testing.T) {
	objects := tainted(t, "gpu-0")
	objects["/api/v1/nodes"] = nodeList(gpuNode("gpu-node-0", "0"))
	startAPI(t, &apiServer{objects: objects})
	cfg := clusterConfig()
	cfg.ClaimLookup = true
	r := newClusterRig(t, cfg)
	var nodes []gpu.Node
	require.Eventually(t, func() bool {
		var md pmetric.Metrics
		nodes, _, md = r.batch()
		return len(nodes) == 1 && nodes[0].Allocatable == 3 && sources(md)[sourceRules] == "up"
	}, wait, tick)
	require.Equal(t, 4, nodes[0].Capacity)
	r.desk.RulesLost(errors.New("away"))
	r.desk.RuleGone("r")
	nodes, _, md := r.batch()
	require.Equal(t, 4, nodes[0].Allocatable)
	require.Equal(t, "disconnected", sources(md)[sourceRules])
}
