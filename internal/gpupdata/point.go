// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpupdata

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// partitionPrefix begins the UUID of a MIG instance.
const partitionPrefix = "MIG-"

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
// the resource's device, as a whole.
func (p point) device() (gpu.Device, DropReason) {
	d := gpu.Device{}
	if p.namesDevice() {
		d = p.attributes.device()
	} else {
		d = p.resource.named()
	}
	switch {
	case d.ID == "":
		return gpu.Device{}, DropNoDevice
	case d.Parent != "" || strings.HasPrefix(string(d.ID), partitionPrefix):
		return gpu.Device{}, DropPartition
	}
	return d, accepted
}

func (r *resource) named() gpu.Device {
	if !r.read {
		r.device = attributes{own: r.attributes, outer: nothing}.device()
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
