// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Package topology makes devices of what DCGM says of its entities: boards, and
// the MIG compute instances that are the parts of them. Pure.
//
// A device is its UUID. DCGM's ids, NVML's ids and indices are good for the
// connection that gave them, and only help to find it.
package topology

import (
	"cmp"
	"slices"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/engine"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/sample"
)

// Device is a board or a part of one.
type Device struct {
	UUID    string
	Entity  sample.Entity
	Status  engine.Status // of the board
	Model   string
	Index   int    // NVML's, of the board; -1: not known
	Minor   int    // -1: not known
	PCI     string // of the board
	Driver  string // version
	MIG     bool   // a board in MIG mode, also without instances
	Count   int    // how many parts a board has
	Parent  string // the board's UUID; "" of a board
	Profile string // "1g.10gb"
	GI, CI  uint   // NVML's ids
	Slices  uint   // of a part
	Of      uint   // slices of the board; 0: not known
	memory  sample.Entity
	alone   bool
}

// From returns the entity that measures a field for the device: an instance
// takes what is measured of GPU instances only from the one it is in, if it is
// alone there. It returns false for what a part has no share of.
func (d *Device) From(f sample.Field) (sample.Entity, bool) {
	spec, ok := sample.SpecOf(f)
	switch {
	case !ok:
		return sample.Entity{}, false
	case d.Entity.Kind <= spec.Level:
		return d.Entity, true
	case spec.Level == sample.GPUInstance && d.alone:
		return d.memory, true
	}
	return sample.Entity{}, false
}

// Facts are what is read of entities, by fields that are texts or modes.
// Whatever isn't a value is the zero value here; MaxSlices too.
type Facts struct {
	UUID, Name, PCI, Driver string
	Index, Minor            int // -1: not known
	MIG                     bool
	MaxSlices               uint
}

// Remember fills what the engine doesn't say of boards any more that are lost
// or detached with what it said before. Both are of one connection.
func Remember(before, now map[sample.Entity]Facts, gpus []engine.GPU) {
	for _, g := range gpus {
		e := sample.Entity{Kind: sample.Board, ID: g.ID}
		old, known := before[e]
		away := g.Status == engine.Lost || g.Status == engine.Detached || g.Status == engine.Inaccessible
		if known && away && now[e].UUID == "" {
			now[e] = old
		}
	}
}

// Lack says why an entity isn't a device now.
type Lack struct {
	Entity sample.Entity
	Reason string // "no_uuid", "no_board", "no_slices", "duplicate"
}

// Build makes devices: each board, followed by its parts by their NVML ids.
func Build(gpus []engine.GPU, instances []engine.Instance, facts map[sample.Entity]Facts) ([]Device, []Lack) {
	b := builder{facts: facts, boards: map[uint]*Device{}, inGI: map[sample.Entity]int{}, gis: map[sample.Entity]engine.Instance{}}
	seen := map[string]bool{}
	var devices []Device
	for _, g := range gpus {
		b.board(g)
	}
	for _, i := range instances {
		b.instance(i)
	}
	for _, i := range instances {
		b.part(i)
	}
	slices.SortStableFunc(b.parts, func(x, y Device) int { return cmp.Or(cmp.Compare(x.GI, y.GI), cmp.Compare(x.CI, y.CI)) })
	for _, g := range gpus {
		board := b.boards[g.ID]
		if board == nil {
			continue
		}
		group := []Device{*board}
		for _, p := range b.parts {
			if p.Parent == board.UUID {
				group = append(group, p)
			}
		}
		group[0].Count = len(group) - 1
		for _, d := range group {
			if seen[d.UUID] {
				b.lacks = append(b.lacks, Lack{d.Entity, "duplicate"})
				continue
			}
			seen[d.UUID] = true
			devices = append(devices, d)
		}
	}
	return devices, b.lacks
}

type builder struct {
	facts  map[sample.Entity]Facts
	boards map[uint]*Device
	gis    map[sample.Entity]engine.Instance
	inGI   map[sample.Entity]int // compute instances in each GPU instance
	parts  []Device
	lacks  []Lack
}

func (b *builder) board(g engine.GPU) {
	e := sample.Entity{Kind: sample.Board, ID: g.ID}
	f := b.facts[e]
	if f.UUID == "" {
		b.lacks = append(b.lacks, Lack{e, "no_uuid"})
		return
	}
	b.boards[g.ID] = &Device{
		UUID: f.UUID, Entity: e, Status: g.Status, Model: f.Name, Index: f.Index, Minor: f.Minor,
		PCI: f.PCI, Driver: f.Driver, MIG: f.MIG, Of: f.MaxSlices,
	}
}

func (b *builder) instance(i engine.Instance) {
	if i.Entity.Kind == sample.GPUInstance {
		b.gis[i.Entity] = i
		if board := b.boards[i.Parent.ID]; board != nil {
			board.MIG = true
		}
		return
	}
	b.inGI[i.Parent]++
}

func (b *builder) part(i engine.Instance) {
	if i.Entity.Kind != sample.ComputeInstance {
		return
	}
	f := b.facts[i.Entity]
	gi, ok := b.gis[i.Parent]
	board := b.boards[gi.Parent.ID]
	switch {
	case !ok || board == nil:
		b.lacks = append(b.lacks, Lack{i.Entity, "no_board"})
	case f.UUID == "":
		b.lacks = append(b.lacks, Lack{i.Entity, "no_uuid"})
	case i.Slices == 0:
		b.lacks = append(b.lacks, Lack{i.Entity, "no_slices"})
	default:
		b.parts = append(b.parts, Device{
			UUID: f.UUID, Entity: i.Entity, Status: board.Status, Model: board.Model, Index: board.Index,
			Minor: board.Minor, PCI: board.PCI, Driver: board.Driver, Parent: board.UUID, Profile: f.Name,
			GI: i.GPUInstance, CI: i.ComputeInstance, Slices: i.Slices, Of: board.Of,
			memory: i.Parent, alone: b.inGI[i.Parent] == 1,
		})
	}
}

// Recall fills what describes a device and can't be read now with what it was
// before: that a read failed is no change of the device.
func (d *Device) Recall(before *Device) {
	d.Model = cmp.Or(d.Model, before.Model)
	d.PCI = cmp.Or(d.PCI, before.PCI)
	d.Driver = cmp.Or(d.Driver, before.Driver)
	d.Profile = cmp.Or(d.Profile, before.Profile)
	if d.Index < 0 {
		d.Index = before.Index
	}
	if d.Minor < 0 {
		d.Minor = before.Minor
	}
}

// Usable reports whether the engine can be asked for samples of a device.
func (d *Device) Usable() bool { return d.Status == engine.OK }
