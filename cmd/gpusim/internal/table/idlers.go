// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package table

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/counters"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// pod is a holder with the time of all its devices.
type pod struct {
	counters.Account
	devices map[string]gpu.Attribution
}

// byPod adds up the accounts of each pod, in order of namespace and name.
func byPod(accounts []counters.Account) []pod {
	pods := make(map[string]*pod)
	for _, a := range accounts {
		if !a.Held() {
			continue
		}
		key := cmp.Or(a.PodUID, a.Namespace+"/"+a.Pod)
		if pods[key] == nil {
			pods[key] = &pod{
				Account: counters.Account{Namespace: a.Namespace, Pod: a.Pod, PodUID: a.PodUID, Class: a.Class},
				devices: make(map[string]gpu.Attribution),
			}
		}
		pods[key].Add(a)
		pods[key].devices[a.Device] = a.Attribution
	}
	sorted := make([]pod, 0, len(pods))
	for _, p := range pods {
		sorted = append(sorted, *p)
	}
	slices.SortFunc(sorted, func(a, b pod) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Pod, b.Pod), cmp.Compare(a.PodUID, b.PodUID))
	})
	return sorted
}

// MostIdle prints the n pods with the most idle time, in GPU-hours.
func MostIdle(accounts []counters.Account, n int) string {
	pods := byPod(accounts)
	slices.SortStableFunc(pods, func(a, b pod) int { return cmp.Compare(idleTime.of(b.Account), idleTime.of(a.Account)) })
	n = min(n, len(pods))
	shown := []figure{allocatedTime, idleTime, activeTime, productiveTime}
	head := []string{"pod", "class", "held", "idle mostly"}
	for _, f := range shown {
		head = append(head, f.title)
	}
	g := grid{texts: 4, rows: [][]string{head}}
	for _, p := range pods[:n] {
		cells := []string{p.Namespace + "/" + p.Pod, p.Class.String(), p.held(), p.idleMostly()}
		for _, f := range shown {
			cells = append(cells, hours().text(f.of(p.Account)))
		}
		g.add(cells...)
	}
	return fmt.Sprintf("Pods with the most idle time (%d of %d), in GPU-hours\n\n%s", n, len(pods), g.String())
}

// held says what the pod held.
func (p pod) held() string {
	kinds := make(map[string]int)
	for _, attribution := range p.devices {
		switch attribution {
		case gpu.PartitionAttribution:
			kinds["MIG"]++
		case gpu.EqualAttribution, gpu.ProcessAttribution:
			kinds["shared"]++
		default:
			kinds["GPU"]++
		}
	}
	var held []string
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		held = append(held, fmt.Sprintf("%d %s", kinds[kind], kind))
	}
	return strings.Join(held, ", ")
}

// idleMostly is the reason of most of the pod's idle time.
func (p pod) idleMostly() string {
	var most gpu.Reason
	for _, r := range gpu.Idle.Reasons() {
		if p.Sum(counters.Because(gpu.Idle, r)) > p.Sum(counters.Because(gpu.Idle, most)) {
			most = r
		}
	}
	return words(most)
}
