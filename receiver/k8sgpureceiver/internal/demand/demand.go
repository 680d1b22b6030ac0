// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Package demand says what pods without a node ask for, why they have none, and
// for how long they have waited. It is pure: what the API server said is passed
// in.
package demand

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/claim"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/pod"
)

// Pod is a pod that has no node.
type Pod struct {
	UID       string
	Namespace string
	Created   gpu.Time
	Wants     map[string]int64 // extended resources, by name
	Claims    []claim.Key      // in order, each once
	Reason    gpu.DemandReason
}

// Read takes what is needed from a pod; isGPU says which resources are. It
// keeps nothing of p.
func Read(p *corev1.Pod, isGPU func(resource string) bool) Pod {
	read := pod.Read(p)
	out := Pod{UID: read.UID, Namespace: read.Namespace, Created: read.Created, Wants: map[string]int64{}}
	resources := map[string]bool{}
	for i := range read.Containers {
		c := &read.Containers[i]
		for resource := range c.Requests {
			if isGPU(resource) {
				resources[resource] = true
			}
		}
		for _, use := range c.Claims {
			if key := (claim.Key{Namespace: out.Namespace, Name: use.Name}); use.Name != "" && !slices.Contains(out.Claims, key) {
				out.Claims = append(out.Claims, key)
			}
		}
	}
	for resource := range resources {
		out.Wants[resource] = wants(read.Containers, resource)
	}
	out.Reason = reason(p, resources)
	return out
}

// wants returns how much of a resource a pod needs at once: that of all main
// containers and sidecars, or of one init container with the sidecars that
// started before it.
func wants(containers []pod.Container, resource string) int64 {
	sidecars, most, main := int64(0), int64(0), int64(0)
	for i := range containers {
		n := min(containers[i].Requests[resource], 1<<31)
		switch {
		case containers[i].Sidecar:
			sidecars += n
		case containers[i].Init:
			most = max(most, sidecars+n)
		default:
			main += n
		}
	}
	return max(main+sidecars, most)
}

// reason says why a pod has no node. The scheduler tells only by text whether it
// is for lack of GPUs.
func reason(p *corev1.Pod, resources map[string]bool) gpu.DemandReason {
	if len(p.Spec.SchedulingGates) > 0 {
		return gpu.DemandGated
	}
	if p.Status.NominatedNodeName != "" {
		return gpu.DemandNominated
	}
	for i := range p.Status.Conditions {
		c := &p.Status.Conditions[i]
		switch {
		case c.Type != corev1.PodScheduled || c.Status != corev1.ConditionFalse:
		case c.Reason == corev1.PodReasonSchedulingGated:
			return gpu.DemandGated
		case strings.Contains(c.Message, "cannot allocate all claims"):
			return gpu.DemandNoGPU
		default:
			for resource := range resources {
				if insufficient(c.Message, resource) {
					return gpu.DemandNoGPU
				}
			}
			return gpu.DemandUnfit
		}
	}
	return gpu.DemandNotTried
}

// insufficient reports whether a message says that there is too little of a
// resource, not of one whose name begins with its name.
func insufficient(message, resource string) bool {
	_, after, found := strings.Cut(message, "Insufficient "+resource)
	for found {
		if after == "" || strings.HasPrefix(after, ",") || strings.HasPrefix(after, ". ") || after == "." {
			return true
		}
		_, after, found = strings.Cut(after, "Insufficient "+resource)
	}
	return false
}

// Sum adds up what pods ask for at a time. Claims that aren't known count once
// they are; those that are allocated already ask for nothing.
func Sum(pods []Pod, claims *claim.Store, now gpu.Time, cluster string) []gpu.Demand {
	sums := map[gpu.Demand]int{}
	counted := map[claim.Key]bool{}
	ordered := slices.SortedFunc(slices.Values(pods), func(a, b Pod) int { return cmp.Or(cmp.Compare(a.Created, b.Created), cmp.Compare(a.UID, b.UID)) })
	for _, p := range ordered {
		key := gpu.Demand{Cluster: cluster, Namespace: p.Namespace, Time: now, Reason: p.Reason, Age: age(now.Sub(p.Created))}
		add := func(resource string, n int64) {
			if n > 0 {
				key.Resource = resource
				sums[key] += int(n)
			}
		}
		for resource, n := range p.Wants {
			add(resource, n)
		}
		for _, name := range p.Claims {
			c, known := claims.Get(name)
			if !known || counted[name] || len(c.Grants) > 0 {
				continue
			}
			counted[name] = true // of several pods with one claim, the oldest
			for class, n := range c.Wants {
				add(class, n)
			}
		}
	}
	out := make([]gpu.Demand, 0, len(sums))
	for d, n := range sums {
		d.Count = min(n, 1<<31-1)
		out = append(out, d)
	}
	slices.SortFunc(out, Compare)
	return out
}

// Compare orders demand by all but its time and count.
func Compare(a, b gpu.Demand) int {
	return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Resource, b.Resource), cmp.Compare(a.Reason, b.Reason), cmp.Compare(a.Age, b.Age))
}

func age(d time.Duration) gpu.DemandAge {
	switch {
	case d < time.Minute:
		return gpu.DemandUnderMinute
	case d < 10*time.Minute:
		return gpu.DemandUnderTen
	case d < time.Hour:
		return gpu.DemandUnderHour
	}
	return gpu.DemandOverHour
}

// Zeros returns points of value 0 for what the newest demand lacks of the one
// before: else a chart would go on with the last value.
func Zeros(before, newest []gpu.Demand, now gpu.Time) []gpu.Demand {
	has := map[gpu.Demand]bool{}
	series := func(d gpu.Demand) gpu.Demand {
		d.Time, d.Count = now, 0
		return d
	}
	for _, d := range newest {
		has[series(d)] = true
	}
	missing := map[gpu.Demand]bool{}
	for _, d := range before {
		if key := series(d); d.Count > 0 && !has[key] {
			missing[key] = true
		}
	}
	return slices.SortedFunc(maps.Keys(missing), Compare)
}
