// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package counters

import (
	"cmp"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// Label is an attribute that describes an account.
type Label struct{ Name, Value string }

// Cluster is the name of the attribute that a page of the Prometheus exporter
// may lack: it is one of the resource.
const Cluster = "k8s.cluster.name"

// Labels are what describes an account beside its key. They are comparable.
type Labels [9]Label

// Labels returns what describes a.
func (a Account) Labels() Labels {
	class := ""
	if a.Class != gpu.ClassUnclassified {
		class = a.Class.String()
	}
	return Labels{
		{Cluster, a.Cluster},
		{"hw.parent", a.Parent},
		{"k8s.namespace.name", a.Namespace},
		{"k8s.pod.name", a.Pod},
		{"k8s.container.name", a.Container},
		{"gpu.workload.class", class},
		{"gpu.workload.kind", a.WorkloadKind},
		{"gpu.workload.name", a.Workload},
		{"gpu.workload.group", a.Group},
	}
}

// Identity is the key of an account and what describes it: where both are
// equal, it is the same.
type Identity struct {
	Key
	Labels Labels
}

// Identity returns the identity of a.
func (a Account) Identity() Identity { return Identity{a.Key(), a.Labels()} }

// compareAll orders accounts also where they are of one key.
func compareAll(a, b Account) int {
	order := Compare(a.Key(), b.Key())
	x, y := a.Labels(), b.Labels()
	for i := range x {
		order = cmp.Or(order, cmp.Compare(x[i].Value, y[i].Value))
	}
	return order
}
