// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package allocation

import (
	"slices"
	"strconv"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/deviceid"
)

// slots are those that each shared device has, by its key.
type slots map[string]int64

// of returns how many slots a device has: as many as the plugin offers, but at
// least those that somebody holds. Slots are numbered from 0.
func (s slots) of(d deviceid.Device, taken []string) int64 {
	total := max(s[d.Key()], int64(len(taken)), 1)
	for _, slot := range taken {
		if n, err := strconv.ParseInt(slot, 10, 32); err == nil {
			total = max(total, n+1)
		}
	}
	return total
}

// reregister is how long a plugin may offer nothing: it registers anew after a
// restart of the kubelet.
const reregister = 3 * time.Minute

// health is which devices the plugins offer.
type health struct {
	known map[gpu.DeviceID]*condition
	since map[string]gpu.Time // since when a resource offers nothing
}

type condition struct {
	resource string
	offered  bool
}

// Allocatable takes the names of all devices that plugins offer now: the
// healthy ones. A resource that offers nothing says nothing: its plugin may
// only be away.
func (b *Book) Allocatable(names []deviceid.Name, at gpu.Time) {
	offered := map[gpu.DeviceID]string{}
	counts := map[string][]string{}
	resources := map[string]bool{}
	for _, n := range names {
		d, ok := b.cfg.Catalog.Resolve(n)
		if !ok {
			continue
		}
		b.learn(n.Resource)
		resources[n.Resource] = true
		if d.ID != "" {
			offered[d.ID] = n.Resource
		}
		if d.Slot != "" && !slices.Contains(counts[d.Key()], d.Slot) {
			counts[d.Key()] = append(counts[d.Key()], d.Slot)
		}
	}
	for key, all := range counts {
		b.slots[key] = int64(len(all))
	}
	for id, resource := range offered {
		b.health.known[id] = &condition{resource, true}
	}
	b.health.absent(offered, resources, at)
}

// absent marks the devices that aren't offered any more.
func (h *health) absent(offered map[gpu.DeviceID]string, resources map[string]bool, at gpu.Time) {
	if h.since == nil {
		h.since = map[string]gpu.Time{}
	}
	for id, c := range h.known {
		if resources[c.resource] {
			delete(h.since, c.resource)
		} else if h.since[c.resource] == gpu.NoTime {
			h.since[c.resource] = at
		}
		since := h.since[c.resource]
		if _, ok := offered[id]; !ok && (since == gpu.NoTime || at.Sub(since) >= reregister) {
			c.offered = false
		}
	}
}

// availability returns a point for each device that a plugin ever offered.
func (h *health) availability(at gpu.Time) []gpu.Availability {
	out := make([]gpu.Availability, 0, len(h.known))
	for id, c := range h.known {
		a := gpu.Availability{Device: id, Time: at, Available: c.offered}
		if !c.offered {
			a.Reason = gpu.ReasonHealth
		}
		out = append(out, a)
	}
	slices.SortFunc(out, func(a, b gpu.Availability) int {
		switch {
		case a.Device < b.Device:
			return -1
		case a.Device > b.Device:
			return 1
		}
		return 0
	})
	return out
}
