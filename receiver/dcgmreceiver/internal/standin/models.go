// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package standin

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// maxSlices is how many ids of instances DCGM leaves to each board.
const maxSlices = 7

// maxMemory is in how many slices a board's memory is.
const maxMemory = maxSlices + 1

// Instance is a GPU instance with one compute instance that fills it.
type Instance struct {
	Profile string // "1g.10gb"
	Slices  uint
	Memory  uint   // slices of memory, of eight; 0: as many as of compute
	UUID    string // of the compute instance
	NVML    uint   // the GPU instance's id in NVML, which isn't DCGM's
}

// Model is a kind of board, and what is measured on it.
type Model struct {
	Name        string
	GPM         bool // Hopper and newer: cycle counters too
	Profiling   bool
	MissingFP64 bool // 1006 can't be served
	NVLink      bool
	HBM         bool  // its memory has a temperature and rows that can be replaced
	Pascal      bool  // counts neither energy nor what held the clocks down, but for power and heat
	MiB         int64 // of memory
	Watts       float64
	MHz         int64
}

// The boards that the tests know.
var (
	H100 = Model{Name: "NVIDIA H100 80GB HBM3", GPM: true, Profiling: true, NVLink: true, HBM: true, MiB: 81559, Watts: 70, MHz: 1980}
	A100 = Model{Name: "NVIDIA A100-SXM4-80GB", Profiling: true, NVLink: true, HBM: true, MiB: 81920, Watts: 62, MHz: 1410}
	L4   = Model{Name: "NVIDIA L4", Profiling: true, MissingFP64: true, MiB: 23034, Watts: 16, MHz: 2040}
	L40S = Model{Name: "NVIDIA L40S", Profiling: true, MissingFP64: true, MiB: 46068, Watts: 34, MHz: 2520}
	T4   = Model{Name: "Tesla T4", Profiling: true, MiB: 15360, Watts: 10, MHz: 1590}
	P4   = Model{Name: "Tesla P4", Pascal: true, MiB: 7680, Watts: 7, MHz: 1113}
)

// UUID is the one that Board gives to a board.
func UUID(gpu uint) string { return fmt.Sprintf("GPU-00000000-0000-0000-0000-%012d", gpu) }

// Driver is the version of every board's driver.
const Driver = "570.172.08"

// cyclesPerSecond is what 1084 counts.
const cyclesPerSecond = 1_980_000_000

// Board adds an idle board, with MIG instances if there are any.
func (s *Script) Board(gpu uint, m Model, instances ...Instance) error {
	if err := s.Say("gpu %d %s %d %s", gpu, UUID(gpu), gpu, m.Name); err != nil {
		return err
	}
	if m.GPM {
		if err := s.Say("gpm %d", gpu); err != nil {
			return err
		}
	}
	if err := s.measures(GPU(gpu), m, len(instances) > 0); err != nil {
		return err
	}
	return s.Instances(gpu, m, instances...)
}

// Instances adds MIG instances to a board, with DCGM's ids: the board's × 7
// plus a number, small profiles first.
func (s *Script) Instances(gpu uint, m Model, instances ...Instance) error {
	sorted := slices.SortedStableFunc(slices.Values(instances), func(a, b Instance) int { return cmp.Compare(a.Slices, b.Slices) })
	for n, instance := range sorted {
		id := gpu*maxSlices + uint(n)
		if err := s.Say("gi %d %d %d %d %d %s", id, gpu, instance.NVML, instance.Slices, instance.Slices, instance.Profile); err != nil {
			return err
		}
		if err := s.Say("ci %d %d 0 0 %d %s %s", id, id, instance.Slices, instance.Profile, instance.UUID); err != nil {
			return err
		}
		if err := errors.Join(s.ratios(m, GI(id), CI(id)), s.memory(GI(id), m, cmp.Or(instance.Memory, instance.Slices))); err != nil {
			return err
		}
	}
	return nil
}

// measures sets what is measured on a board.
func (s *Script) measures(board Entity, m Model, mig bool) error {
	err := s.facts(board, m, mig)
	for field, perSecond := range m.counters() {
		err = errors.Join(err, s.counts(board, field, perSecond))
	}
	for field := uint16(1084); field <= 1096; field++ {
		if m.GPM {
			err = errors.Join(err, s.Set(board, field, Int(0)))
		} else {
			err = errors.Join(err, s.Say("unservable %s %d", board, field))
		}
	}
	if m.GPM { // idle cycles pass too
		err = errors.Join(err, s.Say("rate %s 1084 %d", board, cyclesPerSecond),
			s.Say("rate %s 1091 2000000", board), s.Say("rate %s 1092 1000000", board))
	}
	return errors.Join(err, s.rates(board, m), s.ratios(m, board))
}

// facts sets what stays as it is.
func (s *Script) facts(board Entity, m Model, mig bool) error {
	known := map[uint16]Value{
		1: String(Driver), 52: Int(int64(board.ID)), 55: Int(int64(board.ID)), 67: Int(0), 69: Int(maxSlices), 57: String(fmt.Sprintf("00000000:%02X:00.0", board.ID+1)),
		100: Int(m.MHz), 101: Int(m.MHz / 2), 140: IntNotSupported, 150: Int(40), 155: Double(m.Watts), 203: Int(0), 204: Int(0), 206: Int(0), 207: Int(0),
		250: Int(m.MiB), 251: Int(m.MiB - 559), 252: Int(1), 253: Int(558), 254: Double(1 / float64(m.MiB-558)),
		393: IntNotSupported, 394: IntNotSupported, 395: IntNotSupported, 526: NotSupported,
	}
	if mig {
		for _, field := range []uint16{203, 204, 206, 207} {
			known[field] = IntNotSupported
		}
		known[67] = Int(1)
	}
	if m.HBM {
		known[140], known[393], known[394], known[395] = Int(45), Int(0), Int(2), Int(0)
	}
	var err error
	for field, v := range known {
		err = errors.Join(err, s.Set(board, field, v))
	}
	return err
}

// no is the growth of a counter that a model doesn't have.
const no = -1

// counters says by how much each grows in a second.
func (m Model) counters() map[uint16]int64 {
	all := map[uint16]int64{156: int64(m.Watts * 1000), 202: 1000, 240: 250_000_000, 241: 125_000_000, 310: 3000, 311: 2000}
	for field := uint16(242); field <= 247; field++ {
		all[field] = 0
	}
	for _, field := range []uint16{409, 419, 429, 439} {
		all[field] = no
		if m.NVLink {
			all[field] = 0
		}
	}
	all[1201], all[1203] = no, no // of NVLink 5
	if m.Pascal {
		for _, field := range []uint16{156, 242, 243, 244, 245, 246, 247, 310, 311} {
			all[field] = no
		}
	}
	return all
}

func (s *Script) counts(board Entity, field uint16, perSecond int64) error {
	if perSecond == no {
		return s.Set(board, field, IntNotSupported)
	}
	return errors.Join(s.Set(board, field, Int(1_000_000)), s.Say("rate %s %d %d", board, field, perSecond))
}

// rates sets the bytes per second of links.
func (s *Script) rates(board Entity, m Model) error {
	var err error
	for field := uint16(1009); field <= 1012; field++ {
		if m.Profiling && (field <= 1010 || m.NVLink) {
			err = errors.Join(err, s.Set(board, field, Double(float64(field-1008)*1e6)))
		} else {
			err = errors.Join(err, s.Say("unservable %s %d", board, field))
		}
	}
	return err
}

// memory sets the memory of a GPU instance: so many slices of eight.
func (s *Script) memory(instance Entity, m Model, slices uint) error {
	total := m.MiB * int64(min(slices, maxMemory)) / maxMemory
	return errors.Join(s.Set(instance, 250, Int(total)), s.Set(instance, 251, Int(total-80)), s.Set(instance, 252, Int(16)),
		s.Set(instance, 253, Int(64)), s.Set(instance, 254, Double(16/float64(total-64))))
}

// ratios sets the profiling fields of a board or an instance.
func (s *Script) ratios(m Model, entities ...Entity) error {
	for _, e := range entities {
		for field := uint16(1001); field <= 1008; field++ {
			missing := field == 1006 && m.MissingFP64
			var err error
			switch {
			case missing || !m.Profiling:
				err = s.Say("unservable %s %d", e, field)
			default:
				err = s.Set(e, field, Double(0))
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}
