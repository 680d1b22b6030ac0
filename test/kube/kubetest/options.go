// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package kubetest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/otelcol-gpu/otelcol-gpu/test/kube/internal/gpuplugin"
)

// The resources of a node, unless Options say otherwise.
const (
	GPU    = "nvidia.com/gpu"         // four whole GPUs
	Shared = "nvidia.com/gpu.shared"  // one GPU in four slots, ids GPU-…::0 to ::3
	MIG    = "nvidia.com/mig-1g.10gb" // two instances, each on two NUMA nodes
)

// Options are how a cluster differs from one as shipped.
type Options struct {
	// FeatureGates are set everywhere: {"PodsAPI": false}.
	FeatureGates map[string]bool
	// NodeLabels are labels of the node.
	NodeLabels map[string]string
	// Resources are what the device plugin offers; nil are those above.
	Resources []Resource
}

// Resource is an extended resource with the ids of its devices.
type Resource = gpuplugin.Resource

// Device is one id of a resource.
type Device = gpuplugin.Device

// DefaultResources are what a node offers unless it's told otherwise.
func DefaultResources() []Resource {
	return []Resource{
		gpuplugin.Whole(GPU, 0, 1, 2, 3),
		gpuplugin.TimeSliced(Shared, 4, 4),
		gpuplugin.Instances(MIG, 0, 1),
	}
}

// pairs writes a map as the flags of Kubernetes want it: a=1,b=2.
func pairs[V any](m map[string]V) string {
	var list []string
	for _, key := range slices.Sorted(maps.Keys(m)) {
		list = append(list, fmt.Sprintf("%s=%v", key, m[key]))
	}
	return strings.Join(list, ",")
}
