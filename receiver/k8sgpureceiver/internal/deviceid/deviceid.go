// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package deviceid

import (
	"slices"
	"strings"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// Name is what the kubelet calls one device: the id that its device plugin
// chose, under a resource name.
type Name struct{ Resource, ID string }

// String returns the name as one text, "nvidia.com/gpu/GPU-…".
func (n Name) String() string { return n.Resource + "/" + n.ID }

// Reason says why a device has no UUID.
type Reason string

// The reasons for which a device stays without a UUID.
const (
	Resolved     Reason = ""
	UnknownForm  Reason = "unknown_form"  // no allocator that we know writes ids so
	UnknownMinor Reason = "unknown_minor" // no NVIDIA device of that minor was found on the node
	UnknownIndex Reason = "unknown_index" // no NVIDIA device of that index was found on the node
	UnknownMIG   Reason = "unknown_mig"   // the instance's UUID can't be looked up by its number
	// Claim: a device of a DRA claim that can't be read. It isn't accounted: an
	// administrator's claim, which holds nothing, looks the same.
	Claim          Reason = "claim"
	AdminAccess    Reason = "admin_access"    // of a claim for administration: it holds nothing
	UnknownDevice  Reason = "unknown_device"  // its driver doesn't publish a device of that name
	AllocationOnly Reason = "allocation_only" // AMD, Intel: their devices have no activity here, nor a UUID
	// UnknownShare: which part of the device its holder has, nobody says. The
	// device itself may be known.
	UnknownShare Reason = "unknown_share"
	// NoReservation: a fraction of a device that no reservation pod holds.
	NoReservation Reason = "no_reservation"
	Doubtful      Reason = "doubtful" // listed for a pod that isn't proven to have it: it is nobody's
)

// Reasons returns every reason for which a device isn't known well.
func Reasons() []Reason {
	return []Reason{
		UnknownForm, UnknownMinor, UnknownIndex, UnknownMIG, Claim, AdminAccess, UnknownDevice, AllocationOnly, UnknownShare,
		NoReservation, Doubtful,
	}
}

// Device is what a name means.
type Device struct {
	ID gpu.DeviceID // empty: only Ref is known
	// Ref names the device where ID doesn't. Slots of one device have one Ref.
	Ref string
	Why Reason // ID is empty, or UnknownShare
	// Board is that of a MIG instance without a UUID, if it is known, and Number
	// the instance's on it.
	Board   gpu.DeviceID
	Number  int
	Sharing gpu.Sharing
	// Slot tells apart the slots of a shared device, "" for one that isn't.
	Slot string
}

// Key identifies the device on its node.
func (d Device) Key() string {
	if d.ID != "" {
		return string(d.ID)
	}
	return d.Ref
}

// Instance is a MIG GPU instance: number GI on the board with this minor.
type Instance struct{ Minor, GI int }

// Catalog is what is known of the devices of a node.
type Catalog struct {
	// Resources are further resource names that are GPUs: a plugin may rename
	// its own.
	Resources []string
	// Replicas says how the slots of one device are shared: TimeSlicing, the
	// default, or MPS. The ids don't tell.
	Replicas gpu.Sharing

	Minors    map[int]gpu.DeviceID // by the number in /dev/nvidia<minor>
	Indexes   map[int]gpu.DeviceID // by NVML's index: order of PCI addresses
	Instances map[Instance]gpu.DeviceID
	// MemoryMiB is that of each NVIDIA device of the node, 0 if it isn't known:
	// the node's label nvidia.com/gpu.memory tells.
	MemoryMiB int64
}

// IsGPU reports whether devices of a resource are GPUs.
func (c *Catalog) IsGPU(resource string) bool {
	domain, name, _ := strings.Cut(resource, "/")
	switch domain {
	case "nvidia.com":
		if name == "gpu" || name == "gpu.shared" || strings.HasPrefix(name, "mig-") {
			return true
		}
	case "amd.com":
		if name == "gpu" || isAMDPartition(name) {
			return true
		}
	case "gpu.intel.com":
		if name == "i915" || name == "xe" {
			return true
		}
	}
	return slices.Contains(c.Resources, resource)
}

// isAMDPartition reports whether a name is one of a partition,
// "<compute>_<memory>" as in cpx_nps4.
func isAMDPartition(name string) bool {
	compute, memory, found := strings.Cut(name, "_")
	return found && slices.Contains([]string{"spx", "dpx", "tpx", "qpx", "cpx"}, compute) && strings.HasPrefix(memory, "nps")
}

// Resolve says what a name means. It returns false if it isn't that of a GPU.
// A renamed resource is known by the form of its ids.
func (c *Catalog) Resolve(n Name) (Device, bool) {
	if d, ok := c.nvidia(n.ID); ok {
		return d, true
	}
	if !c.IsGPU(n.Resource) {
		return Device{}, false
	}
	domain, _, _ := strings.Cut(n.Resource, "/")
	switch domain {
	case "amd.com":
		return Device{Ref: n.String(), Why: AllocationOnly, Sharing: gpu.Exclusive}, true
	case "gpu.intel.com":
		return c.intel(n), true
	}
	return c.numbered(n), true
}

func (c *Catalog) replicas() gpu.Sharing {
	if c.Replicas == "" {
		return gpu.TimeSlicing
	}
	return c.Replicas
}
