// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/deviceid"
)

// Pool is a set of devices that one driver publishes.
type Pool struct{ Driver, Name string }

// Slice is a part of a pool as a driver publishes it. Only slices of the newest
// generation of a pool are valid.
type Slice struct {
	Name       string
	Pool       Pool
	Generation int64
	Offers     []Offer
}

// Offer is a device as its driver publishes it.
type Offer struct {
	ID
	UUID, Parent  string // as NVIDIA prints them, "" if not told
	Type, Profile string // "gpu", "mig", "vfio"; of MIG "1g.10gb"
	Node          string // "" if it isn't one node's
	Many          bool   // several claims can have a share of it
	Capacity      map[string]float64
	Taints        []string // keys of those that keep pods away
}

// IsGPU reports whether the device is a GPU, or a part of one.
func (o *Offer) IsGPU() bool {
	return o.ID.IsGPU() || deviceid.IsUUID(o.UUID) || deviceid.IsUUID(o.Parent)
}

// Resolve says which device is meant. A MIG instance that isn't made yet when
// its slice is published has no UUID there.
func (o *Offer) Resolve() deviceid.Device {
	d := deviceid.Device{Ref: o.String(), Sharing: gpu.Exclusive}
	if o.Type == "mig" || strings.HasPrefix(o.UUID, "MIG-") {
		d.Sharing = gpu.MIG
	}
	switch {
	case deviceid.IsUUID(o.UUID):
		d.ID, d.Ref = gpu.DeviceID(o.UUID), o.UUID
	case d.Sharing == gpu.MIG:
		d.Why = deviceid.UnknownMIG
	case o.Type == "vfio", o.Driver != driverNVIDIA:
		d.Why = deviceid.AllocationOnly
	default:
		d.Why = deviceid.UnknownForm
	}
	return d
}

const driverNVIDIA = "gpu.nvidia.com"

// Store is what the API server said of claims, slices and taints. It isn't safe for
// concurrent use. The zero value is empty.
type Store struct {
	claims map[Key]Claim
	slices map[string]Slice // by name
	// offers are all devices that were ever offered: a driver that publishes its
	// slices anew takes nothing away from those who have devices.
	offers map[ID]Offer
	fresh  int             // how many offers there were when the old ones were forgotten last
	rules  map[string]Rule // by name
}

// Put takes a claim, as it is now.
func (s *Store) Put(c Claim) {
	if s.claims == nil {
		s.claims = map[Key]Claim{}
	}
	s.claims[c.Key] = c
}

// Get returns a claim.
func (s *Store) Get(key Key) (Claim, bool) {
	c, ok := s.claims[key]
	return c, ok
}

// Keep forgets all claims but these.
func (s *Store) Keep(keys map[Key]bool) {
	maps.DeleteFunc(s.claims, func(key Key, _ Claim) bool { return !keys[key] })
}

// mostOffers is more devices than a node offers. A cluster offers more: then
// old ones are forgotten when there are as many as current ones.
const mostOffers = 4096

// PutSlice takes a slice, as it is now.
func (s *Store) PutSlice(slice Slice) {
	if s.slices == nil {
		s.slices, s.offers = map[string]Slice{}, map[ID]Offer{}
	}
	s.slices[slice.Name] = slice
	if len(s.offers) > max(mostOffers, 2*s.fresh) {
		s.forget()
	}
	for _, other := range s.slices {
		if other.Pool == slice.Pool && other.Generation > slice.Generation {
			return // void
		}
	}
	for _, o := range slice.Offers {
		s.offers[o.ID] = o
	}
}

// forget forgets the devices that are offered no more.
func (s *Store) forget() {
	clear(s.offers)
	for _, slice := range s.current() {
		for _, o := range slice.Offers {
			s.offers[o.ID] = o
		}
	}
	s.fresh = len(s.offers)
}

// DropSlice takes that there is no such slice any more.
func (s *Store) DropSlice(name string) { delete(s.slices, name) }

// current returns the slices of each pool's newest generation, in order.
func (s *Store) current() []Slice {
	newest := map[Pool]int64{}
	for _, slice := range s.slices {
		newest[slice.Pool] = max(newest[slice.Pool], slice.Generation)
	}
	var out []Slice
	for _, slice := range s.slices {
		if slice.Generation == newest[slice.Pool] {
			out = append(out, slice)
		}
	}
	slices.SortFunc(out, func(a, b Slice) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

// Offer returns a device that is or was offered.
func (s *Store) Offer(id ID) (Offer, bool) {
	o, ok := s.offers[id]
	return o, ok
}

// GPUs returns the GPUs, and parts of GPUs, that are offered now, with the taints
// of rules.
func (s *Store) GPUs() []Offer {
	var out []Offer
	for _, slice := range s.current() {
		for _, o := range slice.Offers {
			if o.IsGPU() {
				o.Taints = s.taints(&o)
				out = append(out, o)
			}
		}
	}
	return out
}

// Board names the physical device: itself, or the one that it is a part of.
func (o *Offer) Board() string {
	switch {
	case o.Parent != "":
		return o.Parent
	case o.UUID != "":
		return o.UUID
	}
	return o.String()
}
