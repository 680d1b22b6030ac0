// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package node

import (
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// Node is a node as the API server told of it.
type Node struct {
	Name    string
	Created gpu.Time // NoTime if it isn't told
	Labels  map[string]string

	// Capacity and Allocatable are the extended resources, by name.
	Capacity, Allocatable map[string]int64

	Unschedulable bool
	Ready         bool
	Taints        []string // keys of those that keep pods away
	Images        Images
}

// Read takes what is needed from a node. It keeps nothing of n.
func Read(n *corev1.Node) Node {
	out := Node{
		Name: n.Name, Labels: maps.Clone(n.Labels), Unschedulable: n.Spec.Unschedulable,
		Capacity: extended(n.Status.Capacity), Allocatable: extended(n.Status.Allocatable), Images: ReadImages(n.Status.Images),
	}
	if at := n.CreationTimestamp; at.Unix() >= int64(time.Duration(gpu.Earliest)/time.Second) && at.Year() < 2262 {
		out.Created = gpu.Time(at.UnixNano())
	}
	for i := range n.Spec.Taints {
		if t := &n.Spec.Taints[i]; t.Effect != corev1.TaintEffectPreferNoSchedule {
			out.Taints = append(out.Taints, t.Key)
		}
	}
	for i := range n.Status.Conditions {
		if c := &n.Status.Conditions[i]; c.Type == corev1.NodeReady {
			out.Ready = c.Status == corev1.ConditionTrue
		}
	}
	return out
}

func extended(list corev1.ResourceList) map[string]int64 {
	out := map[string]int64{}
	for name, quantity := range list {
		if strings.Contains(string(name), "/") {
			out[string(name)] = quantity.Value()
		}
	}
	return out
}

// outOfService are taints that say that the node takes no pods for now, or goes.
// Others only choose which pods it takes: nvidia.com/gpu is on most GPU nodes.
var outOfService = []string{
	"node.kubernetes.io/", "node.cloudprovider.kubernetes.io/", "node.cilium.io/", // not ready, unreachable, cordoned, under pressure, not set up
	"karpenter.sh/disrupted", "karpenter.sh/disruption", "karpenter.sh/unregistered",
	"ToBeDeletedByClusterAutoscaler",
	"cloud.google.com/impending-node-termination", "aws-node-termination-handler/",
}

// Closed returns why the node takes no pods, NoReason if it does: by itself, or
// by a taint whose key begins with one of those given.
func (n *Node) Closed(taints []string) gpu.Reason {
	if n.Unschedulable || !n.Ready {
		return gpu.ReasonNode
	}
	reason := gpu.NoReason
	for _, key := range n.Taints {
		begins := func(prefix string) bool { return strings.HasPrefix(key, prefix) }
		switch {
		case slices.ContainsFunc(outOfService, begins):
			return gpu.ReasonNode
		case slices.ContainsFunc(taints, begins):
			reason = gpu.ReasonTaint
		}
	}
	return reason
}

// Describe writes what the node is into its account. Labels that are named go
// along.
func (n *Node) Describe(to *gpu.Node, labels []string) {
	first := func(names ...string) string {
		for _, name := range names {
			if value := n.Labels[name]; value != "" {
				return value
			}
		}
		return ""
	}
	to.Name, to.Begin = n.Name, n.Created
	to.HostType = first(corev1.LabelInstanceTypeStable, corev1.LabelInstanceType)
	to.Region = first(corev1.LabelTopologyRegion, corev1.LabelFailureDomainBetaRegion)
	to.Zone = first(corev1.LabelTopologyZone, corev1.LabelFailureDomainBetaZone)
	to.CapacityType = n.capacityType()
	for _, name := range labels {
		if value, ok := n.Labels[name]; ok {
			if to.Labels == nil {
				to.Labels = map[string]string{}
			}
			to.Labels[name] = value
		}
	}
}

// payment says what the labels of providers mean, in lower case.
var payment = map[string]map[string]string{
	"karpenter.sh/capacity-type":            {"on-demand": gpu.CapacityOnDemand, "spot": gpu.CapacitySpot, "reserved": gpu.CapacityReserved},
	"eks.amazonaws.com/capacityType":        {"on_demand": gpu.CapacityOnDemand, "spot": gpu.CapacitySpot, "capacity_block": gpu.CapacityReserved},
	"cloud.google.com/gke-provisioning":     {"standard": gpu.CapacityOnDemand, "spot": gpu.CapacitySpot, "reservation": gpu.CapacityReserved},
	"cloud.google.com/gke-spot":             {"true": gpu.CapacitySpot},
	"cloud.google.com/gke-preemptible":      {"true": gpu.CapacitySpot},
	"kubernetes.azure.com/scalesetpriority": {"spot": gpu.CapacitySpot, "regular": gpu.CapacityOnDemand},
}

// capacityType returns how the node is paid for. Of labels that differ, the
// cheaper kind counts: providers set theirs only if it isn't the usual one.
func (n *Node) capacityType() string {
	found := map[string]bool{}
	for label, meanings := range payment {
		if value, ok := n.Labels[label]; ok {
			found[meanings[strings.ToLower(value)]] = true
		}
	}
	for _, kind := range []string{gpu.CapacitySpot, gpu.CapacityReserved, gpu.CapacityOnDemand} {
		if found[kind] {
			return kind
		}
	}
	return ""
}
