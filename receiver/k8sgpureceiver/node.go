// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package k8sgpureceiver

import (
	"context"
	"maps"
	"slices"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/allocation"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/apiserver"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/node"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/pod"
)

// nodeDesk is where news of the own node arrive.
type nodeDesk struct{ *nodeReceiver }

var _ apiserver.NodeSink = nodeDesk{}

// Node takes the node as it is now.
func (d nodeDesk) Node(n *node.Node) { d.set(n) }

// NodeGone takes that the API server has no such node.
func (d nodeDesk) NodeGone(string) { d.set(nil) }

// NodesSynced takes that the node is watched.
func (d nodeDesk) NodesSynced() { d.own.answered(sourceNodes) }

// NodesLost takes that the node can't be watched. What was known stays.
func (d nodeDesk) NodesLost(err error) { d.own.failed(sourceNodes, err) }

func (d nodeDesk) set(n *node.Node) {
	d.desk.mu.Lock()
	defer d.desk.mu.Unlock()
	d.node, d.known.MemoryMiB = n, 0
	if n != nil {
		d.known.MemoryMiB = node.MemoryMiB(n.Labels)
	}
}

// host returns what is known of the node that gives its devices a price.
func (r *nodeReceiver) host() (n gpu.Node) {
	r.desk.mu.Lock()
	defer r.desk.mu.Unlock()
	if r.node != nil {
		r.node.Describe(&n, nil)
	}
	return n
}

// around returns what the node says of a pod's scheduling. The caller holds the
// desk's lock, as of imageSize.
func (r *nodeReceiver) around(*pod.Pod) (a pod.Around) {
	if r.node != nil {
		a.NodeCreated = r.node.Created
	}
	return a
}

// imageSize returns the size of an image of the node in bytes, 0 if it isn't known.
func (r *nodeReceiver) imageSize(reference string) int64 {
	if r.node == nil {
		return 0
	}
	return r.node.Images.Size(reference)
}

// lookUpNode begins to watch the node, if that is wanted and possible.
func (r *nodeReceiver) lookUpNode(ctx context.Context) {
	if !r.cfg.NodeLookup {
		return
	}
	r.own.uses(sourceNodes)
	client, err := apiserver.New(r.cfg.api())
	if err != nil {
		r.own.failed(sourceNodes, err)
		return
	}
	r.done.Go(func() { apiserver.WatchNodes(ctx, client, r.cfg.Node, nodeDesk{r}) })
}

// standing returns which devices can be given to pods, by all that is known. The
// caller holds the desk's lock.
func (r *nodeReceiver) standing(set *allocation.Set) []gpu.Availability {
	s := node.Standing{Time: set.Time, Plugins: set.Availability, Boards: slices.Collect(maps.Values(r.known.Minors))}
	if r.claims != nil {
		s.Offers = r.claims.GPUs()
	}
	if r.node == nil {
		return s.Availability()
	}
	s.Known, s.Closed = true, r.node.Closed(r.cfg.NodeTaints)
	return node.Withhold(s.Availability(), node.Unavailable(r.node.Labels))
}
