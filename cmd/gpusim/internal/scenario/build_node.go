// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"fmt"
	"strconv"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/world"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// nodeBuilder makes a node.
type nodeBuilder struct {
	node      *world.Node
	devices   []*deviceBuilder // by index
	instances []*deviceBuilder // of all boards and layouts
}

// addNodes makes the nodes of an entry.
func (b *builder) addNodes(i, most int) error {
	s, path := &b.spec.Nodes[i], entry("nodes", i)
	for n := range s.Count {
		name := s.Name
		if s.Count > 1 {
			name += "-" + strconv.Itoa(n)
		}
		if b.nodes[name] != nil || b.left[name] {
			return mistake(path+".name", quote(name), "another name: a node has it already")
		}
		if len(b.order) == most {
			b.left[name] = true
			continue
		}
		node, err := b.newNode(s, b.copied(name), path)
		if err != nil {
			return err
		}
		b.nodes[name] = node
		b.order = append(b.order, node)
	}
	return nil
}

func (b *builder) newNode(s *nodeSpec, name, path string) (*nodeBuilder, error) {
	n := &nodeBuilder{node: &world.Node{Name: name, Cluster: b.spec.Cluster}}
	for i := range s.Devices {
		id := "GPU-" + uuid(b.spec.Seed, "device", name, strconv.Itoa(i))
		d := &world.Device{
			Device: gpu.Device{ID: gpu.DeviceID(id), Node: name, Cluster: b.spec.Cluster, Model: s.Model},
			Life:   span(b.start, b.end),
		}
		n.node.Devices = append(n.node.Devices, d)
		n.devices = append(n.devices, &deviceBuilder{device: d, index: i, limit: s.Memory, sharing: gpu.Exclusive, slots: 1})
	}
	for i, shared := range s.Shared {
		d, err := n.plain(shared.Device, fmt.Sprintf("%s.shared[%d].device", path, i))
		if err != nil {
			return nil, err
		}
		d.sharing, d.slots = gpu.Sharing(shared.Sharing), int64(shared.Slots)
	}
	for i := range s.MIG {
		if err := b.addBoard(n, &s.MIG[i], entry(path+".mig", i)); err != nil {
			return nil, err
		}
	}
	return n, b.addForeign(n, s, path)
}

// device returns the device with an index.
func (n *nodeBuilder) device(index int, path string) (*deviceBuilder, error) {
	if index < 0 || index >= len(n.devices) {
		return nil, mistake(path, index, "the index of a device of %s, 0 to %d", n.node.Name, len(n.devices)-1)
	}
	return n.devices[index], nil
}

// plain returns a device that is neither shared nor a board.
func (n *nodeBuilder) plain(index int, path string) (*deviceBuilder, error) {
	d, err := n.device(index, path)
	if err == nil && (d.board || d.sharing != gpu.Exclusive) {
		return nil, mistake(path, index, "a device that isn't under mig or shared yet")
	}
	return d, err
}

// all returns a device and, if it is a board, its instances.
func (n *nodeBuilder) all(d *deviceBuilder) []*deviceBuilder {
	found := []*deviceBuilder{d}
	for _, i := range n.instances {
		if i.device.Parent == d.device.ID {
			found = append(found, i)
		}
	}
	return found
}

func (b *builder) addForeign(n *nodeBuilder, s *nodeSpec, path string) error {
	for i := range s.Foreign {
		f, at := &s.Foreign[i], fmt.Sprintf("%s.foreign[%d]", path, i)
		d, err := n.device(f.Device, at+".device")
		switch {
		case err != nil:
			return err
		case d.board:
			return mistake(at+".device", f.Device, "a device that isn't under mig")
		case f.At >= b.spec.Duration:
			return mistake(at+".at", f.At, "less than the duration, %s", b.spec.Duration)
		}
		words := seedWords{b.spec.Seed, n.node.Name, "foreign"}
		r := run{b.span(f.At, f.For), &f.Activity, words.seed(strconv.Itoa(i))}
		d.parts = append(d.parts, part{r.Span, activityOf([]run{r})})
	}
	return nil
}
