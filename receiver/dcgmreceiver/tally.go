// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package dcgmreceiver

import (
	"maps"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/activity"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/session"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/topology"
)

// tally makes counters of what collections read. Not for concurrent use.
type tally struct {
	devices  map[string]int64 // of the newest collection, by state
	unusable map[string]int64 // entities, by reason
	states   map[string]string
	newest   gpu.Time // the newest sample of the device that is silent longest; 0: none
	drops    counts
	events   counts
	covered  []cover // of the last minute, oldest first
	last     map[string]time.Duration
	at       gpu.Time // of the newest collection; 0: none
}

// cover is what samples should have covered in a collection, and did.
type cover struct {
	at             gpu.Time
	due, delivered time.Duration
}

// change is a device that isn't in the state in which it was.
type change struct{ device, before, now string }

func newTally() tally {
	return tally{states: map[string]string{}, drops: newCounts(), events: newCounts(), last: map[string]time.Duration{}}
}

// add takes what was read at a time, and returns the devices that changed.
func (t *tally) add(accounts []session.Account, lacks []topology.Lack, at gpu.Time) []change {
	t.devices, t.unusable, t.newest = map[string]int64{}, map[string]int64{}, 0
	for _, l := range lacks {
		t.unusable[l.Reason]++
	}
	var changes []change
	now := cover{at: at}
	for i := range accounts {
		a := &accounts[i]
		uuid := a.Device.UUID
		t.count(a)
		state := a.Device.Status.String()
		if a.Ended {
			state = "gone"
		} else {
			t.devices[state]++
		}
		if before, known := t.states[uuid]; known && before != state {
			changes = append(changes, change{uuid, before, state})
		}
		if t.states[uuid] = state; a.Ended {
			delete(t.states, uuid)
		}
		t.cover(a, at, &now)
	}
	t.at = at
	t.window(now)
	return changes
}

// cover adds what samples of a device should have covered, and what they did.
// A board in MIG mode is covered by its instances.
func (t *tally) cover(a *session.Account, at gpu.Time, now *cover) {
	uuid := a.Device.UUID
	observed := time.Duration(0)
	for _, p := range a.Points {
		if p.Engine == activity.Any {
			observed += p.Observed
		}
	}
	before, known := t.last[uuid]
	t.last[uuid] = observed
	if a.Ended || a.Device.MIG {
		delete(t.last, uuid)
		return
	}
	if newest := gpu.Time(a.Newest) * gpu.Time(time.Microsecond); newest != 0 && (t.newest == 0 || newest < t.newest) {
		t.newest = newest
	}
	if known && t.at != 0 {
		now.due += at.Sub(t.at)
		now.delivered += max(observed-before, 0) // a series that ended isn't told again
	}
}

// window forgets what was more than a minute ago.
func (t *tally) window(now cover) {
	t.covered = append(t.covered, now)
	for len(t.covered) > 1 && now.at.Sub(t.covered[0].at) >= time.Minute {
		t.covered = t.covered[1:]
	}
}

// coverage returns the part of the last minute that samples cover, and false
// if there is no device that they could.
func (t *tally) coverage() (float64, bool) {
	var sum cover
	for _, c := range t.covered {
		sum.due += c.due
		sum.delivered += c.delivered
	}
	if sum.due == 0 {
		return 0, false
	}
	// Samples come some seconds late: those of before the minute count too.
	return min(sum.delivered.Seconds()/sum.due.Seconds(), 1), true
}

// count takes the counts of a device.
func (t *tally) count(a *session.Account) {
	drops := map[string]int64{}
	for d, n := range a.Drops {
		drops[d.String()] = n
	}
	t.drops.set(a.Device.UUID, drops, a.Ended)
	t.events.set(a.Device.UUID, events(a.Counts), a.Ended)
}

// events names what was seen in samples and corrected.
func events(c activity.Counts) map[string]int64 {
	return map[string]int64{
		"clamped": c.Clamped, "source_switched": c.Switches, "profiling_stuck": c.Stuck, "counters_reset": c.Resets,
	}
}

// counts are sums over devices that come and go: what a device had when it
// ended stays in the sum.
type counts struct {
	live  map[string]map[string]int64 // by device
	ended map[string]int64
}

func newCounts() counts {
	return counts{live: map[string]map[string]int64{}, ended: map[string]int64{}}
}

func (c *counts) set(device string, now map[string]int64, ended bool) {
	c.live[device] = now
	if ended {
		for name, n := range now {
			c.ended[name] += n
		}
		delete(c.live, device)
	}
}

func (c *counts) sum() map[string]int64 {
	out := maps.Clone(c.ended)
	for _, device := range c.live {
		for name, n := range device {
			out[name] += n
		}
	}
	return out
}
