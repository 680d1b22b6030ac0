// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package k8sgpureceiver

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	podresources "k8s.io/kubelet/pkg/apis/podresources/v1"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpupdata"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/node"
)

func nodeList(nodes ...corev1.Node) corev1.NodeList {
	return corev1.NodeList{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "NodeList"}, ListMeta: metav1.ListMeta{ResourceVersion: "7"}, Items: nodes,
	}
}

// TestNodeOutOfService: nobody can get a device of a node that is cordoned.
func TestNodeOutOfService(t *testing.T) {
	cordoned := corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: "gpu-node-0"}, Spec: corev1.NodeSpec{Unschedulable: true},
		Status: corev1.NodeStatus{
			Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}},
			Images:     []corev1.ContainerImage{{Names: []string{"registry.example/app:1"}, SizeBytes: 7}},
		},
	}
	startAPI(t, &apiServer{objects: map[string]any{"/api/v1/nodes": nodeList(cordoned)}})
	r := newRig(t, func(c *Config) { c.NodeLookup, c.AuthType = true, "kubeConfig" })
	r.kubelet.Answer(&podresources.ListPodResourcesResponse{}, nil)
	r.kubelet.Offer(&podresources.ContainerDevices{ResourceName: "nvidia.com/gpu", DeviceIds: []string{recordedGPU}})
	r.kubelet.Start(t)
	var b gpu.Batch
	require.Eventually(t, func() bool {
		var md pmetric.Metrics
		b, md = r.batch()
		return len(b.Availability) == 1 && !b.Availability[0].Available && sources(md)[sourceNodes] == "up"
	}, wait, tick)
	require.EqualValues(t, recordedGPU, b.Availability[0].Device)
	require.Equal(t, gpu.ReasonNode, b.Availability[0].Reason)
	r.desk.mu.Lock()
	require.EqualValues(t, 7, r.imageSize("registry.example/app:1"))
	r.desk.mu.Unlock()

	nodeDesk{r.nodeReceiver}.NodeGone("gpu-node-0")
	b, _ = r.batch()
	require.True(t, b.Availability[0].Available, "nobody knows of the node")
}

// TestNodeTellsOfStartsAndDevices: when it was created, how large its images are,
// and that its boards are laid out anew.
func TestNodeTellsOfStartsAndDevices(t *testing.T) {
	r := newRig(t, func(c *Config) { c.NodeLookup, c.AuthType = true, "none" })
	p := recorded(t, "crash", corev1.PodRunning)
	r.kubelet.Known(p)
	r.kubelet.Answer(listOf("crash", "work", recordedGPU), nil)
	r.kubelet.Offer(&podresources.ContainerDevices{ResourceName: "nvidia.com/gpu", DeviceIds: []string{recordedGPU}})
	r.kubelet.Start(t)
	r.synced()
	nodeDesk{r.nodeReceiver}.Node(&node.Node{
		Ready: true, Created: 1_800_000_000e9, Images: node.Images{"docker.io/library/a:1": 7},
		Labels: map[string]string{"nvidia.com/gpu.memory": "81920", "nvidia.com/mig.config.state": "pending"},
	})
	b, _ := r.batch()
	require.Len(t, b.Availability, 1)
	require.Equal(t, gpu.ReasonReconfiguration, b.Availability[0].Reason)
	r.desk.mu.Lock()
	defer r.desk.mu.Unlock()
	require.EqualValues(t, 81920, r.known.MemoryMiB)
	require.EqualValues(t, 7, r.imageSize("a:1"))
	require.Equal(t, gpu.Time(1_800_000_000e9), r.around(nil).NodeCreated)
}

// TestNodeGivesItsDevicesAPrice: the heartbeat says what the node is.
func TestNodeGivesItsDevicesAPrice(t *testing.T) {
	r := newRig(t, func(c *Config) { c.NodeLookup, c.AuthType = true, "none" })
	r.kubelet.Start(t)
	_, md := r.batch()
	require.Empty(t, gpupdata.DecodeHosts(md))
	nodeDesk{r.nodeReceiver}.Node(&node.Node{Name: "elsewhere", Ready: true, Labels: map[string]string{
		"node.kubernetes.io/instance-type": "p5.48xlarge", "topology.kubernetes.io/region": "eu-west-1",
		"topology.kubernetes.io/zone": "eu-west-1a", "karpenter.sh/capacity-type": "spot",
	}})
	_, md = r.batch()
	require.Equal(t, []gpu.Node{{
		Name: r.cfg.Node, Cluster: r.cfg.ClusterName, HostType: "p5.48xlarge", Region: "eu-west-1", Zone: "eu-west-1a", CapacityType: gpu.CapacitySpot,
	}}, gpupdata.DecodeHosts(md))
}

// TestLookUpsOutsideOfACluster are told, and nothing stops for them.
func TestLookUpsOutsideOfACluster(t *testing.T) {
	t.Setenv("KUBERNETES_SERVICE_HOST", "")
	r := newRig(t, func(c *Config) {
		c.ClaimLookup, c.NodeLookup, c.EventLookup, c.NamespaceLabels = true, true, true, []string{"team"}
	})
	for _, name := range []string{sourceClaims, sourceSlices, sourceNodes, sourceEvents, sourceNamespaces} {
		require.EqualValues(t, 1, r.own.read(0).SourceFailures[[2]string{name, "disconnected"}], name)
	}
	r.batch()
}
