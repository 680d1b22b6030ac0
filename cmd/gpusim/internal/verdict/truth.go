// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"cmp"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/counters"
	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/truth"
	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/watch"
)

// Truth returns what a collector has to export of some nodes that it was fed
// with package feed.
func Truth(nodes []*watch.Node, rules truth.Rules) []counters.Account {
	var accounts []counters.Account
	for _, n := range nodes {
		for _, a := range truth.Accounts(n, rules, nodes...) {
			accounts = append(accounts, accountOf(n, a))
		}
	}
	return accounts
}

func accountOf(n *watch.Node, a truth.Account) counters.Account {
	return counters.Account{
		Cluster:      a.Device.Cluster,
		Node:         n.Name,
		Device:       cmp.Or(string(a.Device.ID), a.Device.Ref),
		Parent:       string(a.Device.Parent),
		Namespace:    a.Holder.Namespace,
		Pod:          a.Holder.Pod,
		PodUID:       a.Holder.PodUID,
		Container:    a.Holder.Container,
		WorkloadKind: a.Holder.Workload.Kind,
		Workload:     a.Holder.Workload.Name,
		Class:        a.Holder.Workload.Class,
		Group:        a.Holder.Workload.Group,
		Attribution:  a.Attribution,
		States:       a.States,
		Allocated:    a.Allocated,
		Active:       a.Active,
		Productive:   a.Productive,
		Entitled:     a.Entitled,
	}
}
