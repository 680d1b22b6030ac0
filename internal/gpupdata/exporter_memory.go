// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpupdata

import (
	"sync"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// ExporterMemory is what is remembered from scrape to scrape of the devices of
// dcgm-exporter. It may be used from several goroutines at once.
type ExporterMemory struct {
	// patience is for how long, by the clock of the points, what was told counts
	// as still told.
	patience time.Duration
	refused  func(metric string, why DropReason)

	mu        sync.Mutex // guards what follows
	heardSets bool       // allocations name the UUIDs of instances: the first set was heard
	since     gpu.Time   // of the first instance
	uuids     map[numbered]gpu.DeviceID
	boards    map[gpu.DeviceID]*boardMemory
	held      map[string]*heldInstances // by node
	labelled  map[gpu.DeviceID]gpu.Time
	names     map[string]bool // of metrics that were refused
}

// boardMemory is what is remembered of a board.
type boardMemory struct {
	counted gpu.Time // when somebody else told how many instances it has
	scraped gpu.Time // of the newest scrape
	without int      // scrapes in a row without an instance
	parts   map[int64]bool
}

// mostRemembered bounds each of the maps; it is more than a node has.
const mostRemembered = 4096

// NewExporterMemory returns what knows nothing yet. refused, if it isn't nil, is
// called once for each metric that isn't read though it is named like evidence.
func NewExporterMemory(patience time.Duration, refused func(metric string, why DropReason)) *ExporterMemory {
	return &ExporterMemory{
		patience: patience, refused: refused,
		uuids: map[numbered]gpu.DeviceID{}, boards: map[gpu.DeviceID]*boardMemory{}, held: map[string]*heldInstances{},
		labelled: map[gpu.DeviceID]gpu.Time{}, names: map[string]bool{},
	}
}

// bound empties a map that is full: what is in use is told again.
func bound[K comparable, V any](m map[K]V) {
	if len(m) >= mostRemembered {
		clear(m)
	}
}

// refuse tells once of a metric that isn't read.
func (e *ExporterMemory) refuse(metric string, why DropReason) {
	e.mu.Lock()
	first := !e.names[metric] && len(e.names) < mostRemembered
	if first {
		e.names[metric] = true
	}
	e.mu.Unlock()
	if first && e.refused != nil {
		e.refused(metric, why)
	}
}

// recent says whether a time is within the patience of another.
func (e *ExporterMemory) recent(a, b gpu.Time) bool {
	return a != gpu.NoTime && max(a, b).Sub(min(a, b)) <= e.patience
}

func podName(h gpu.Holder) string { return h.Namespace + "/" + h.Pod }

// hearCount remembers that somebody else counts the instances of a board.
func (e *ExporterMemory) hearCount(board gpu.DeviceID, t gpu.Time) {
	e.mu.Lock()
	defer e.mu.Unlock()
	b := e.board(board)
	b.counted = max(b.counted, t)
}

func (e *ExporterMemory) board(id gpu.DeviceID) *boardMemory {
	b := e.boards[id]
	if b == nil {
		bound(e.boards)
		b = &boardMemory{parts: map[int64]bool{}}
		e.boards[id] = b
	}
	return b
}

// labels remembers that labels told of a device's holders.
func (e *ExporterMemory) labels(id gpu.DeviceID, t gpu.Time) {
	e.mu.Lock()
	defer e.mu.Unlock()
	bound(e.labelled)
	e.labelled[id] = max(e.labelled[id], t)
}

// hasLabels says whether dcgm-exporter's labels tell of a device: what else is
// known of it has no labels, which doesn't mean that nobody holds it.
func (e *ExporterMemory) hasLabels(id gpu.DeviceID, t gpu.Time) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.recent(e.labelled[id], t)
}

// count returns what a scrape says of how many instances a board has, and false
// if it says nothing: somebody better counts, or it never had one. That the last
// one is gone takes two counts, and then the mode is over.
func (e *ExporterMemory) count(of *scrape, plain bool) (gpu.PartitionCount, bool) {
	n := gpu.PartitionCount{Time: of.time}
	b := e.board(of.board)
	present := map[int64]bool{}
	for _, part := range of.parts {
		if part.number != noInstance {
			present[part.number] = true
		}
	}
	n.Count = len(present)
	again := of.time <= b.scraped // a batch that comes again says nothing new
	if !again {
		e.layOut(of, b, present)
	}
	switch {
	case e.recent(b.counted, of.time):
		return n, false
	case n.Count > 0:
		return n, true
	case !plain, again && b.without == 0, !again && b.without >= 4:
		return n, false
	case !again:
		b.without++
	}
	n.Ended = b.without > 2
	return n, true
}

// layOut remembers which instances a board has by its newest scrape.
func (e *ExporterMemory) layOut(of *scrape, b *boardMemory, present map[int64]bool) {
	for number := range b.parts {
		if !present[number] { // its number may be another's next time
			delete(e.uuids, numbered{of.board, number})
		}
	}
	b.parts, b.scraped = present, of.time
	if len(present) > 0 {
		b.without = 0
	}
}
