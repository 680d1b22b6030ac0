// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"cmp"
	"slices"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/world"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// addFaults breaks what the scenario breaks. Pods come after it: they do
// nothing on a lost device.
func (b *builder) addFaults() error {
	f := &b.spec.Faults
	for i := range f.Lost {
		if err := b.lose(&f.Lost[i], entry("faults.lost", i)); err != nil {
			return err
		}
	}
	for i := range f.XID {
		if err := b.lose(&f.XID[i], entry("faults.xid", i)); err != nil {
			return err
		}
	}
	for i := range f.Closed {
		if err := b.close(&f.Closed[i], entry("faults.closed", i)); err != nil {
			return err
		}
	}
	return b.addNodeFaults()
}

func (b *builder) lose(f *deviceFault, path string) error {
	n, err := b.node(f.Node, path+".node")
	if err != nil || n == nil {
		return err
	}
	d, err := n.device(f.Device, path+".device")
	if err != nil {
		return err
	}
	lost := b.span(f.At, f.For)
	if empty(lost) {
		return b.tooLate(path, f.At)
	}
	for _, d := range n.all(d) {
		if s := within(lost, d.device.Life); !empty(s) {
			d.device.Lost = joined(append(d.device.Lost, s))
			d.close(s, gpu.ReasonHealth)
		}
	}
	return nil
}

// within is the part of s that is in life.
func within(s, life world.Span) world.Span {
	return span(max(s.From, life.From), min(s.To, life.To))
}

func (d *deviceBuilder) close(s world.Span, why gpu.Reason) {
	d.device.Closed = append(d.device.Closed, world.Closed{Span: s, Reason: why})
}

func (b *builder) tooLate(path string, at time.Duration) error {
	return mistake(path+".at", at, "less than the duration, %s", b.spec.Duration)
}

// joined returns the same time as spans, in order and without overlap.
func joined(spans []world.Span) (out []world.Span) {
	slices.SortFunc(spans, func(a, b world.Span) int { return cmp.Compare(a.From, b.From) })
	for _, s := range spans {
		if last := len(out) - 1; last >= 0 && s.From <= out[last].To {
			out[last].To = max(out[last].To, s.To)
		} else {
			out = append(out, s)
		}
	}
	return out
}

func (b *builder) close(f *closedFault, path string) error {
	n, err := b.node(f.Node, path+".node")
	if err != nil || n == nil {
		return err
	}
	devices := append(slices.Clone(n.devices), n.instances...)
	if f.Device != nil {
		d, err := n.device(*f.Device, path+".device")
		if err != nil {
			return err
		}
		devices = n.all(d)
	}
	reason, _ := gpu.ParseReason(f.Reason)
	closed := b.span(f.At, f.For)
	if empty(closed) {
		return b.tooLate(path, f.At)
	}
	for _, d := range devices {
		if s := within(closed, d.device.Life); !empty(s) {
			d.close(s, reason)
		}
	}
	return nil
}

func (b *builder) addNodeFaults() error {
	f := &b.spec.Faults
	for i, o := range f.Outages {
		err := b.onNodes(o.Node, o.At, entry("faults.outages", i), func(n *world.Node) {
			n.Outages = append(n.Outages, world.Outage{Span: b.span(o.At, o.For), Part: world.Part(o.Part)})
		})
		if err != nil {
			return err
		}
	}
	for i, c := range f.Clock {
		err := b.onNodes(c.Node, c.At, entry("faults.clock", i), func(n *world.Node) {
			n.Clock = append(n.Clock, world.ClockStep{At: b.at(c.At), By: int64(c.By)})
		})
		if err != nil {
			return err
		}
	}
	for i, h := range f.Hitches {
		err := b.onNodes(h.Node, h.At, entry("faults.hitches", i), func(n *world.Node) {
			n.Hitches = append(n.Hitches, world.Hitch{Span: b.span(h.At, h.For), Late: h.Late, Twice: h.Twice})
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// onNodes does something to a node, or to all if none is named.
func (b *builder) onNodes(name string, at time.Duration, path string, do func(*world.Node)) error {
	if at >= b.spec.Duration {
		return b.tooLate(path, at)
	}
	if name == "" {
		for _, n := range b.order {
			do(n.node)
		}
		return nil
	}
	n, err := b.node(name, path+".node")
	if err == nil && n != nil {
		do(n.node)
	}
	return err
}
