// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package k8sgpureceiver

import (
	"cmp"
	"maps"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/apiserver"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/claim"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/demand"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/deviceid"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/node"
)

// clusterDesk is where the news of the cluster arrive. Its methods return at
// once.
type clusterDesk struct {
	own     *telemetry
	now     func() gpu.Time
	catalog *deviceid.Catalog

	mu     sync.Mutex // guards what follows
	nodes  map[string]node.Node
	told   map[string]gpu.Node // accounts of the newest batch that was accepted
	gone   map[string]gpu.Time // when the ends of nodes arrived
	pods   map[string]demand.Pod
	claims *claim.Store
	asked  []gpu.Demand // of the newest one that knew what pods wait for
	synced bool         // the pods are known
	// readClaim asks the API server for a claim, nil if nobody asks.
	readClaim func(claim.Key)
}

var (
	_ apiserver.NodeSink    = (*clusterDesk)(nil)
	_ apiserver.PendingSink = (*clusterDesk)(nil)
	_ apiserver.ClaimSink   = (*clusterDesk)(nil)
	_ apiserver.RuleSink    = (*clusterDesk)(nil)
)

func newClusterDesk(own *telemetry, now func() gpu.Time, catalog *deviceid.Catalog) *clusterDesk {
	return &clusterDesk{
		own: own, now: now, catalog: catalog, nodes: map[string]node.Node{}, told: map[string]gpu.Node{}, gone: map[string]gpu.Time{},
		pods: map[string]demand.Pod{}, claims: &claim.Store{},
	}
}

// Node takes a node as it is now.
func (d *clusterDesk) Node(n *node.Node) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.nodes[n.Name] = *n
}

// NodeGone takes that there is no such node any more.
func (d *clusterDesk) NodeGone(name string) {
	at := d.now()
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.nodes, name)
	if _, told := d.told[name]; told {
		d.gone[name] = at
	}
}

// NodesSynced takes that all nodes are known.
func (d *clusterDesk) NodesSynced() { d.own.answered(sourceNodes) }

// NodesLost takes that nodes can't be watched. What is known is sent on.
func (d *clusterDesk) NodesLost(err error) { d.own.failed(sourceNodes, err) }

// Pending takes a pod that has no node.
func (d *clusterDesk) Pending(p *corev1.Pod) {
	read := demand.Read(p, d.catalog.IsGPU)
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(read.Wants) == 0 && len(read.Claims) == 0 {
		delete(d.pods, read.UID)
		return
	}
	d.pods[read.UID] = read
	for _, key := range read.Claims {
		if _, known := d.claims.Get(key); !known && d.readClaim != nil {
			d.readClaim(key)
		}
	}
}

// NotPending takes that a pod has a node, or is gone.
func (d *clusterDesk) NotPending(uid string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.pods, uid)
}

// PendingSynced takes that all pods without a node are known.
func (d *clusterDesk) PendingSynced() {
	d.own.answered(sourcePending)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.synced = true
}

// PendingLost takes that pods can't be watched: what they wait for isn't known.
func (d *clusterDesk) PendingLost(err error) {
	d.own.failed(sourcePending, err)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.synced = false
}

// Claim takes a claim.
func (d *clusterDesk) Claim(c claim.Claim) {
	d.own.answered(sourceClaims)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.claims.Put(c)
}

// ClaimFailed takes that a claim couldn't be read.
func (d *clusterDesk) ClaimFailed(err error) { d.own.failed(sourceClaims, err) }

// Slice takes a slice.
func (d *clusterDesk) Slice(s claim.Slice) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.claims.PutSlice(s)
}

// SliceGone takes that a slice is gone.
func (d *clusterDesk) SliceGone(name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.claims.DropSlice(name)
}

// SlicesSynced takes that all slices are known.
func (d *clusterDesk) SlicesSynced() { d.own.answered(sourceSlices) }

// SlicesLost takes that slices can't be watched. What is known stays.
func (d *clusterDesk) SlicesLost(err error) { d.own.failed(sourceSlices, err) }

// Rule takes a rule that taints devices.
func (d *clusterDesk) Rule(r claim.Rule) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.claims.PutRule(r)
}

// RuleGone takes that a rule is gone.
func (d *clusterDesk) RuleGone(name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.claims.DropRule(name)
}

// RulesSynced takes that all rules are known.
func (d *clusterDesk) RulesSynced() { d.own.answered(sourceRules) }

// RulesLost takes that rules can't be watched. What is known stays.
func (d *clusterDesk) RulesLost(err error) { d.own.failed(sourceRules, err) }

// pending returns how many pods are followed.
func (d *clusterDesk) pending() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.pods)
}

// view returns what is known now.
func (d *clusterDesk) view(cfg *Config) clusterView {
	at := d.now()
	d.mu.Lock()
	defer d.mu.Unlock()
	v := clusterView{at: at, nodes: d.accounts(cfg, at), known: d.synced}
	d.askForClaims()
	if v.known {
		pods := slices.Collect(maps.Values(d.pods))
		v.demand = demand.Sum(pods, d.claims, at, cfg.ClusterName)
		v.demand = append(v.demand, demand.Zeros(d.asked, v.demand, at)...)
	}
	return v
}

// accounts returns the accounts of all nodes that have GPUs, or had them in the
// newest batch, and the ends of those that are gone.
func (d *clusterDesk) accounts(cfg *Config, at gpu.Time) []gpu.Node {
	offers := map[string][]claim.Offer{}
	for _, o := range d.claims.GPUs() {
		offers[o.Node] = append(offers[o.Node], o)
	}
	var out []gpu.Node
	for _, name := range slices.Sorted(maps.Keys(d.nodes)) {
		n := d.nodes[name]
		account := gpu.Node{Cluster: cfg.ClusterName, Time: at}
		n.Describe(&account, cfg.NodeLabels)
		account.Capacity, account.Allocatable = n.GPUs(d.catalog, offers[name])
		before, had := d.told[name]
		if had && before.Begin != account.Begin { // another node of that name
			out = append(out, ended(before, cmp.Or(d.gone[name], account.Begin, at)))
		}
		if had || account.Capacity > 0 {
			out = append(out, account)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(d.told)) {
		if _, still := d.nodes[name]; !still {
			out = append(out, ended(d.told[name], cmp.Or(d.gone[name], at)))
		}
	}
	return out
}

func ended(n gpu.Node, at gpu.Time) gpu.Node {
	n.Time, n.Ended, n.Capacity, n.Allocatable = at, true, 0, 0
	return n
}

// askForClaims asks for the claims of pods that aren't known, and forgets those
// of which no pod is left. The caller holds the lock.
func (d *clusterDesk) askForClaims() {
	used := map[claim.Key]bool{}
	for uid := range d.pods {
		for _, key := range d.pods[uid].Claims {
			used[key] = true
			if _, known := d.claims.Get(key); !known && d.readClaim != nil {
				d.readClaim(key)
			}
		}
	}
	d.claims.Keep(used)
}

// sent says that a view was accepted: the ends that it told aren't repeated.
func (d *clusterDesk) sent(v *clusterView) {
	d.mu.Lock()
	defer d.mu.Unlock()
	clear(d.told)
	for i := range v.nodes {
		if v.nodes[i].Ended {
			delete(d.gone, v.nodes[i].Name)
		} else {
			d.told[v.nodes[i].Name] = v.nodes[i]
		}
	}
	if v.known { // else its series go on from where they were
		d.asked = v.demand
	}
}
