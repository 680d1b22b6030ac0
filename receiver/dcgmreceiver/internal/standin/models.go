// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package standin

import (
	"cmp"
	"fmt"
	"slices"
)

// maxSlices is how many ids of instances DCGM leaves to each board.
const maxSlices = 7

// Instance is a GPU instance with one compute instance that fills it.
type Instance struct {
	Profile string // "1g.10gb"
	Slices  uint
	UUID    string // of the compute instance
	NVML    uint   // the GPU instance's id in NVML, which isn't DCGM's
}

// Model is a kind of board, and what is measured on it.
type Model struct {
	Name        string
	GPM         bool // Hopper and newer: cycle counters too
	Profiling   bool
	MissingFP64 bool // 1006 can't be served
}

// The boards that the tests know.
var (
	H100 = Model{Name: "NVIDIA H100 80GB HBM3", GPM: true, Profiling: true}
	A100 = Model{Name: "NVIDIA A100-SXM4-80GB", Profiling: true}
	L4   = Model{Name: "NVIDIA L4", Profiling: true, MissingFP64: true}
	L40S = Model{Name: "NVIDIA L40S", Profiling: true, MissingFP64: true}
	T4   = Model{Name: "Tesla T4", Profiling: true}
	P4   = Model{Name: "Tesla P4"}
)

// UUID is the one that Board gives to a board.
func UUID(gpu uint) string { return fmt.Sprintf("GPU-00000000-0000-0000-0000-%012d", gpu) }

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
		if err := s.ratios(m, GI(id), CI(id)); err != nil {
			return err
		}
	}
	return nil
}

// measures sets what is measured on a board.
func (s *Script) measures(board Entity, m Model, mig bool) error {
	util, mode := Int(0), Int(0)
	if mig {
		util, mode = IntNotSupported, Int(1)
	}
	for field, v := range map[uint16]Value{
		52: Int(int64(board.ID)), 55: Int(int64(board.ID)), 67: mode, 69: Int(maxSlices), 57: String(fmt.Sprintf("00000000:%02X:00.0", board.ID+1)),
		100: Int(1980), 150: Int(40), 155: Double(70), 156: Int(0), 203: util,

		250: Int(81559), 251: Int(81000), 252: Int(1), 253: Int(558), 526: NotSupported,
	} {
		if err := s.Set(board, field, v); err != nil {
			return err
		}
	}
	for field := uint16(1084); field <= 1096; field++ {
		err := s.Set(board, field, Int(0))
		if !m.GPM {
			err = s.Say("unservable %s %d", board, field)
		}
		if err != nil {
			return err
		}
	}
	if m.GPM { // idle cycles pass too
		if err := s.Say("rate %s 1084 %d", board, cyclesPerSecond); err != nil {
			return err
		}
	}
	return s.ratios(m, board)
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
