// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/world"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// deviceBuilder makes a device.
type deviceBuilder struct {
	device  *world.Device
	index   int    // of a device
	name    string // of an instance
	board   bool
	limit   Bytes
	sharing gpu.Sharing
	slots   int64
	parts   []part // of its activity
	claims  []claim
	loads   []load
}

// claim is a hold that the device must have room for.
type claim struct {
	at    gpu.Time
	slots int64 // fewer at the end of a hold
	path  string
	pod   string
}

// load is a change of the used memory, in bytes.
type load struct {
	at   gpu.Time
	by   int64
	path string
}

// finish makes the node's devices of what was gathered.
func (n *nodeBuilder) finish() error {
	for _, d := range append(slices.Clone(n.devices), n.instances...) {
		if err := d.checkClaims(); err != nil {
			return err
		}
		if err := d.addMemory(); err != nil {
			return err
		}
		d.device.Activity = except(together(d.parts), d.device.Lost)
		slices.SortStableFunc(d.device.Closed, func(a, b world.Closed) int { return cmp.Compare(a.From, b.From) })
	}
	slices.SortStableFunc(n.node.Clock, func(a, b world.ClockStep) int { return cmp.Compare(a.At, b.At) })
	return nil
}

func (d *deviceBuilder) title() string {
	if d.name != "" {
		return "instance " + d.name + " of " + d.device.Node
	}
	return "device " + strconv.Itoa(d.index) + " of " + d.device.Node
}

// hold notes that a pod holds slots of the device.
func (d *deviceBuilder) hold(s world.Span, slots int64, path, pod string) {
	d.claims = append(d.claims, claim{s.From, slots, path, pod}, claim{s.To, -slots, path, pod})
}

func (d *deviceBuilder) checkClaims() error {
	slices.SortStableFunc(d.claims, func(a, b claim) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.slots, b.slots)) // ends first
	})
	var used int64
	for _, c := range d.claims {
		if used += c.slots; used > d.slots {
			return mistake(c.path, d.title(), "a device with room for %s at %s: only %d of its %d slots are free",
				c.pod, timeOf(c.at), d.slots-used+c.slots, d.slots)
		}
	}
	return nil
}

func timeOf(t gpu.Time) string { return time.Unix(0, int64(t)).UTC().Format(time.RFC3339Nano) }

func (d *deviceBuilder) addMemory() error {
	slices.SortStableFunc(d.loads, func(a, b load) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.by, b.by))
	})
	var used int64
	for i, l := range d.loads {
		used += l.by
		if used > int64(d.limit) {
			return mistake(l.path, Bytes(used), "at most %s, what %s has, with all that is loaded there at %s", d.limit, d.title(), timeOf(l.at))
		}
		if i+1 == len(d.loads) || d.loads[i+1].at != l.at {
			d.device.Memory = append(d.device.Memory, world.Memory{From: l.at, Bytes: uint64(used)})
		}
	}
	return nil
}
