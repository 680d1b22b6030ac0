// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package allocation

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// reregister is how long a plugin may offer nothing: it registers anew after a
// restart of the kubelet.
const reregister = 3 * time.Minute

// A board is laid out anew in layoutWithin, from the first device that isn't
// offered any more to the first new one, and its layout is settled once nothing
// changed for layoutSettled.
const (
	layoutWithin  = 10 * time.Minute
	layoutSettled = time.Minute
)

// health is which devices the plugins offer.
type health struct {
	known map[gpu.DeviceID]*condition
	since map[string]gpu.Time // since when a resource offers nothing
	// newest is when a device was offered that wasn't known, newestMIG a MIG
	// instance; NoTime before the second reading.
	newest, newestMIG gpu.Time
}

type condition struct {
	resource string
	offered  bool
	gone     gpu.Time // since when it isn't offered
	silent   bool     // since then, its resource offered nothing for a while
	replaced gpu.Time // since when it is known that there is no such device any more
}

// take takes which devices are offered, with their resources.
func (h *health) take(offered map[gpu.DeviceID]string, resources map[string]bool, at gpu.Time) {
	first := len(h.known) == 0
	for id, resource := range offered {
		if h.known[id] == nil && !first {
			h.newest = at
			if isInstance(id) {
				h.newestMIG = at
			}
		}
		h.known[id] = &condition{resource: resource, offered: true}
	}
	for id, c := range h.known {
		if resources[c.resource] {
			delete(h.since, c.resource)
		} else if h.since[c.resource] == gpu.NoTime {
			h.since[c.resource] = at
		}
		if _, ok := offered[id]; !ok {
			h.miss(id, c, at)
		}
	}
}

func isInstance(id gpu.DeviceID) bool { return strings.HasPrefix(string(id), "MIG-") }

// miss takes that a device isn't offered: it is broken, or its plugin only away,
// or there is no such device any more.
func (h *health) miss(id gpu.DeviceID, c *condition, at gpu.Time) {
	since := h.since[c.resource]
	if c.gone == gpu.NoTime {
		c.gone = at
	}
	if c.replaced == gpu.NoTime && h.isReplaced(id, c, since == gpu.NoTime) {
		c.replaced = at
	}
	c.silent = c.silent || since != gpu.NoTime
	if c.replaced != gpu.NoTime || since == gpu.NoTime || at.Sub(since) >= reregister {
		c.offered = false
	}
	if c.replaced != gpu.NoTime && at.Sub(max(c.replaced, h.newest)) >= layoutSettled {
		delete(h.known, id)
	}
}

// isReplaced reports whether a device that isn't offered was one of a layout
// that is no more: new ones came as it went or, of an instance, its plugin has
// registered anew without it. A board gives way to instances only, and one that
// is broken isn't registered anew either.
func (h *health) isReplaced(id gpu.DeviceID, c *condition, registered bool) bool {
	came := h.newestMIG
	if isInstance(id) {
		came = h.newest
	}
	if came >= c.gone && came.Sub(c.gone) < layoutWithin {
		return true
	}
	return isInstance(id) && registered && c.silent
}

// availability returns a point for each device that a plugin ever offered, until
// its board has another layout.
func (h *health) availability(at gpu.Time) []gpu.Availability {
	out := make([]gpu.Availability, 0, len(h.known))
	for id, c := range h.known {
		a := gpu.Availability{Device: id, Time: at, Available: c.offered}
		switch {
		case c.replaced != gpu.NoTime:
			a.Reason = gpu.ReasonReconfiguration
		case !c.offered:
			a.Reason = gpu.ReasonHealth
		}
		out = append(out, a)
	}
	slices.SortFunc(out, func(a, b gpu.Availability) int { return cmp.Compare(a.Device, b.Device) })
	return out
}
