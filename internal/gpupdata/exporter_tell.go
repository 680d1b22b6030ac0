// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpupdata

import (
	"maps"
	"math"
	"slices"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// tellScrapes adds what dcgm-exporter said, once all of it was gathered.
func (c *decoding) tellScrapes() {
	if len(c.scrapes.ordered) == 0 {
		return
	}
	c.exporter.learn(&c.scrapes)
	for _, of := range c.scrapes.ordered {
		plain := false
		for _, part := range of.parts {
			d := part.device
			if part.number == noInstance {
				plain, d.ID = part.total > 0, of.board // other models have no instances
				c.tellPart(d, of.time, part)
				continue
			}
			d.Parent = of.board
			var why DropReason
			if d.ID, why = c.identify(of, part); why == accepted {
				d.Slices = gpu.Slices{N: profileSlices(part.profile), Of: part.total}
				if !d.Slices.Valid() {
					why = DropPartition
				}
			}
			if why != accepted {
				c.drops.add(why, len(part.readings))
				continue
			}
			c.tellPart(d, of.time, part)
		}
		c.tellCount(of, plain)
	}
}

// tellPart adds what was said of one device.
func (c *decoding) tellPart(d gpu.Device, t gpu.Time, part *scrapedPart) {
	for _, e := range gpu.Engines() {
		for _, r := range part.best(e) {
			c.batch.Samples = append(c.batch.Samples, gpu.Sample{
				Device: d, Engine: e, Source: SourceExporter, Time: t, Value: r.value,
			})
		}
	}
	for _, r := range part.readings {
		if r.metric.memory {
			c.batch.Memory = append(c.batch.Memory, gpu.Memory{Device: d.ID, Time: t, Bytes: uint64(math.Round(r.value))})
		}
	}
	if !c.labels {
		return
	}
	c.exporter.labels(d.ID, t)
	for _, slot := range part.sortedSlots() {
		c.batch.DeviceAllocations = append(c.batch.DeviceAllocations, gpu.DeviceAllocation{
			Device: d, Slot: slot, Holder: part.holder(slot), Time: t,
		})
	}
}

// sureBusy is the utilisation at which profiling that says 0 isn't believed: it
// hangs, as it does after some errors.
const sureBusy = 0.9

// best returns the readings of an engine that are of the best metric that it
// has. There is more than one if its holders were told different values: then
// the ledger decides, and counts that.
func (s *scrapedPart) best(e gpu.Engine) []scrapedReading {
	of, rank := []scrapedReading(nil), 0
	idle, busy := true, false
	for _, r := range s.readings {
		if r.metric.memory || r.metric.engine != e {
			continue
		}
		of = append(of, r)
		rank = max(rank, r.metric.rank)
		if r.metric.rank > 1 {
			idle = idle && r.value == 0
		} else {
			busy = busy || r.value >= sureBusy
		}
	}
	if rank > 1 && idle && busy {
		rank = 1
	}
	return slices.DeleteFunc(of, func(r scrapedReading) bool { return r.metric.rank != rank })
}

// sortedSlots returns the replicas of a device that have a series. If there are
// any, a series that is of none says nothing.
func (s *scrapedPart) sortedSlots() []string {
	slots := slices.Sorted(maps.Keys(s.slots))
	if len(slots) > 1 && slots[0] == "" {
		return slots[1:]
	}
	return slots
}

// holder returns the pod that the series of a slot are for. The exporter's own
// holds nothing: its labels come from the target.
func (s *scrapedPart) holder(slot string) gpu.Holder {
	h := s.slots[slot].plain
	if s.from.exported {
		h = s.slots[slot].exported
	}
	if h.Pod != "" && podName(h) == podName(s.from.pod) {
		return gpu.Holder{}
	}
	return h
}

// tellCount adds how many instances a board has.
func (c *decoding) tellCount(of *scrape, plain bool) {
	c.exporter.mu.Lock()
	n, told := c.exporter.count(of, plain)
	c.exporter.mu.Unlock()
	if told {
		n.Board = of.parts[0].device
		n.Board.ID = of.board
		c.batch.PartitionCounts = append(c.batch.PartitionCounts, n)
	}
}
