// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package sample

// Kind is a level of DCGM's hierarchy.
type Kind uint8

// The levels: a board, a MIG GPU instance on it, a compute instance in that.
const (
	Board Kind = iota
	GPUInstance
	ComputeInstance
)

var kindNames = [...]string{"board", "gpu_instance", "compute_instance"}

func (k Kind) String() string { return kindNames[k] }

// Entity is what a field is measured on. The id is DCGM's, good for one
// connection: after a reconfiguration or a restart it may be another's.
type Entity struct {
	Kind Kind
	ID   uint
}

// Field is DCGM's numeric id of a field. Names change between releases.
type Field uint16

// Type is the type that the engine gave to a value, which may differ from
// that of the field: an unsupported integer comes as a string.
type Type uint8

// The types. A blob is never a value here.
const (
	Blob Type = iota
	Integer
	Double
	Text
)

// Raw is one sample as the engine gave it. One of Int, Double and Text holds
// the value, by Type.
type Raw struct {
	Entity Entity
	Field  Field
	Type   Type
	Status int   // of the sample, DCGM_ST_…; 0 doesn't mean that there is a value
	Micros int64 // when it was taken, µs since 1970; 0: never
	Int    int64
	Double float64
	Text   string
}
