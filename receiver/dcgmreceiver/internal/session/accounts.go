// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package session

import (
	"cmp"
	"slices"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/sample"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/topology"
)

// settle brings the accounts in line with the devices.
func (s *Session) settle(devices []topology.Device, lacks []topology.Lack) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state.Lacks = lacks
	there := map[string]topology.Device{}
	for _, d := range devices {
		there[d.UUID] = d
	}
	for uuid, a := range s.accounts {
		if d, ok := there[uuid]; !ok || !sameShape(a.device, d) {
			s.ended = append(s.ended, a.end())
			delete(s.accounts, uuid)
		}
	}
	for _, d := range devices {
		if a := s.accounts[d.UUID]; a != nil {
			d.Recall(&a.device)
			a.device = d
			continue
		}
		s.accounts[d.UUID] = newAccount(d, s.config.Interval)
	}
}

// sameShape reports whether a device goes on as it was: what measures it may
// have another id now.
func sameShape(a, b topology.Device) bool {
	return a.MIG == b.MIG && a.Parent == b.Parent && a.Slices == b.Slices
}

func (s *Session) observe(byDevice map[string][]sample.Raw, read int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for uuid, samples := range byDevice {
		if a := s.accounts[uuid]; a != nil {
			a.observe(samples, read)
		}
	}
}

// Read returns every device as it stands, by UUID, after those that ended since
// the last call. It never waits for the engine.
func (s *Session) Read() []Account {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.ended
	s.ended = nil
	first := len(all)
	for _, a := range s.accounts {
		all = append(all, a.read())
	}
	slices.SortFunc(all[first:], func(a, b Account) int { return cmp.Compare(a.Device.UUID, b.Device.UUID) })
	return all
}
