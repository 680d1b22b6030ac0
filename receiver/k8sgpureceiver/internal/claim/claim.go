// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"slices"
	"strings"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// Key names a claim.
type Key struct{ Namespace, Name string }

// ID names a device: unique within a cluster, as long as it isn't replaced.
type ID struct{ Driver, Pool, Device string }

// String returns the name as one text, "gpu.nvidia.com/node-1/gpu-0".
func (i ID) String() string { return i.Driver + "/" + i.Pool + "/" + i.Device }

// IsGPU reports whether a driver's name says that its devices are GPUs. Another
// driver's may be: its ResourceSlices tell.
func (i ID) IsGPU() bool { return strings.HasPrefix(i.Driver, "gpu.") }

// Use is a device that a container has by a claim, as the kubelet lists it. It
// has no request, and doesn't say whether the access is an administrator's.
type Use struct {
	Claim Key
	Device
}

// Device is a device, or a share of one.
type Device struct {
	ID
	Share string // shareID of a device that several claims have, else ""
}

// Claim is what was allocated for a claim, and who may use it.
type Claim struct {
	Key
	Allocated gpu.Time // NoTime: not told
	Grants    []Grant
	// Wants is what it asks for, by device class, of classes of GPUs.
	Wants map[string]int64
	// Pods are the UIDs of those that it is reserved for.
	Pods []string
	// Groups: it is reserved for groups of pods as well, which aren't named.
	Groups bool
}

// Grant is one device that a claim got.
type Grant struct {
	Device
	Request string // "main", or "main/sub" of one with alternatives
	// Admin: access for administration. It holds nothing.
	Admin bool
	// Consumed is how much of the device's capacities a share has.
	Consumed map[string]float64
}

// ReservedFor reports whether a pod may use the claim.
func (c *Claim) ReservedFor(podUID string) bool { return c.Groups || slices.Contains(c.Pods, podUID) }

// isGPUClass reports whether a device class is one of GPUs, by its name: what its
// selectors mean, nobody but the scheduler knows.
func isGPUClass(name string) bool {
	return strings.Contains(name, "gpu") || strings.HasPrefix(name, "mig.")
}

// Find returns the grant of a device.
func (c *Claim) Find(d Device) (Grant, bool) {
	for _, g := range c.Grants {
		if g.Device == d {
			return g, true
		}
	}
	return Grant{}, false
}

// Answers reports whether the grant is one of a request, "" of any.
func (g *Grant) Answers(request string) bool {
	base, _, _ := strings.Cut(g.Request, "/")
	return request == "" || request == g.Request || request == base
}
