// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package world

import "github.com/otelcol-gpu/otelcol-gpu/internal/gpu"

// Device is a GPU, a MIG instance or a board in MIG mode. A board has instances
// in the same node that name it as their parent, and no activity of its own.
type Device struct {
	gpu.Device
	Life     Span     // of a MIG instance; of a device it is the world's time
	Activity Activity // of all that runs on it, whoever's it is
	Memory   []Memory // used, in order of time
	Lost     []Span   // nothing can be read of it, and it is said to have failed
	Closed   []Closed // it can't be given to a pod
}

// Memory is how many bytes are used from a time on.
type Memory struct {
	From  gpu.Time
	Bytes uint64
}

// MemoryAt returns the bytes used at t.
func (d *Device) MemoryAt(t gpu.Time) (bytes uint64) {
	for _, m := range d.Memory {
		if m.From <= t {
			bytes = m.Bytes
		}
	}
	return bytes
}

// Closed is a time in which a device isn't available, and why: health, taint,
// node or reconfiguration.
type Closed struct {
	Span
	Reason gpu.Reason
}

// ClosedAt returns why the device isn't available at t, NoReason if it is.
func (d *Device) ClosedAt(t gpu.Time) gpu.Reason {
	for _, c := range d.Closed {
		if c.Has(t) {
			return c.Reason
		}
	}
	return gpu.NoReason
}

// Instances returns the MIG instances of a board.
func (n *Node) Instances(board gpu.DeviceID) (instances []*Device) {
	for _, d := range n.Devices {
		if d.Parent == board {
			instances = append(instances, d)
		}
	}
	return instances
}
