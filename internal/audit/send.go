// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"math"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// send is what one send says of a device.
type send struct {
	key     deviceKey
	node    Node
	settled bool // the ledger told a span
	span    time.Duration
	time    gpu.Time // the newest
	start   gpu.Time // the earliest of its series
	allNew  bool
	points  []point

	checked bool   // since can be told
	since   change // since the last send that was accepted
}

// point is the last point of a series of gpu.time.
type point struct {
	series seriesKey
	value  time.Duration
}

// seriesKey identifies a series of a device. Another start makes another
// series: it counts from 0.
type seriesKey struct {
	kind        gpu.AccountKind
	attribution gpu.Attribution
	holder      gpu.Holder
	condition   gpu.Condition
	start       gpu.Time
}

// collect sorts a send by devices, in the order in which they are told.
func collect(sent gpu.Derived, spans []gpu.DeviceSpan) []*send {
	var all []*send
	index := make(map[deviceKey]*send, len(spans))
	of := func(d gpu.Device) *send {
		key := keyOf(d)
		s, ok := index[key]
		if !ok {
			s = &send{key: key, node: Node{d.Node, d.Cluster}, start: gpu.Forever, allNew: true}
			index[key] = s
			all = append(all, s)
		}
		return s
	}
	for i := range spans {
		s := of(spans[i].Device)
		s.settled, s.span = true, spans[i].Span
		s.time = max(s.time, spans[i].Time)
	}
	for i := range sent.Accounts {
		of(sent.Accounts[i].Device).add(&sent.Accounts[i])
	}
	return all
}

func (s *send) add(a *gpu.Account) {
	s.time = max(s.time, a.Time)
	for i := range a.States {
		st := &a.States[i]
		s.start = min(s.start, st.Start)
		s.allNew = s.allNew && st.New
		s.points = append(s.points, point{
			series: seriesKey{a.Kind, a.Attribution, a.Holder, st.Condition, st.Start},
			value:  st.Nanos,
		})
	}
}

// first says whether the points are all that there ever was of the device. If
// more was settled than passed since they began, it lived before.
func (s *send) first() bool {
	return s.allNew && len(s.points) > 0 && s.span <= s.time.Sub(s.start)
}

// change is what a send says of a device, since its base.
type change struct {
	wrong      time.Duration // how much more time passed than was settled
	settled    time.Duration
	unobserved time.Duration
}

// check compares the send with the base of its device, if it has one, and if
// that can be told.
func (s *send) check(b *base) {
	s.checked = true
	if b == nil {
		s.since, s.checked = s.changed(&base{}), s.first()
		return
	}
	s.since = s.changed(b)
	if s.allNew { // either a new life, or a device that the ledger had forgotten
		if anew := s.changed(&base{}); anew.wrong.Abs() < s.since.wrong.Abs() {
			s.since = anew
		}
	}
}

func (s *send) changed(b *base) (c change) {
	var passed, blur time.Duration
	for i := range s.points {
		p := &s.points[i]
		was := b.series[p.series].value // 0 if it is new
		passed += p.value - was
		blur += resolution(p.value) + resolution(was)
		if p.series.condition.State == gpu.Unobserved {
			c.unobserved += p.value - was
		}
	}
	if s.settled {
		c.settled = s.span - b.span
	}
	if c.wrong = passed - c.settled; c.wrong.Abs() <= blur {
		c.wrong = 0
	}
	return c
}

// resolution returns by how many nanoseconds a time can be off that travelled
// as a double of seconds: half the distance to the next one.
func resolution(d time.Duration) time.Duration {
	s := d.Abs().Seconds()
	half := (math.Nextafter(s, math.Inf(1)) - s) / 2
	return time.Duration(math.Round(half * float64(time.Second)))
}
