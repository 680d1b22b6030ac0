// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"maps"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

const (
	// keepDevice is how long the base of a device is kept without a send that
	// has the device, in event time. After that its next send is a first one.
	keepDevice = time.Hour
	// keepSeries is for how many accepted sends of its device a series is kept
	// that they don't have: those of ended accounts, and those that a mistake
	// left out and that come back.
	keepSeries = 10
)

// Node is a node of a cluster.
type Node struct{ Name, Cluster string }

// Audit remembers what accepted sends said. It is for one goroutine.
type Audit struct {
	devices map[deviceKey]*base
	pending []*send // of the last Check, until it is accepted
	newest  gpu.Time
	swept   gpu.Time
}

// New returns an Audit that knows no device.
func New() *Audit { return &Audit{devices: map[deviceKey]*base{}} }

// deviceKey identifies a device: its ID, or what names one that has none.
type deviceKey struct {
	id            gpu.DeviceID
	ref           string
	node, cluster string
}

func keyOf(d gpu.Device) deviceKey {
	if d.ID != "" {
		return deviceKey{id: d.ID}
	}
	return deviceKey{ref: d.Ref, node: d.Node, cluster: d.Cluster}
}

// Check returns the error of each node that has a device that can be checked:
// positive if the points say that more time passed than was settled. The send
// is the base of later ones only once Accept was called.
func (a *Audit) Check(sent gpu.Derived, spans []gpu.DeviceSpan) map[Node]time.Duration {
	a.pending = collect(sent, spans)
	worst := map[Node]time.Duration{}
	for _, s := range a.pending {
		if s.check(a.devices[s.key]); !s.checked {
			continue
		}
		if w, seen := worst[s.node]; !seen || s.since.wrong.Abs() > w.Abs() {
			worst[s.node] = s.since.wrong
		}
	}
	return worst
}

// Coverage returns which part of the time that was settled since the last
// accepted send isn't unobserved, as the points of the send that was checked
// last say. A node of which no time passed, or of which that can't be told,
// isn't in it.
func (a *Audit) Coverage() map[Node]float64 {
	settled, unobserved := map[Node]time.Duration{}, map[Node]time.Duration{}
	for _, s := range a.pending {
		if s.checked && s.settled {
			settled[s.node] += s.since.settled
			unobserved[s.node] += s.since.unobserved
		}
	}
	coverage := make(map[Node]float64, len(settled))
	for node, d := range settled {
		if d > 0 { // of a send that is wrong it may be any number
			coverage[node] = min(max(1-float64(unobserved[node])/float64(d), 0), 1)
		}
	}
	return coverage
}

// Accept makes the send that was checked last the base of the next one.
func (a *Audit) Accept() {
	for _, s := range a.pending {
		b := a.devices[s.key]
		if b == nil {
			if !s.settled {
				continue // the ledger knows no such device
			}
			b = &base{series: make(map[seriesKey]last, len(s.points))}
			a.devices[s.key] = b
		}
		b.accept(s)
		a.newest = max(a.newest, b.time)
	}
	a.pending = nil
	a.sweep()
}

// sweep forgets devices that weren't in a send for long.
func (a *Audit) sweep() {
	if a.newest.Sub(a.swept) < keepDevice {
		return
	}
	a.swept = a.newest
	maps.DeleteFunc(a.devices, func(_ deviceKey, b *base) bool {
		return a.newest.Sub(b.time) > keepDevice
	})
}
