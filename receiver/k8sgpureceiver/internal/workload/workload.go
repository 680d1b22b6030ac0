// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"cmp"
	"strings"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/pod"
)

// DefaultClassLabel is the label of a pod that says its class.
const DefaultClassLabel = "gpu.workload.class"

// DefaultGroupLabel is the label of a pod that says its group.
const DefaultGroupLabel = "gpu.workload.group"

// Rules say which labels decide; an annotation of that name does as well.
type Rules struct {
	ClassLabel   string
	GroupLabel   string
	StorageLabel string
}

// Owners finds the controller of an object. It returns false if the object
// isn't known or has none.
type Owners func(of pod.Owner, namespace string) (pod.Owner, bool)

// deepest is more owners than any pod has above it; a chain may be a ring.
const deepest = 8

// told returns what a pod's label or annotation says, "" if there is none.
func told(p *pod.Pod, name string) string {
	if name == "" {
		return ""
	}
	return cmp.Or(p.Labels[name], p.Annotations[name])
}

// Identify returns what a pod belongs to. Without access to the API only the
// pod's own owner is known: owners is nil.
func (r *Rules) Identify(p *pod.Pod, owners Owners) gpu.Workload {
	top := r.top(p, owners)
	w := gpu.Workload{Kind: top.Kind, Name: top.Name}
	if top.Kind == "" {
		w.Kind, w.Name = "Pod", p.Name
	}
	w.Class = r.class(p, top)
	w.Group = r.group(p, top)
	return w
}

func (r *Rules) top(p *pod.Pod, owners Owners) pod.Owner {
	top := p.Owner
	if owners != nil {
		for range deepest {
			next, ok := owners(top, p.Namespace)
			if !ok {
				break
			}
			top = next
		}
	}
	switch top.Kind {
	case "ReplicaSet":
		return deployment(p, top)
	case "RayCluster":
		return rayOrigin(p, top)
	}
	return top
}

// deployment returns the Deployment of a ReplicaSet whose own owner isn't
// known: the Deployment's controller names it after itself and the hash that it
// also puts on the pods.
func deployment(p *pod.Pod, set pod.Owner) pod.Owner {
	hash := p.Labels["pod-template-hash"]
	name, ok := strings.CutSuffix(set.Name, "-"+hash)
	if hash == "" || !ok || name == "" {
		return set
	}
	return pod.Owner{Group: set.Group, Kind: "Deployment", Name: name}
}

// rayOrigin returns the RayJob or RayService of a RayCluster whose own owner
// isn't known: KubeRay labels with them what it makes for them.
func rayOrigin(p *pod.Pod, cluster pod.Owner) pod.Owner {
	kind, name := p.Labels["ray.io/originated-from-crd"], p.Labels["ray.io/originated-from-cr-name"]
	if kind == "" || name == "" || kind == cluster.Kind {
		return cluster
	}
	return pod.Owner{Group: cluster.Group, Kind: kind, Name: name}
}
