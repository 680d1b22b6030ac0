// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpupdata

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// isPartition says whether a UUID is that of a MIG instance.
func isPartition(id gpu.DeviceID) bool { return strings.HasPrefix(string(id), "MIG-") }

// resource is a resource's attributes and the device that they name, which is
// read once.
type resource struct {
	attributes pcommon.Map
	device     gpu.Device
	read       bool
}

// point is a number point with all attributes that apply to it.
type point struct {
	pmetric.NumberDataPoint
	attributes
	resource *resource
}

func (r *resource) point(p pmetric.NumberDataPoint) point {
	return point{p, attributes{own: p.Attributes(), outer: r.attributes}, r}
}

func (p point) ended() bool { return p.Flags().NoRecordedValue() }

// namesDevice says whether the point itself names its device.
func (p point) namesDevice() bool { return text(p.own, AttrHWID) != "" }

// device returns the device of a device point. A point that names none is of
// the resource's device, as a whole. A MIG instance can be accounted only with
// its board and its slices.
func (p point) device() (gpu.Device, DropReason) {
	d := gpu.Device{}
	if p.namesDevice() {
		d = p.partOrWhole()
	} else {
		d = p.resource.named()
	}
	switch {
	case d.ID == "":
		return gpu.Device{}, DropNoDevice
	case isPartition(d.ID) && (d.Parent == "" || isPartition(d.Parent) || !d.Slices.Valid()):
		return gpu.Device{}, DropPartition
	}
	return d, accepted
}

// partOrWhole is device with the slices of a MIG instance. What hw.parent says
// of a whole device (an enclosure, say) is no board of ours.
func (a attributes) partOrWhole() gpu.Device {
	d := a.device()
	if isPartition(d.ID) {
		d.Slices = gpu.Slices{N: a.slices(AttrMIGSlices), Of: a.slices(AttrMIGSlicesTotal)}
	} else {
		d.Parent = ""
	}
	return d
}

// slices returns a number of slices; more than there can be is one too many.
func (a attributes) slices(key string) int {
	return int(min(max(a.whole(key), illegible), gpu.MaxSlices+1))
}

func (r *resource) named() gpu.Device {
	if !r.read {
		r.device = attributes{own: r.attributes, outer: nothing}.partOrWhole()
		r.read = true
	}
	return r.device
}

// labels returns the pod that a device's sample names by its labels. The
// resource is asked only if it is the device's own: else it is that of an
// exporter, whose pod holds nothing.
func (p point) labels() gpu.Holder {
	if p.namesDevice() {
		return attributes{own: p.own, outer: nothing}.holder()
	}
	return p.holder()
}
