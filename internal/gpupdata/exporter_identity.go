// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpupdata

import (
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// standIn is the identity of an instance as long as its UUID isn't known. It has
// the form of the UUIDs that NVIDIA gave once, MIG-GPU-…, and no slash.
func standIn(key numbered) gpu.DeviceID {
	return gpu.DeviceID("MIG-" + string(key.board) + ":gi" + strconv.FormatInt(key.number, 10))
}

// firstWords is the time in which every source speaks, after the start.
const firstWords = 20 * time.Second

// waits says whether an instance without a UUID may yet get one from the first
// words of another source, or from the first set of allocations.
func (e *ExporterMemory) waits(t gpu.Time) bool {
	if e.since == gpu.NoTime || t < e.since {
		e.since = t
	}
	waited := t.Sub(e.since)
	return waited < min(firstWords, e.patience) || !e.heardSets && waited < e.patience
}

// owners returns which instances each pod has, by the labels.
func (s *scrapes) owners() map[string][]numbered {
	owners := map[string][]numbered{}
	for _, of := range s.ordered {
		for _, part := range of.parts {
			if part.number == noInstance {
				continue
			}
			key := numbered{of.board, part.number}
			for _, slot := range part.sortedSlots() {
				if h := part.holder(slot); h.Pod != "" && !slices.Contains(owners[podName(h)], key) {
					owners[podName(h)] = append(owners[podName(h)], key)
				}
			}
		}
	}
	return owners
}

// identify returns the UUID of an instance, else what stands for it, so that
// allocations by its number find it.
func (c *decoding) identify(of *scrape, part *scrapedPart) (gpu.DeviceID, DropReason) {
	key := numbered{of.board, part.number}
	switch id, several := c.instances.uuid(key); {
	case several: // whose resources told is the evidence
		return "", DropShadowed
	case id != "":
		return id, accepted
	}
	c.exporter.mu.Lock()
	defer c.exporter.mu.Unlock()
	id := c.exporter.uuids[key]
	if id == "" {
		if !c.labels && c.exporter.waits(of.time) {
			return "", DropUnknownInstance
		}
		id = standIn(key)
	}
	c.instances.suppose(key, id)
	return id, accepted
}

// learn takes in the UUIDs of instances that the labels of a batch tell.
func (e *ExporterMemory) learn(s *scrapes) {
	owners := s.owners()
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, of := range s.ordered {
		for _, part := range of.parts {
			if id := e.uuidOf(of, part, owners); id != "" {
				key := numbered{of.board, part.number}
				maps.DeleteFunc(e.uuids, func(other numbered, known gpu.DeviceID) bool { return known == id && other != key })
				bound(e.uuids)
				e.uuids[key] = id
			}
		}
	}
}

// uuidOf returns the UUID of an instance that its labels tell, or that its pod
// holds: if the pod holds one and has one.
func (e *ExporterMemory) uuidOf(of *scrape, part *scrapedPart, owners map[string][]numbered) gpu.DeviceID {
	if part.number == noInstance {
		return ""
	}
	if len(part.uuids) == 1 && !of.toldTwice(part.uuids[0]) {
		return gpu.DeviceID(part.uuids[0])
	}
	slots := part.sortedSlots()
	if len(slots) != 1 {
		return ""
	}
	h := part.holder(slots[0])
	if h.Pod == "" || len(owners[podName(h)]) != 1 {
		return ""
	}
	return e.heldBy(podName(h), of.time)
}

// toldTwice says whether two instances of a board are told to have one UUID: the
// labels of a board's claim are put on all its instances.
func (s *scrape) toldTwice(uuid string) bool {
	n := 0
	for _, part := range s.parts {
		if slices.Contains(part.uuids, uuid) {
			n++
		}
	}
	return n > 1
}
