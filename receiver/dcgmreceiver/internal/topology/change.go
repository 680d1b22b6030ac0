// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package topology

import (
	"slices"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/sample"
)

// Change is what two looks at the devices differ in, by UUID.
type Change struct {
	Added []Device // also one whose entity is another now
	Gone  []Device // ended: not there any more, or a part of another board
	Lost  []Device // there, but can't be asked any more
	Back  []Device // can be asked again
}

// Diff compares. What is watched has to change with the entity too: after a
// reconfiguration an id may be another device's.
func Diff(before, now []Device) Change {
	var c Change
	old := byUUID(before)
	for _, d := range now {
		was, known := old[d.UUID]
		switch {
		case !known || !same(was, d):
			c.Added = append(c.Added, d)
		case was.Usable() && !d.Usable():
			c.Lost = append(c.Lost, d)
		case !was.Usable() && d.Usable():
			c.Back = append(c.Back, d)
		}
	}
	current := byUUID(now)
	for _, d := range before {
		if is, there := current[d.UUID]; !there || !same(d, is) {
			c.Gone = append(c.Gone, d)
		}
	}
	return c
}

// same reports whether two looks saw the same thing at the same place.
func same(a, b Device) bool {
	return a.Entity == b.Entity && a.Parent == b.Parent && a.Slices == b.Slices && a.MIG == b.MIG
}

func byUUID(devices []Device) map[string]Device {
	m := make(map[string]Device, len(devices))
	for _, d := range devices {
		m[d.UUID] = d
	}
	return m
}

// Support says which fields are served, per entity: what a model, a driver or
// a mode can't measure isn't asked for, and doesn't spoil the rest.
type Support struct{ refused map[asked]bool }

type asked struct {
	entity sample.Entity
	field  sample.Field
}

// NewSupport knows nothing yet: everything is asked for. It is of one
// connection.
func NewSupport() *Support { return &Support{map[asked]bool{}} }

// Learn takes note of what a sample said of its field.
func (s *Support) Learn(e sample.Entity, f sample.Field, d sample.Drop) {
	switch d {
	case sample.NotSupported, sample.NotPermitted, sample.WrongLevel:
		s.refused[asked{e, f}] = true
	case sample.Kept:
		delete(s.refused, asked{e, f}) // it came with a driver, or a mode
	}
}

// Served returns the fields that are worth asking for.
func (s *Support) Served(e sample.Entity, fields []sample.Field) []sample.Field {
	var served []sample.Field
	for _, f := range fields {
		if !s.refused[asked{e, f}] {
			served = append(served, f)
		}
	}
	return served
}

// Forget forgets an entity: its id may be another's.
func (s *Support) Forget(e sample.Entity) {
	for a := range s.refused {
		if a.entity == e {
			delete(s.refused, a)
		}
	}
}

// Probe finds the fields of an entity that are served together. One that isn't
// makes a watch fail whole, so it adds one after the other to those that are,
// unless all are served at once. watch watches, and ends what it watched if
// that is to be; it returns false if the engine refuses. Its errors end the
// probe.
func (s *Support) Probe(e sample.Entity, fields []sample.Field, watch func([]sample.Field) (bool, error)) ([]sample.Field, error) {
	asking := s.Served(e, fields)
	if len(asking) == 0 {
		return nil, nil
	}
	all, err := watch(asking)
	if err != nil || all {
		return asking, err
	}
	var served []sample.Field
	for _, f := range asking {
		ok, err := watch(append(slices.Clip(served), f))
		if err != nil {
			return nil, err
		}
		if ok {
			served = append(served, f)
		} else {
			s.refused[asked{e, f}] = true
		}
	}
	return served, nil
}
