// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpupdata

import (
	"sync"
	"time"

	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// Instances knows the UUIDs of MIG instances by their numbers, from the
// resources of devices: some allocators tell of numbers only. It may be used
// from several goroutines at once.
type Instances struct {
	// wait is for how long, by the clock of the points, an allocation of an
	// instance that nobody told of is held back.
	wait time.Duration

	mu    sync.Mutex // guards what follows
	known map[numbered]gpu.DeviceID
	// supposed are what dcgm-exporter's instances are accounted as, which counts
	// as long as no resource says better.
	supposed map[numbered]gpu.DeviceID
	since    map[numbered]gpu.Time // when one that isn't known was asked for first
}

// numbered is a GPU instance of a board.
type numbered struct {
	board  gpu.DeviceID
	number int64
}

// severalInOne stands for the compute instances of one GPU instance: which of
// them is meant, its number doesn't tell.
const severalInOne gpu.DeviceID = "several"

// mostNumbered is more instances than a node has in its life.
const mostNumbered = 4096

// NewInstances returns what knows no instance yet.
func NewInstances(wait time.Duration) *Instances {
	return &Instances{
		wait: wait, known: map[numbered]gpu.DeviceID{}, supposed: map[numbered]gpu.DeviceID{}, since: map[numbered]gpu.Time{},
	}
}

// instance returns which GPU instance of which board is described, and false if
// none is.
func (a attributes) instance() (numbered, bool) {
	key := numbered{board: gpu.DeviceID(a.str(AttrHWParent)), number: illegible}
	if a.word(AttrMIGInstance) != "" {
		key.number = a.whole(AttrMIGInstance)
	}
	return key, key.board != "" && key.number >= 0
}

// learn takes what the resources of md say. A board that is laid out anew gives
// an old number to a new instance: the newest word counts.
func (i *Instances) learn(md pmetric.Metrics) {
	told := map[numbered]gpu.DeviceID{}
	for _, rm := range md.ResourceMetrics().All() {
		a := attributes{own: rm.Resource().Attributes(), outer: nothing}
		id := gpu.DeviceID(a.str(AttrHWID))
		if !isPartition(id) {
			continue
		}
		key, ok := a.instance()
		if !ok {
			continue
		}
		if other, taken := told[key]; taken && other != id {
			id = severalInOne
		}
		told[key] = id
	}
	if len(told) == 0 {
		return
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if len(i.known)+len(told) > mostNumbered {
		clear(i.known) // those in use are told of again
	}
	for key, id := range told {
		i.known[key] = id
		delete(i.since, key)
	}
}

// find returns the UUID of an instance of which an allocation tells at a time,
// "" if there is none; wait says that it may yet be told of.
func (i *Instances) find(key numbered, at gpu.Time) (id gpu.DeviceID, wait bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	switch id := i.known[key]; id {
	case "":
		if id := i.supposed[key]; id != "" {
			return id, false
		}
	case severalInOne:
		return "", false
	default:
		return id, false
	}
	if len(i.since) >= mostNumbered {
		clear(i.since)
	}
	since, asked := i.since[key]
	if !asked || at < since {
		since = at
		i.since[key] = at
	}
	return "", at.Sub(since) < i.wait
}

// uuid returns the UUID of an instance that a resource told, "" if none did;
// several says that there are several in it, each with its own.
func (i *Instances) uuid(key numbered) (id gpu.DeviceID, several bool) {
	if i == nil {
		return "", false
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if id = i.known[key]; id == severalInOne {
		return "", true
	}
	return id, false
}

// suppose says what an instance is accounted as that no resource tells of.
func (i *Instances) suppose(key numbered, id gpu.DeviceID) {
	if i == nil {
		return
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if len(i.supposed) >= mostNumbered {
		clear(i.supposed)
	}
	i.supposed[key] = id
	delete(i.since, key)
}

// resolve finds the UUID of an allocation's device, if only its number is told.
func (i *Instances) resolve(p point, a *gpu.Allocation) DropReason {
	key, ok := p.instance()
	if i == nil || a.Device != "" || !ok {
		return accepted
	}
	id, wait := i.find(key, a.Time)
	if wait {
		return DropUnknownInstance
	}
	if id != "" {
		a.Device, a.Ref = id, ""
	}
	return accepted
}
