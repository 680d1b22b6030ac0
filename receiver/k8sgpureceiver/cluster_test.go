// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package k8sgpureceiver

import (
	"errors"
	"maps"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/receiver/receivertest"
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpupdata"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/claim"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/metadata"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/node"
)

// clusterRig is a receiver of a cluster; collect is called by the test.
type clusterRig struct {
	*clusterReceiver
	t    *testing.T
	sink *consumertest.MetricsSink
	host *host
}

func clusterConfig() *Config {
	cfg := createDefaultConfig().(*Config)
	cfg.Mode, cfg.ClusterName, cfg.AuthType, cfg.NodeLabels = modeCluster, "prod", "kubeConfig", []string{"team"}
	return cfg
}

func newCluster(t *testing.T, cfg *Config, next consumer.Metrics) *clusterReceiver {
	t.Helper()
	r, err := NewFactory().CreateMetrics(t.Context(), receivertest.NewNopSettings(metadata.Type), cfg, next)
	require.NoError(t, err)
	return r.(*clusterReceiver)
}

func newClusterRig(t *testing.T, cfg *Config) *clusterRig {
	t.Helper()
	sink := new(consumertest.MetricsSink)
	r := &clusterRig{newCluster(t, cfg, sink), t, sink, &host{Host: componenttest.NewNopHost()}}
	_, err := r.open(r.host)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, r.Shutdown(t.Context())) })
	return r
}

func (r *clusterRig) batch() ([]gpu.Node, []gpu.Demand, pmetric.Metrics) {
	r.t.Helper()
	r.sink.Reset()
	r.collect(r.t.Context())
	md := r.sink.AllMetrics()[0]
	nodes, pending, drops := gpupdata.DecodeCluster(md, gpu.NoTime)
	require.Empty(r.t, drops)
	return nodes, pending, md
}

var born = metav1.Unix(1_790_000_000, 0)

func gpuNode(name, gpus string) corev1.Node {
	return corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, CreationTimestamp: born, Labels: map[string]string{"team": "ml", "node.kubernetes.io/instance-type": "p5"}},
		Status:     corev1.NodeStatus{Capacity: corev1.ResourceList{"nvidia.com/gpu": resource.MustParse(gpus)}},
	}
}

func tooBig(claimName string) corev1.Pod {
	return corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{UID: "u", Name: "too-big", Namespace: "ml-team", CreationTimestamp: metav1.Now()},
		Spec: corev1.PodSpec{
			Containers: []corev1.Container{{Name: "c", Resources: corev1.ResourceRequirements{
				Limits: corev1.ResourceList{"nvidia.com/gpu": resource.MustParse("8")}, Claims: []corev1.ResourceClaim{{Name: "x"}},
			}}},
			ResourceClaims: []corev1.PodResourceClaim{{Name: "x", ResourceClaimName: &claimName}},
		},
		Status: corev1.PodStatus{Phase: corev1.PodPending, Conditions: []corev1.PodCondition{{
			Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: "Unschedulable", Message: "0/1 nodes are available: 1 Insufficient nvidia.com/gpu.",
		}}},
	}
}

// TestCluster over the real wire: accounts of nodes, with devices of plugins
// and of DRA drivers, and what a pod waits for.
func TestCluster(t *testing.T) {
	objects := recordedClaims(t) // a slice with 4 devices of gpu-node-0
	objects["/api/v1/nodes"] = nodeList(gpuNode("a", "8"), gpuNode("gpu-node-0", "0"), corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "cpu"}})
	objects["/api/v1/pods"] = corev1.PodList{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "PodList"}, ListMeta: metav1.ListMeta{ResourceVersion: "7"}, Items: []corev1.Pod{tooBig("wanted")},
	}
	objects["/apis/resource.k8s.io/v1/namespaces/ml-team/resourceclaims/wanted"] = resourcev1.ResourceClaim{
		TypeMeta:   metav1.TypeMeta{APIVersion: "resource.k8s.io/v1", Kind: "ResourceClaim"},
		ObjectMeta: metav1.ObjectMeta{Name: "wanted", Namespace: "ml-team"},
		Spec: resourcev1.ResourceClaimSpec{Devices: resourcev1.DeviceClaim{Requests: []resourcev1.DeviceRequest{
			{Name: "gpu", Exactly: &resourcev1.ExactDeviceRequest{DeviceClassName: "gpu.nvidia.com", Count: 2}},
		}}},
	}
	startAPI(t, &apiServer{objects: objects})
	cfg := clusterConfig()
	cfg.ClaimLookup = true
	r := newClusterRig(t, cfg)
	var nodes []gpu.Node
	var pending []gpu.Demand
	var md pmetric.Metrics
	require.Eventually(t, func() bool {
		nodes, pending, md = r.batch()
		up := map[string]string{sourceNodes: "up", sourcePending: "up", sourceClaims: "up", sourceSlices: "up"}
		return len(nodes) == 2 && len(pending) == 2 && maps.Equal(up, sources(md))
	}, wait, tick)
	begin := gpu.Time(born.UnixNano())
	want := gpu.Node{
		Name: "a", Cluster: "prod", Time: nodes[0].Time, Begin: begin, Capacity: 8, HostType: "p5", Labels: map[string]string{"team": "ml"},
	}
	require.Equal(t, want, nodes[0])
	want.Name, want.Capacity, want.Allocatable = "gpu-node-0", 4, 4
	require.Equal(t, want, nodes[1], "a node without GPUs has no account")
	d := gpu.Demand{
		Cluster: "prod", Namespace: "ml-team", Time: nodes[0].Time, Resource: "gpu.nvidia.com", Reason: gpu.DemandNoGPU, Age: gpu.DemandUnderMinute, Count: 2,
	}
	other := d
	other.Resource, other.Count = "nvidia.com/gpu", 8
	require.Equal(t, []gpu.Demand{d, other}, pending)
	require.Equal(t, 1, r.desk.pending())

	r.desk.NotPending("u")
	_, pending, _ = r.batch()
	require.Len(t, pending, 2)
	require.Zero(t, pending[0].Count+pending[1].Count, "told once that nobody waits")
	_, pending, _ = r.batch()
	require.Empty(t, pending)
	require.Contains(t, r.host.events, componentstatus.StatusOK)
}

// TestClusterDenied: a batch without any source is still one.
func TestClusterDenied(t *testing.T) {
	api := &apiServer{denied: true, objects: map[string]any{"/api/v1/nodes": nodeList(gpuNode("a", "8"))}}
	startAPI(t, api)
	r := newClusterRig(t, clusterConfig())
	r.batch()
	require.Empty(t, r.host.events, "a source that was just asked may yet answer")
	require.Eventually(t, func() bool {
		nodes, pending, md := r.batch()
		return len(nodes)+len(pending) == 0 && sources(md)[sourceNodes] == "denied" && sources(md)[sourcePending] == "denied"
	}, wait, tick)
	require.Equal(t, []componentstatus.Status{componentstatus.StatusRecoverableError}, r.host.events, "on change only")
}

// TestClusterOutsideOfACluster lives and dies, also when batches are refused.
func TestClusterOutsideOfACluster(t *testing.T) {
	t.Setenv("KUBERNETES_SERVICE_HOST", "")
	cfg := clusterConfig()
	cfg.AuthType = "serviceAccount"
	for _, next := range []consumer.Metrics{consumertest.NewNop(), consumertest.NewErr(errors.New("full"))} {
		r := newCluster(t, cfg, next)
		require.NoError(t, r.Shutdown(t.Context()), "without a start")
		require.NoError(t, r.Start(t.Context(), componenttest.NewNopHost()))
		require.NoError(t, r.Shutdown(t.Context()))
		require.NoError(t, r.Shutdown(t.Context()), "a second shutdown is fine")
	}
}

// TestNodeAccounts begin with the node and end with it; an end is told until it
// is accepted.
func TestNodeAccounts(t *testing.T) {
	sink := new(consumertest.MetricsSink)
	r := &clusterRig{newCluster(t, clusterConfig(), sink), t, sink, &host{Host: componenttest.NewNopHost()}}
	r.own.host = r.host
	one := node.Node{Name: "a", Created: 1_790_000_000 * gpu.Time(time.Second), Ready: true, Capacity: map[string]int64{"nvidia.com/gpu": 8}}
	r.desk.Node(&one)
	nodes, _, _ := r.batch()
	require.Len(t, nodes, 1)
	bare := one
	bare.Capacity = nil
	r.desk.Node(&bare)
	nodes, _, _ = r.batch()
	require.Len(t, nodes, 1, "a plugin that is away takes no account away")
	require.Zero(t, nodes[0].Capacity)

	again := one
	again.Created += gpu.Time(time.Hour)
	r.desk.Node(&again)
	nodes, _, _ = r.batch()
	require.Len(t, nodes, 2)
	require.True(t, nodes[0].Ended, "another node of that name")
	require.Equal(t, one.Created, nodes[0].Begin)
	require.Equal(t, again.Created, nodes[0].Time, "it had gone by then")
	require.Equal(t, again.Created, nodes[1].Begin)

	before := r.desk.now()
	r.desk.NodeGone("a")
	after := r.desk.now()
	r.next = consumertest.NewErr(errors.New("full"))
	r.collect(t.Context())
	r.next = sink
	nodes, _, _ = r.batch()
	require.Len(t, nodes, 1)
	require.True(t, nodes[0].Ended)
	require.True(t, before < nodes[0].Time && nodes[0].Time < after, "dated by the news of it")
	nodes, _, _ = r.batch()
	require.Empty(t, nodes, "told once")
	require.Empty(t, r.desk.gone)
}

// TestDemandIsUnknown while the pods can't be watched: it isn't 0.
func TestDemandIsUnknown(t *testing.T) {
	sink := new(consumertest.MetricsSink)
	r := &clusterRig{newCluster(t, clusterConfig(), sink), t, sink, &host{Host: componenttest.NewNopHost()}}
	r.own.host = r.host
	p := tooBig("x")
	r.desk.Pending(&p)
	r.desk.PendingSynced()
	_, pending, _ := r.batch()
	require.Len(t, pending, 1)
	r.desk.PendingLost(errors.New("away"))
	_, pending, _ = r.batch()
	require.Empty(t, pending)
	p.Spec = corev1.PodSpec{}
	r.desk.Pending(&p)
	require.Zero(t, r.desk.pending(), "one that wants no GPU isn't followed")
	r.desk.PendingSynced()
	_, pending, _ = r.batch()
	require.Len(t, pending, 1, "what was asked for before")
	require.Zero(t, pending[0].Count, "nobody waits any more")
	r.desk.ClaimFailed(errors.New("away"))
	r.desk.SlicesLost(errors.New("away"))
	r.desk.SliceGone("s")
	r.desk.Slice(claim.Slice{Name: "s"})
	require.False(t, r.own.up(sourceSlices))
}
