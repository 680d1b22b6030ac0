// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package activity

import "github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/sample"

// Engine is a part of a device. Only Any makes states of the ledger.
type Engine uint8

// The engines, by what they are called in the attribute gpu.engine.
const (
	Any Engine = iota
	SM
	Tensor
	DRAM
	FP64
	FP32
	FP16
	engines
)

var engineNames = [engines]string{"engine", "sm", "tensor", "dram", "fp64", "fp32", "fp16"}

func (e Engine) String() string { return engineNames[e] }

// Source is where a figure comes from.
type Source uint8

// The sources, by what they are called in the attribute gpu.activity.source.
const (
	Prof   Source = iota // DCGM's profiling: an average over the time between samples
	Util                 // the driver's: the part of the time that a kernel ran
	Cycles               // counters of cycles, averages over the SMs: never of Any
)

var sourceNames = [...]string{"prof", "util", "cycles"}

func (s Source) String() string { return sourceNames[s] }

// ladder says what an engine of an entity is measured by.
type ladder struct {
	engine  Engine
	sources []Source // best first
	check   int      // the rung that tells when the best is stuck; 0: none
}

// ladders of a kind. Cycles and the driver's utilisation are the board's only.
func ladders(kind sample.Kind) []ladder {
	if kind != sample.Board {
		prof := []Source{Prof}
		return []ladder{
			{Any, prof, 0},
			{SM, prof, 0},
			{Tensor, prof, 0},
			{DRAM, prof, 0},
			{FP64, prof, 0},
			{FP32, prof, 0},
			{FP16, prof, 0},
		}
	}
	deep := []Source{Cycles, Prof}
	return []ladder{
		{Any, []Source{Prof, Util}, 1},
		{SM, deep, 0},
		{Tensor, deep, 0},
		{DRAM, []Source{Prof}, 0},
		{FP64, deep, 0},
		{FP32, deep, 0},
		{FP16, deep, 0},
	}
}

// ratioOf says which engine a field measures as a part of the time, and by
// which source.
func ratioOf(f sample.Field) (Engine, Source, bool) {
	switch f {
	case sample.EngineActive:
		return Any, Prof, true
	case sample.Util:
		return Any, Util, true
	case sample.SMActive:
		return SM, Prof, true
	case sample.TensorActive:
		return Tensor, Prof, true
	case sample.DRAMActive:
		return DRAM, Prof, true
	case sample.FP64Active:
		return FP64, Prof, true
	case sample.FP32Active:
		return FP32, Prof, true
	case sample.FP16Active:
		return FP16, Prof, true
	}
	return 0, 0, false
}

// cyclesOf says of which engine a field counts the active cycles.
func cyclesOf(f sample.Field) (Engine, bool) {
	switch f {
	case sample.SMCycles:
		return SM, true
	case sample.TensorCycles:
		return Tensor, true
	case sample.FP64Cycles:
		return FP64, true
	case sample.FP32Cycles:
		return FP32, true
	case sample.FP16Cycles:
		return FP16, true
	}
	return 0, false
}
