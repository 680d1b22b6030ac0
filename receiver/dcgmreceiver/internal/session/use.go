// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package session

import (
	"errors"
	"fmt"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/engine"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/sample"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/topology"
)

// use is what one connection is used for. Everything in it is of that
// connection: ids mean something else in the next one.
type use struct {
	s         *Session
	c         engine.Client
	looked    time.Time // zero: not yet
	asked     time.Time // since when support is learned
	instances []engine.Instance
	facts     map[sample.Entity]topology.Facts
	devices   []topology.Device
	support   *topology.Support
	watches   []*watching
	routes    map[route][]string      // the UUIDs that a field of an entity tells of
	drained   map[string][]sample.Raw // by UUID: read, and not told yet
}

// route is a field of an entity.
type route struct {
	entity sample.Entity
	field  sample.Field
}

func newUse(s *Session, c engine.Client) *use {
	return &use{s: s, c: c, drained: map[string][]sample.Raw{}, facts: map[sample.Entity]topology.Facts{}, support: topology.NewSupport(), asked: time.Now()}
}

// turn looks, if it is time to, and drains what was sampled.
func (u *use) turn() error {
	if u.looked.IsZero() || time.Since(u.looked) >= u.s.config.Look {
		// First what is there: a look may change the watches.
		if err := u.drain(); err != nil {
			return err
		}
		if err := u.look(); err != nil {
			return err
		}
		u.looked = time.Now()
	}
	return u.drain()
}

// look sees which devices there are now, and watches them.
func (u *use) look() error {
	gpus, err := u.c.GPUs()
	if err != nil {
		return err
	}
	var instances []engine.Instance
	if len(gpus) > 0 { // an engine without NVML fails this
		instances, err = u.c.Instances()
	}
	switch {
	case err == nil:
		u.instances = instances
	case fatal(err) || !away(gpus):
		return err
	} // else: no driver, nobody can say; what was is kept
	now := make(map[sample.Entity]topology.Facts, len(u.facts))
	if err = u.read(entitiesOf(gpus, u.instances), now); err != nil {
		return err
	}
	topology.Remember(u.facts, now, gpus)
	u.facts = now
	devices, lacks := topology.Build(gpus, u.instances, now)
	for _, d := range topology.Diff(u.devices, devices).Gone {
		u.support.Forget(d.Entity)
	}
	u.devices = devices
	// Another client may have had the profiling, or a driver learned more.
	if time.Since(u.asked) >= u.s.config.Ask {
		u.support, u.asked = topology.NewSupport(), time.Now()
	}
	u.s.settle(devices, lacks)
	return u.watch()
}

// fatal reports whether an error concerns more than its call.
func fatal(err error) bool {
	return errors.Is(err, engine.ErrGone) || errors.Is(err, engine.ErrTimeout)
}

// away reports whether the driver is detached.
func away(gpus []engine.GPU) bool {
	for _, g := range gpus {
		if g.Status == engine.Detached {
			return true
		}
	}
	return false
}

// entitiesOf returns what can be a device.
func entitiesOf(gpus []engine.GPU, instances []engine.Instance) []sample.Entity {
	var all []sample.Entity
	for _, g := range gpus {
		all = append(all, sample.Entity{Kind: sample.Board, ID: g.ID})
	}
	for _, i := range instances {
		if i.Entity.Kind == sample.ComputeInstance {
			all = append(all, i.Entity)
		}
	}
	return all
}

// The fields that tell what an entity is.
var factFields = []sample.Field{
	sample.Name, sample.NVMLIndex, sample.UUID, sample.Minor, sample.PCIBusID, sample.DriverVersion, sample.MIGMode, sample.MIGMaxSlices,
}

// read reads the facts of entities. They are watched for it and no longer: a
// watch samples at once, and an id may be another entity's since the last look.
func (u *use) read(entities []sample.Entity, facts map[sample.Entity]topology.Facts) error {
	if len(entities) == 0 {
		return nil
	}
	w, err := u.c.Watch(entities, factFields, u.s.config.Interval, u.s.config.Look)
	if errors.Is(err, engine.ErrNotServed) {
		if len(entities) == 1 {
			return nil // nothing is known of it
		}
		// One of them spoils it for all: each by itself.
		for i := range entities {
			if err = u.read(entities[i:i+1], facts); err != nil {
				return err
			}
		}
		return nil
	}
	if err != nil {
		return fmt.Errorf("read what the devices are: %w", err)
	}
	for _, e := range entities {
		values, err := u.c.Latest(e, factFields)
		if err != nil {
			return err
		}
		facts[e] = factsOf(values, u.window())
	}
	return u.c.Unwatch(w)
}

// window is when a sample of a fact was taken that is read now.
func (u *use) window() sample.Window {
	now := time.Now()
	return sample.Window{After: now.Add(-2 * u.s.config.Look).UnixMicro(), Until: now.Add(u.s.config.Look).UnixMicro()}
}

func factsOf(values []sample.Raw, w sample.Window) topology.Facts {
	f := topology.Facts{Index: -1, Minor: -1}
	for _, r := range values {
		text, drop := sample.CheckText(r, w)
		number, numberDrop := sample.CheckInt(r, w)
		switch {
		case drop == sample.Kept && r.Field == sample.Name:
			f.Name = text
		case drop == sample.Kept && r.Field == sample.UUID:
			f.UUID = text
		case drop == sample.Kept && r.Field == sample.PCIBusID:
			f.PCI = text
		case drop == sample.Kept && r.Field == sample.DriverVersion:
			f.Driver = text
		case numberDrop != sample.Kept || number < 0 || number > 1<<20:
		case r.Field == sample.NVMLIndex:
			f.Index = int(number)
		case r.Field == sample.Minor:
			f.Minor = int(number)
		case r.Field == sample.MIGMode:
			f.MIG = number == 1
		case r.Field == sample.MIGMaxSlices:
			f.MaxSlices = uint(number)
		}
	}
	return f
}
