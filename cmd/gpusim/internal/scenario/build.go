// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"strconv"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/world"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// build makes a world: the nodes of the scenario, copied until there are
// enough.
func (s *Scenario) build() (*world.World, error) {
	w := &world.World{Start: s.Start, End: s.Start.Add(s.Duration)}
	pods := 0
	for n := 0; len(w.Nodes) < s.nodes; n++ {
		b := &builder{spec: s.spec, start: w.Start, end: w.End, copies: n, pods: pods, nodes: map[string]*nodeBuilder{}}
		if err := b.build(s.nodes - len(w.Nodes)); err != nil {
			return nil, err
		}
		for _, node := range b.order {
			w.Nodes = append(w.Nodes, node.node)
		}
		pods = b.pods
	}
	return w, nil
}

// builder makes the nodes of one copy.
type builder struct {
	spec       *spec
	start, end gpu.Time
	copies     int // before this one
	pods       int // so far
	nodes      map[string]*nodeBuilder
	order      []*nodeBuilder
	left       map[string]bool // nodes of which there were enough
	names      map[string]bool // of pods
}

func (b *builder) at(d time.Duration) gpu.Time { return b.start.Add(d) }

// span is that of length long from at on, within the world.
func (b *builder) span(at, long time.Duration) world.Span {
	return span(b.at(at), min(b.at(at).Add(long), b.end))
}

// copied is the name of something in this copy.
func (b *builder) copied(name string) string {
	if b.copies == 0 || name == "" {
		return name
	}
	return name + "-r" + strconv.Itoa(b.copies)
}

// build makes at most this many nodes.
func (b *builder) build(most int) error {
	b.left, b.names = map[string]bool{}, map[string]bool{}
	for i := range b.spec.Nodes {
		if err := b.addNodes(i, most); err != nil {
			return err
		}
	}
	if err := b.addFaults(); err != nil {
		return err
	}
	for i := range b.spec.Pods {
		if err := b.addPods(i); err != nil {
			return err
		}
	}
	for _, n := range b.order {
		if err := n.finish(); err != nil {
			return err
		}
	}
	return nil
}

// node returns the node that a key names, nil if it was left out.
func (b *builder) node(name, path string) (*nodeBuilder, error) {
	n := b.nodes[name]
	if n == nil && !b.left[name] {
		return nil, mistake(path, quote(name), "the name of a node")
	}
	return n, nil
}
