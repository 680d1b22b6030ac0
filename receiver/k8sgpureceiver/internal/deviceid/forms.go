// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package deviceid

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

const uuid = `[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}`

var (
	// GPU-<uuid>, MIG-<uuid>, and MIG-GPU-<uuid>/<gi>/<ci> of drivers before R470.
	deviceUUID = regexp.MustCompile(`^(?:(?:GPU|MIG)-` + uuid + `|MIG-GPU-` + uuid + `/\d{1,3}/\d{1,3})$`)
	// HAMi, Volcano: GPU-<uuid>-<n>, one dash.
	vgpuUUID = regexp.MustCompile(`^(GPU-` + uuid + `)-(\d{1,5})$`)
	// GKE: nvidia<minor>, nvidia<minor>/gi<gi>, each with /vgpu<n> if it is shared.
	minorName = regexp.MustCompile(`^(nvidia(\d{1,4})(?:/gi(\d{1,3}))?)(?:/vgpu(\d{1,5}))?$`)
	// card<n>-<share>
	cardName = regexp.MustCompile(`^(card\d{1,4})-(\d{1,5})$`)
	replica  = regexp.MustCompile(`^\d{1,9}$`)
)

// IsUUID reports whether s is the UUID of an NVIDIA device or MIG instance.
func IsUUID(s string) bool { return deviceUUID.MatchString(s) }

// nvidia reads the ids of NVIDIA's own plugin and of those that derive theirs
// from it.
func (c *Catalog) nvidia(id string) (Device, bool) {
	whole, slot, shared := strings.Cut(id, "::")
	if shared && !replica.MatchString(slot) {
		return Device{}, false
	}
	switch {
	case IsUUID(whole):
		d := Device{ID: gpu.DeviceID(whole), Ref: whole, Sharing: gpu.Exclusive}
		if strings.HasPrefix(whole, "MIG-") {
			d.Sharing = gpu.MIG
		}
		if shared {
			d.Sharing, d.Slot = c.replicas(), slot
		}
		return d, true
	case !shared:
		if m := vgpuUUID.FindStringSubmatch(id); m != nil {
			return Device{ID: gpu.DeviceID(m[1]), Ref: m[1], Sharing: gpu.VGPU, Slot: m[2]}, true
		}
	}
	return Device{}, false
}

// numbered reads ids that are numbers of a device: GKE's, and bare indexes.
func (c *Catalog) numbered(n Name) Device {
	if m := minorName.FindStringSubmatch(n.ID); m != nil {
		return c.minor(n.Resource, m)
	}
	whole, slot, shared := strings.Cut(n.ID, "::")
	index, err := strconv.ParseUint(whole, 10, 16)
	if err != nil || shared && !replica.MatchString(slot) {
		return Device{Ref: n.String(), Why: UnknownForm, Sharing: gpu.Exclusive}
	}
	d := Device{ID: c.Indexes[int(index)], Ref: Name{n.Resource, whole}.String(), Sharing: gpu.Exclusive}
	if d.ID == "" {
		d.Why = UnknownIndex
	}
	if shared {
		d.Sharing, d.Slot = c.replicas(), slot
	}
	return d
}

// minor reads nvidia<minor>[/gi<gi>][/vgpu<n>]. The number is the minor, which
// isn't NVML's index.
func (c *Catalog) minor(resource string, m []string) Device {
	minor, _ := strconv.Atoi(m[2]) // four digits at most
	d := Device{Ref: Name{resource, m[1]}.String(), Sharing: gpu.Exclusive}
	if m[3] != "" {
		gi, _ := strconv.Atoi(m[3])
		d.ID, d.Why, d.Sharing = c.Instances[Instance{minor, gi}], UnknownMIG, gpu.MIG
		d.Board, d.Number = c.Minors[minor], gi
	} else {
		d.ID, d.Why = c.Minors[minor], UnknownMinor
	}
	if d.ID != "" {
		d.Why, d.Board, d.Number = Resolved, "", 0
	}
	if m[4] != "" {
		d.Sharing, d.Slot = c.replicas(), m[4]
	}
	return d
}

// intel reads card<n>-<share>. A card that isn't shared has one share.
func (c *Catalog) intel(n Name) Device {
	d := Device{Ref: n.String(), Why: AllocationOnly, Sharing: gpu.Exclusive}
	if m := cardName.FindStringSubmatch(n.ID); m != nil {
		d.Ref, d.Sharing, d.Slot = Name{n.Resource, m[1]}.String(), gpu.TimeSlicing, m[2]
	}
	return d
}
