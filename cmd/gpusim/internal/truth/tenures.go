// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package truth

import (
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// tenure is a span in which a pod holds a device.
type tenure struct {
	span
	pod   *pod
	share share
	stint *stint
}

// findTenures reads the sets: who held the device when, and when nobody knows.
func (d *device) findTenures() {
	if d.open == gpu.Forever || len(d.instances) > 0 {
		return
	}
	n := d.node
	var before []claim // of the set before
	waits := false     // the device wasn't there yet in the set before
	for i, s := range n.sets {
		now := d.claims(s)
		switch {
		case n.step(s.time) < d.opened:
			before, waits = now, true
			continue
		case waits:
			for _, c := range before {
				d.begin(c, span{d.open, d.open}, d.open, true)
			}
		}
		waits = false
		switch {
		case i == 0:
			d.firstSet(s.time, now)
		case n.gap(n.sets[i-1].time, s.time):
			d.unknown = append(d.unknown, span{n.sets[i-1].time, s.time})
			for _, c := range now {
				_, goesOn := claimOf(before, c.pod)
				d.begin(c, span{s.time, s.time}, s.time, goesOn)
			}
		default:
			d.nextSet(span{n.sets[i-1].time, s.time}, before, now)
		}
		before = now
	}
	newest := gpu.NoTime
	if len(n.sets) > 0 {
		newest = n.sets[len(n.sets)-1].time
	}
	d.unknown = append(d.unknown, span{newest, gpu.Forever})
}

// firstSet takes in the first set of a node.
func (d *device) firstSet(s gpu.Time, now []claim) {
	d.unknown = append(d.unknown, span{gpu.NoTime, s})
	for _, c := range now {
		from := s
		if settled := d.settledBefore(s); !d.node.gap(settled, s) {
			from = min(c.begin, s)
		}
		d.begin(c, span{from, s}, s, false)
	}
}

// nextSet takes in the set at the end of s, after that at its beginning.
func (d *device) nextSet(s span, before, now []claim) {
	for _, c := range now {
		if _, held := claimOf(before, c.pod); held {
			d.hold(c, s)
		} else {
			d.begin(c, span{min(c.begin, s.to), s.to}, s.to, false)
		}
	}
	for _, p := range d.node.pods {
		if _, holds := claimOf(now, p); holds {
			continue
		}
		c, held := claimOf(before, p)
		for _, h := range d.ends(p, s.from, s.to) {
			if held {
				t := d.newest(c.pod)
				t.to = max(t.to, h.to)
			} else if from := max(h.from, s.from, d.settledBefore(s.to)); from < h.to {
				d.begin(claim{p, from, h.share}, span{from, h.to}, s.to, false)
			}
		}
	}
}

// hold lets a pod hold throughout s, which had the device at its beginning.
func (d *device) hold(c claim, s span) {
	if t := d.newest(c.pod); t.share == c.share {
		t.to = max(t.to, s.to)
		return
	}
	d.begin(c, s, s.to, true)
}

// begin begins a tenure that is told by the set of a time, but not before what
// is settled by then. A pod that comes back after all of its time was settled
// is a new holder.
func (d *device) begin(c claim, s span, told gpu.Time, goesOn bool) {
	settled := d.settledBefore(told)
	s.from = max(s.from, settled)
	s.to = max(s.from, s.to)
	t := tenure{span: s, pod: c.pod, share: c.share}
	for i := range d.tenures {
		if o := &d.tenures[i]; o.pod == c.pod && (goesOn || o.to > settled) {
			t.stint = o.stint
		}
	}
	if t.stint == nil {
		t.stint = &stint{pod: c.pod, began: s.from}
	}
	d.tenures = append(d.tenures, t)
}

// newest returns the newest tenure of a pod that has one.
func (d *device) newest(p *pod) (t *tenure) {
	for i := range d.tenures {
		if d.tenures[i].pod == p {
			t = &d.tenures[i]
		}
	}
	return t
}
