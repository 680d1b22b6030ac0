// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpu

// DeviceID is a device's UUID exactly as its vendor prints it ("GPU-…").
// An index is never an identity.
type DeviceID string

// Device identifies a device and says where it is. Only ID is identity; a
// device of which only a source's own name is known has a Ref instead.
type Device struct {
	ID      DeviceID
	Ref     string   // what an allocation called it, if it couldn't be resolved
	Parent  DeviceID // the board of a partition, else empty
	Slices  Slices   // of a partition
	Node    string   // k8s.node.name, else host.name
	Cluster string   // k8s.cluster.name
	Model   string
}

// Slices says which part of its board a MIG compute instance is: N of Of
// compute slices (3 of 7). The zero value is that of a whole device.
type Slices struct{ N, Of int }

// MaxSlices is more than any board has.
const MaxSlices = 64

// Valid reports whether s is a part of a board.
func (s Slices) Valid() bool { return 0 < s.N && s.N <= s.Of && s.Of <= MaxSlices }

// Engine names the part of a device whose activity a sample measures.
type Engine uint8

// The engines that the ledger accounts. Only EngineAny makes states; the
// others are measures of depth.
const (
	EngineAny Engine = iota // any engine busy: DCGM field 1001, else 203
	EngineSM
	EngineTensor
	EngineDRAM
	engines
)

var engineNames = [engines]string{"engine", "sm", "tensor", "dram"}

// String returns the value of the attribute gpu.engine.
func (e Engine) String() string { return engineNames[e] }

// ParseEngine is the inverse of Engine.String. It returns false for an engine
// that the ledger doesn't account (fp64, fp32, …).
func ParseEngine(name string) (Engine, bool) { return parse[Engine](engineNames[:], name) }

// Engines returns the engines that the ledger accounts.
func Engines() []Engine { return []Engine{EngineAny, EngineSM, EngineTensor, EngineDRAM} }

func parse[T ~uint8](names []string, name string) (T, bool) {
	for i, n := range names {
		if n == name {
			return T(i), true
		}
	}
	return 0, false
}
