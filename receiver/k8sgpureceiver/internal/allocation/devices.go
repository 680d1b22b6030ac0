// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package allocation

import (
	"slices"
	"strconv"

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
	b.health.take(offered, resources, at)
}
