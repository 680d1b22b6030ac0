// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/world"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// sane returns everything in a world that can't be.
func sane(w *world.World) (wrong []string) {
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	devices, pods := map[gpu.DeviceID]*world.Device{}, map[string]bool{}
	for _, n := range w.Nodes {
		for _, d := range n.Devices {
			if devices[d.ID] != nil {
				say("two devices are %s", d.ID)
			}
			devices[d.ID] = d
			if d.Node != n.Name || d.Cluster != n.Cluster || d.Life.From < w.Start || d.Life.To > w.End || empty(d.Life) {
				say("device %+v of %s", d.Device, n.Name)
			}
			if d.Parent != "" && (devices[d.Parent] == nil || !d.Slices.Valid()) {
				say("instance %s of %s", d.ID, d.Parent)
			}
			for _, m := range d.Memory {
				if m.Bytes > 80<<30 {
					say("%s uses %d bytes", d.ID, m.Bytes)
				}
			}
			wrong = append(wrong, saneWalk("device "+string(d.ID), d.Activity, d.Life)...)
		}
		for _, p := range n.Pods {
			if pods[p.PodUID] || pods[p.PodIP] {
				say("two pods are %s or %s", p.PodUID, p.PodIP)
			}
			pods[p.PodUID], pods[p.PodIP] = true, true
			wrong = append(wrong, sanePod(w, p, devices)...)
		}
		wrong = append(wrong, saneSlots(n)...)
	}
	return wrong
}

// saneWalk returns what is wrong with an activity that may be above 0 within
// a span only.
func saneWalk(what string, a world.Activity, within world.Span) (wrong []string) {
	walk, at := a.Walk(), gpu.NoTime
	for s, ok := walk(); ok; s, ok = walk() {
		if s.Until <= at || s.Level < 0 || s.Level > world.Full {
			wrong = append(wrong, fmt.Sprintf("%s: %+v after %d", what, s, at))
		}
		if s.Level > 0 && (at < within.From || s.Until > within.To) {
			wrong = append(wrong, fmt.Sprintf("%s: %+v from %d is outside of %+v", what, s, at, within))
		}
		at = s.Until
	}
	return wrong
}

func sanePod(w *world.World, p *world.Pod, devices map[gpu.DeviceID]*world.Device) (wrong []string) {
	say := func(format string, args ...any) { wrong = append(wrong, p.Pod+": "+fmt.Sprintf(format, args...)) }
	work := world.Span{From: w.Start, To: w.End}
	at := gpu.NoTime
	for _, m := range p.Milestones {
		if m.At < at {
			say("%+v is out of order", m)
		}
		if at = m.At; m.Name == gpu.ContainersFinished {
			work.To = min(m.At, w.End)
		}
	}
	for _, h := range p.Holds {
		d := devices[h.Device]
		if d == nil || h.From < d.Life.From || min(h.To, w.End) > d.Life.To || empty(h.Span) {
			say("%+v of %+v", h.Span, d)
			continue
		}
		if h.Sharing == gpu.MIG != (d.Parent != "") || (h.Slots != gpu.Slots{}) == (h.Sharing == gpu.MIG || h.Sharing == gpu.Exclusive) {
			say("sharing %s, slots %+v", h.Sharing, h.Slots)
		}
		busy := world.Span{From: max(h.From, work.From), To: min(h.To, work.To)}
		wrong = append(wrong, saneWalk(p.Pod, h.Activity, busy)...)
	}
	for _, m := range p.Metrics {
		walk, before := m.Marks(), world.Mark{}
		for mark, ok := walk(); ok; mark, ok = walk() {
			rises := m.Profile.Kind != gpu.OutputCounter || mark.Start > before.Start || mark.Value > before.Value
			if mark.At <= before.At || mark.Start < before.Start || !rises || mark.At < m.From || mark.At > m.To {
				say("%s: %+v after %+v", m.Profile.Metric, mark, before)
			}
			before = mark
		}
	}
	return wrong
}

// saneSlots adds up who holds a device at each begin of a hold.
func saneSlots(n *world.Node) (wrong []string) {
	holds := map[gpu.DeviceID][]world.Hold{}
	for _, p := range n.Pods {
		for _, h := range p.Holds {
			if h.Slots.Of == 0 {
				h.Slots = gpu.Slots{N: 1, Of: 1}
			}
			holds[h.Device] = append(holds[h.Device], h)
		}
	}
	for id, all := range holds {
		for _, a := range all {
			var used int64
			for _, b := range all {
				if b.From <= a.From && a.From < b.To {
					used += b.Slots.N
				}
			}
			if used > a.Slots.Of {
				wrong = append(wrong, fmt.Sprintf("%s: %d of %d slots", id, used, a.Slots.Of))
			}
		}
	}
	return wrong
}

func TestEmbedded(t *testing.T) {
	require.Len(t, Names(), 33)
	for _, name := range Names() {
		t.Run(name, func(t *testing.T) {
			s, err := Load(name)
			require.NoError(t, err)
			w := s.World()
			require.Len(t, w.Nodes, s.Nodes())
			assert.Empty(t, sane(w))
		})
	}
}

// TestSane breaks a world in each way that sane is there for.
func TestSane(t *testing.T) {
	for name, break1 := range map[string]func(w *world.World){
		"device twice":  func(w *world.World) { w.Nodes[0].Devices[1].ID = w.Nodes[0].Devices[0].ID },
		"device's life": func(w *world.World) { w.Nodes[0].Devices[0].Life.To++ },
		"memory":        func(w *world.World) { w.Nodes[0].Devices[0].Memory[0].Bytes = 1 << 40 },
		"level": func(w *world.World) {
			w.Nodes[0].Pods[0].Holds[0].Activity = activityOf([]run{{span(w.End-9, w.End), steady(1001), seed{}}})
		},
		"after the end": func(w *world.World) {
			w.Nodes[0].Pods[0].Holds[0].Activity = activityOf([]run{{span(w.End, w.End+9), steady(1), seed{}}})
		},
		"milestones":     func(w *world.World) { w.Nodes[0].Pods[0].Milestones[0].At = w.End },
		"unknown device": func(w *world.World) { w.Nodes[0].Pods[0].Holds[0].Span = span(1, 1) },
		"slots":          func(w *world.World) { w.Nodes[0].Pods[1].Holds[0].Device = w.Nodes[0].Pods[0].Holds[0].Device },
		"pod twice":      func(w *world.World) { w.Nodes[0].Pods[1].PodIP = w.Nodes[0].Pods[0].PodIP },
		"mark":           func(w *world.World) { w.Nodes[0].Pods[0].Metrics[0].To = w.Start },
	} {
		s, err := Load("accuracy/23-lost-gpu")
		require.NoError(t, err)
		w := s.World()
		break1(w)
		assert.NotEmpty(t, sane(w), name)
	}
}
