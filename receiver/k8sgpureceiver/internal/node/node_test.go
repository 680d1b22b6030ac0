// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package node

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/claim"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/deviceid"
)

const now = gpu.Earliest + 1000*gpu.Time(time.Second)

func uuid(n string) string { return "GPU-00000000-0000-4000-8000-0000000000" + n }

func offer(name string, change func(*claim.Offer)) claim.Offer {
	o := claim.Offer{ID: claim.ID{Driver: "gpu.nvidia.com", Pool: "n", Device: name}}
	if change != nil {
		change(&o)
	}
	return o
}

func TestRead(t *testing.T) {
	n := Read(&corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: "n", CreationTimestamp: metav1.Unix(1_700_000_000, 0), Labels: map[string]string{"a": "b"}},
		Spec: corev1.NodeSpec{Unschedulable: true, Taints: []corev1.Taint{
			{Key: "x", Effect: corev1.TaintEffectNoSchedule}, {Key: "y", Effect: corev1.TaintEffectPreferNoSchedule}, {Key: "z", Effect: corev1.TaintEffectNoExecute},
		}},
		Status: corev1.NodeStatus{
			Capacity:    corev1.ResourceList{"cpu": resource.MustParse("4"), "nvidia.com/gpu": resource.MustParse("8")},
			Allocatable: corev1.ResourceList{"nvidia.com/gpu": resource.MustParse("7")},
			Conditions:  []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}},
			Images:      []corev1.ContainerImage{{Names: []string{"a:1"}, SizeBytes: 7}},
		},
	})
	require.Equal(t, Node{
		Name: "n", Created: gpu.Time(1_700_000_000 * time.Second), Labels: map[string]string{"a": "b"}, Unschedulable: true, Ready: true,
		Capacity: map[string]int64{"nvidia.com/gpu": 8}, Allocatable: map[string]int64{"nvidia.com/gpu": 7}, Taints: []string{"x", "z"}, Images: Images{"docker.io/library/a:1": 7},
	}, n)
	require.Equal(t, gpu.NoTime, func() gpu.Time { n := Read(&corev1.Node{}); return n.Created }())
}

func TestGPUs(t *testing.T) {
	mig := func(o *claim.Offer) { o.Type, o.Parent = "mig", uuid("01") }
	for name, c := range map[string]struct {
		labels      map[string]string
		capacity    map[string]int64
		allocatable map[string]int64
		offers      []claim.Offer
		want        [2]int
	}{
		"none":         {nil, map[string]int64{"example.com/nic": 4}, nil, nil, [2]int{0, 0}},
		"whole":        {nil, map[string]int64{"nvidia.com/gpu": 8}, map[string]int64{"nvidia.com/gpu": 7}, nil, [2]int{8, 7}},
		"plugin away":  {nil, map[string]int64{"nvidia.com/gpu": 8}, map[string]int64{"nvidia.com/gpu": 0}, nil, [2]int{8, 0}},
		"time slicing": {map[string]string{"nvidia.com/gpu.replicas": "4"}, map[string]int64{"nvidia.com/gpu": 32}, map[string]int64{"nvidia.com/gpu": 28}, nil, [2]int{8, 7}},
		"renamed slots": {
			map[string]string{"nvidia.com/gpu.replicas": "2"}, map[string]int64{"nvidia.com/gpu.shared": 8}, map[string]int64{"nvidia.com/gpu.shared": 8}, nil, [2]int{4, 4},
		},
		"gke": {
			map[string]string{"cloud.google.com/gke-max-shared-clients-per-gpu": "5"}, map[string]int64{"nvidia.com/gpu": 5}, map[string]int64{"nvidia.com/gpu": 5}, nil, [2]int{1, 1},
		},
		"mig mixed": {
			nil,
			map[string]int64{"nvidia.com/mig-1g.10gb": 7, "nvidia.com/mig-3g.40gb": 2, "nvidia.com/mig-1g.10gb.me": 1},
			map[string]int64{"nvidia.com/mig-1g.10gb": 7},
			nil,
			[2]int{2, 1},
		},
		"mig single": {
			map[string]string{"nvidia.com/gpu.product": "NVIDIA-H100-MIG-1g.10gb", "nvidia.com/gpu.count": "14", "nvidia.com/gpu.slices.gi": "1"},
			map[string]int64{"nvidia.com/gpu": 14},
			map[string]int64{"nvidia.com/gpu": 14},
			nil,
			[2]int{2, 2},
		},
		"before the plugin runs": {map[string]string{"karpenter.k8s.aws/instance-gpu-count": "8"}, nil, nil, nil, [2]int{8, 0}},
		"silly labels": {
			map[string]string{"nvidia.com/gpu.count": "-3", "nvidia.com/gpu.replicas": "x", "karpenter.k8s.aws/instance-gpu-count": "99999999"},
			map[string]int64{"nvidia.com/gpu": 2},
			map[string]int64{"nvidia.com/gpu": 3},
			nil,
			[2]int{2, 2},
		},
		"others": {nil, map[string]int64{"amd.com/gpu": 4, "gpu.intel.com/xe": 2}, map[string]int64{"amd.com/gpu": 4}, nil, [2]int{6, 4}},
		"dra": {
			nil, nil, nil,
			[]claim.Offer{
				offer("gpu-0", func(o *claim.Offer) { o.UUID, o.Taints = uuid("00"), []string{"gpu.nvidia.com/xid"} }),
				offer("a", mig), offer("b", mig), offer("gpu-2", func(o *claim.Offer) { o.UUID = uuid("02") }),
				offer("gpu-vfio-2", func(o *claim.Offer) { o.Type = "vfio" }), offer("gpu-vfio-3", func(o *claim.Offer) { o.Type = "vfio" }),
				{ID: claim.ID{Driver: "nic.example.com"}},
			},
			[2]int{4, 3},
		},
		"dra and a plugin for the same": {
			nil,
			map[string]int64{"nvidia.com/gpu": 1},
			map[string]int64{"nvidia.com/gpu": 1},
			[]claim.Offer{offer("gpu-0", func(o *claim.Offer) { o.UUID = uuid("00") })},
			[2]int{1, 1},
		},
	} {
		n := Node{Labels: c.labels, Capacity: c.capacity, Allocatable: c.allocatable}
		capacity, allocatable := n.GPUs(&deviceid.Catalog{}, c.offers)
		require.Equal(t, c.want, [2]int{capacity, allocatable}, name)
	}
}

// TestPropGPUs: whatever a node says, there are no fewer than none, and not more
// to give than there are.
func TestPropGPUs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom([]string{"nvidia.com/gpu", "nvidia.com/gpu.shared", "nvidia.com/mig-1g.5gb", "nvidia.com/mig-9g.x", "nvidia.com/mig-x", "amd.com/gpu", "a/b"})
		resources := rapid.MapOfN(name, rapid.Int64(), 0, 4)
		label := rapid.SampledFrom([]string{"nvidia.com/gpu.count", "nvidia.com/gpu.replicas", "nvidia.com/gpu.product", "nvidia.com/gpu.slices.gi", "cloud.google.com/gke-accelerator-count"})
		n := Node{
			Labels:   rapid.MapOfN(label, rapid.SampledFrom([]string{"", "0", "2", "7", "x-MIG-1g", "9223372036854775807"}), 0, 4).Draw(t, "labels"),
			Capacity: resources.Draw(t, "capacity"), Allocatable: resources.Draw(t, "allocatable"),
		}
		capacity, allocatable := n.GPUs(&deviceid.Catalog{}, nil)
		if capacity < 0 || capacity > mostGPUsOfANode || allocatable < 0 || allocatable > capacity {
			t.Fatalf("%d of %d", allocatable, capacity)
		}
	})
}

func TestClosed(t *testing.T) {
	for name, c := range map[string]struct {
		node Node
		want gpu.Reason
	}{
		"open":          {Node{Ready: true}, gpu.NoReason},
		"cordoned":      {Node{Ready: true, Unschedulable: true}, gpu.ReasonNode},
		"not ready":     {Node{}, gpu.ReasonNode},
		"for GPUs only": {Node{Ready: true, Taints: []string{"nvidia.com/gpu"}}, gpu.NoReason},
		"goes":          {Node{Ready: true, Taints: []string{"ours/repair", "karpenter.sh/disrupted"}}, gpu.ReasonNode},
		"configured":    {Node{Ready: true, Taints: []string{"ours/repair", "nvidia.com/gpu"}}, gpu.ReasonTaint},
	} {
		require.Equal(t, c.want, c.node.Closed([]string{"ours/"}), name)
	}
}

func TestDescribe(t *testing.T) {
	n := Node{Name: "n", Created: now, Labels: map[string]string{
		"node.kubernetes.io/instance-type": "p5", "beta.kubernetes.io/instance-type": "old", "topology.kubernetes.io/region": "r",
		"topology.kubernetes.io/zone": "z", "karpenter.sh/capacity-type": "spot", "team": "ml", "empty": "",
	}}
	var out gpu.Node
	n.Describe(&out, []string{"team", "empty", "none"})
	require.Equal(t, gpu.Node{
		Name: "n", Begin: now, HostType: "p5", Region: "r", Zone: "z", CapacityType: "spot", Labels: map[string]string{"team": "ml", "empty": ""},
	}, out)
	for label, want := range map[[2]string]string{
		{"eks.amazonaws.com/capacityType", "ON_DEMAND"}: gpu.CapacityOnDemand, {"eks.amazonaws.com/capacityType", "CAPACITY_BLOCK"}: gpu.CapacityReserved,
		{"cloud.google.com/gke-spot", "true"}: gpu.CapacitySpot, {"cloud.google.com/gke-spot", "false"}: "", {"karpenter.sh/capacity-type", "new"}: "", {"x", "spot"}: "",
	} {
		n.Labels = map[string]string{label[0]: label[1]}
		require.Equal(t, want, n.capacityType(), label)
	}
}

func TestAvailability(t *testing.T) {
	id := func(n string) gpu.DeviceID { return gpu.DeviceID(uuid(n)) }
	s := Standing{
		Time:    now,
		Plugins: []gpu.Availability{{Device: id("00"), Time: now, Available: true}, {Device: id("01"), Time: now, Reason: gpu.ReasonHealth}},
		Offers: []claim.Offer{
			offer("gpu-1", func(o *claim.Offer) { o.UUID = uuid("01") }),
			offer("gpu-2", func(o *claim.Offer) { o.UUID, o.Taints = uuid("02"), []string{"ours", "gpu.nvidia.com/xid"} }),
			offer("gpu-3", func(o *claim.Offer) { o.UUID, o.Taints = uuid("03"), []string{"ours"} }),
			offer("gpu-4", func(o *claim.Offer) { o.UUID = uuid("04") }),
			offer("mig", func(o *claim.Offer) { o.Type, o.Parent = "mig", uuid("05") }),
		},
		Boards: []gpu.DeviceID{id("06"), id("00")},
	}
	point := func(n string, reason gpu.Reason) gpu.Availability {
		return gpu.Availability{Device: id(n), Time: now, Available: reason == gpu.NoReason, Reason: reason}
	}
	require.Equal(t, []gpu.Availability{
		point("00", gpu.NoReason), point("01", gpu.ReasonHealth), point("02", gpu.ReasonHealth), point("03", gpu.ReasonTaint), point("04", gpu.NoReason),
	}, s.Availability())
	s.Known = true
	require.Len(t, s.Availability(), 7, "all that are known")
	require.Equal(t, point("06", gpu.NoReason), s.Availability()[6])
	s.Closed = gpu.ReasonNode
	require.Equal(t, []gpu.Availability{
		point("00", gpu.ReasonNode), point("01", gpu.ReasonHealth), point("02", gpu.ReasonHealth), point("03", gpu.ReasonTaint), point("04", gpu.ReasonNode),
		point("05", gpu.ReasonNode), point("06", gpu.ReasonNode),
	}, s.Availability(), "what is wrong with the device counts first")
}
