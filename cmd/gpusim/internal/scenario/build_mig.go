// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"strconv"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/world"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// addBoard makes a device a board, with the instances of each layout.
func (b *builder) addBoard(n *nodeBuilder, s *migSpec, path string) error {
	board, err := n.plain(s.Device, path+".device")
	if err != nil {
		return err
	}
	board.board = true
	for i := range s.Layouts {
		l, at := &s.Layouts[i], entry(path+".layouts", i)
		life := span(b.at(l.At+l.Away), b.end)
		if i+1 < len(s.Layouts) {
			life.To = min(b.end, b.at(s.Layouts[i+1].At))
		}
		if err := b.checkLayout(s, i, at); err != nil {
			return err
		}
		if l.Away > 0 {
			board.close(b.span(l.At, l.Away), gpu.ReasonReconfiguration)
		}
		var slices int
		var memory Bytes
		for k := range l.Instances {
			instance := &l.Instances[k]
			slices, memory = slices+instance.Slices, memory+instance.Memory
			if n.living(instance.Name, life) != nil {
				return mistake(entry(at+".instances", k)+".name", quote(instance.Name), "a name that no other instance of the node has then")
			}
			b.addInstance(n, board, instance, life, s.Slices, strconv.Itoa(i))
		}
		if slices > s.Slices {
			return mistake(at+".instances", strconv.Itoa(slices)+" slices", "at most %d in all", s.Slices)
		}
		if memory > board.limit {
			return mistake(at+".instances", memory, "at most %s in all", board.limit)
		}
	}
	return nil
}

func (b *builder) checkLayout(s *migSpec, i int, path string) error {
	l := &s.Layouts[i]
	switch {
	case i == 0 && (l.At != 0 || l.Away != 0):
		return mistake(path+".at", l.At, "0s, and no away, in the first layout")
	case i > 0 && l.At <= s.Layouts[i-1].At+s.Layouts[i-1].Away:
		return mistake(path+".at", l.At, "a time after the layout before began")
	case l.At+l.Away >= b.spec.Duration:
		return mistake(path+".at", l.At, "less than the duration, %s, also with away", b.spec.Duration)
	}
	return nil
}

func (b *builder) addInstance(n *nodeBuilder, board *deviceBuilder, s *instanceSpec, life world.Span, of int, layout string) {
	d := &world.Device{Device: board.device.Device, Life: life}
	d.Parent = board.device.ID
	d.ID = gpu.DeviceID("MIG-" + uuid(b.spec.Seed, "instance", string(d.Parent), layout, s.Name))
	d.Model += " MIG " + s.Profile
	d.Slices = gpu.Slices{N: s.Slices, Of: of}
	n.node.Devices = append(n.node.Devices, d)
	n.instances = append(n.instances, &deviceBuilder{device: d, name: s.Name, limit: s.Memory, sharing: gpu.MIG, slots: 1})
}

// living returns an instance that has this name at some time in a span.
func (n *nodeBuilder) living(name string, in world.Span) *deviceBuilder {
	for _, d := range n.instances {
		if life := d.device.Life; d.name == name && life.From < in.To && in.From < life.To {
			return d
		}
	}
	return nil
}
