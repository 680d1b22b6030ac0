// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package session

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/catalog"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/engine"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/sample"
)

// watching is a watch, and up to when it was drained.
type watching struct {
	set
	watch engine.Watch
	since int64 // µs
}

// class says which fields may be in one watch.
type class int

const (
	plain class = iota
	// An XID is stamped with the time of the event, a second or two before it
	// is there: the samples of other fields would make us skip it.
	events
	// One that isn't served fails a watch whole. They are read last: so the best
	// source is never behind another by the time that reads take.
	profiling
	classes
)

func classOf(f sample.Field) class {
	switch {
	case f.Profiling():
		return profiling
	case f == sample.XID:
		return events
	}
	return plain
}

// set are entities and the fields of a class that are served of each of them.
type set struct {
	entities []sample.Entity
	fields   []sample.Field
}

func (s set) key() string { return fmt.Sprint(s.entities, s.fields) }
func (s set) values() int { return len(s.entities) * len(s.fields) }

// watch brings the watches in line with the devices and with what is served.
// New ones begin before old ones end, so that no field of a device that stays
// begins anew.
func (u *use) watch() error {
	needs := u.needs()
	plan := u.sets(needs)
	old := map[string]*watching{}
	since := [classes]int64{}
	for _, w := range u.watches {
		old[w.key()] = w
		if c := classOf(w.fields[0]); since[c] == 0 || w.since < since[c] {
			since[c] = w.since
		}
	}
	var now []*watching
	for _, s := range plan {
		if w, ok := old[s.key()]; ok {
			now = append(now, w)
			delete(old, s.key())
			continue
		}
		begun, err := u.begin(s, since[classOf(s.fields[0])])
		now = append(now, begun...)
		if err != nil {
			u.watches = slices.AppendSeq(now, values(old))
			return err
		}
	}
	u.watches = now
	for _, w := range old {
		if err := u.c.Unwatch(w.watch); err != nil {
			return err
		}
	}
	return nil
}

func values(m map[string]*watching) func(func(*watching) bool) {
	return func(yield func(*watching) bool) {
		for _, w := range m {
			if !yield(w) {
				return
			}
		}
	}
}

// needs finds which fields of which entities tell of the devices.
func (u *use) needs() map[sample.Entity][]sample.Field {
	needs := map[sample.Entity][]sample.Field{}
	u.routes = map[route][]string{}
	for i := range u.devices {
		d := &u.devices[i]
		for _, f := range u.s.config.Fields {
			e, ok := d.From(f)
			if !ok || d.MIG && catalog.OfParts(f) {
				continue
			}
			r := route{e, f}
			if u.routes[r] == nil {
				needs[e] = append(needs[e], f)
			}
			u.routes[r] = append(u.routes[r], d.UUID)
		}
	}
	return needs
}

// sets puts entities together of which the same fields of a class are served.
func (u *use) sets(needs map[sample.Entity][]sample.Field) []set {
	byFields := map[string]*set{}
	var order []string
	for _, e := range sortedKeys(needs) {
		var fields [classes][]sample.Field
		for _, f := range u.support.Served(e, needs[e]) {
			fields[classOf(f)] = append(fields[classOf(f)], f)
		}
		for _, of := range fields {
			if len(of) == 0 {
				continue
			}
			key := fmt.Sprint(of)
			if byFields[key] == nil {
				byFields[key] = &set{fields: of}
				order = append(order, key)
			}
			byFields[key].entities = append(byFields[key].entities, e)
		}
	}
	var all []set
	for _, key := range order {
		all = append(all, *byFields[key])
	}
	slices.SortStableFunc(all, func(a, b set) int { return cmp.Compare(classOf(a.fields[0]), classOf(b.fields[0])) })
	return all
}

func sortedKeys(needs map[sample.Entity][]sample.Field) []sample.Entity {
	var keys []sample.Entity
	for e := range needs {
		keys = append(keys, e)
	}
	slices.SortFunc(keys, func(a, b sample.Entity) int { return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.ID, b.ID)) })
	return keys
}

// begin watches a set; if that isn't served, what is served of each entity.
func (u *use) begin(s set, since int64) ([]*watching, error) {
	w, err := u.c.Watch(s.entities, s.fields, u.s.config.Interval, u.keep(s))
	if err == nil {
		return []*watching{{s, w, since}}, nil
	}
	if !errors.Is(err, engine.ErrNotServed) {
		return nil, err
	}
	var begun []*watching
	served := map[sample.Entity][]sample.Field{}
	for _, e := range s.entities {
		fields, err := u.support.Probe(e, s.fields, func(fields []sample.Field) (bool, error) { return u.try(e, fields) })
		if err != nil {
			return begun, err
		}
		if len(fields) > 0 {
			served[e] = fields
		}
	}
	for _, part := range u.sets(served) {
		w, err := u.c.Watch(part.entities, part.fields, u.s.config.Interval, u.keep(part))
		if err != nil {
			return begun, err
		}
		begun = append(begun, &watching{part, w, since})
	}
	return begun, nil
}

// try watches fields for a moment.
func (u *use) try(e sample.Entity, fields []sample.Field) (bool, error) {
	w, err := u.c.Watch([]sample.Entity{e}, fields, u.s.config.Interval, u.s.config.Look)
	if errors.Is(err, engine.ErrNotServed) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, u.c.Unwatch(w)
}

const (
	mostPerRead  = 8_192           // values: 4 KiB each, for a moment
	mostPerWatch = 4 * mostPerRead // values that a watch keeps: what is read after a hang
	mostKeep     = 90 * time.Second
)

// keep is how long the engine keeps the samples of a set: longer than a call
// of an engine that hangs takes, if they aren't too many.
func (u *use) keep(s set) time.Duration {
	return min(mostKeep, u.s.config.Interval*time.Duration(max(mostPerWatch/s.values(), 10)))
}

// every is the time between two drains: a read stays small, and the engine
// isn't asked more often than is worth it.
func (u *use) every() time.Duration {
	values := 1
	for _, w := range u.watches {
		values += w.values()
	}
	few := min(mostPerRead/values, int(u.s.config.Slowest/u.s.config.Interval), 5)
	return u.s.config.Interval * time.Duration(max(few, 1))
}

// drain reads what was sampled since the last time. It is told when all of it
// was read: a source of which nothing was read yet would seem to be silent.
func (u *use) drain() error {
	for _, w := range u.watches {
		samples, next, err := u.c.Since(w.watch, w.since)
		switch {
		case errors.Is(err, engine.ErrTimeout):
			return err // the rest is read when the engine wakes
		case err != nil:
			u.deliver()
			return err
		}
		w.since = next
		u.route(samples)
	}
	u.deliver()
	return nil
}

// route lays samples to the devices that they tell of.
func (u *use) route(samples []sample.Raw) {
	read := time.Now().Add(u.s.config.Look).UnixMicro()
	for _, r := range samples {
		if _, drop := sample.Check(r, sample.Window{After: 0, Until: read}); drop == sample.NotSupported || drop == sample.NotPermitted {
			u.support.Learn(r.Entity, r.Field, drop)
		}
		for _, uuid := range u.routes[route{r.Entity, r.Field}] {
			u.drained[uuid] = append(u.drained[uuid], r)
		}
	}
}

func (u *use) deliver() {
	u.s.observe(u.drained, time.Now().Add(u.s.config.Look).UnixMicro())
	clear(u.drained)
}
