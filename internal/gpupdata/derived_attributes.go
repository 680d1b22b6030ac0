// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpupdata

import (
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// publicDevice returns what derived points say of a device: who it is, and
// where. A name that couldn't be resolved stands in for an ID.
func publicDevice(d gpu.Device) gpu.Device {
	d.Model, d.Slices = "", gpu.Slices{}
	if d.ID != "" {
		d.Ref = ""
	}
	return d
}

// deviceAttributes returns the attributes of every derived point of a device.
func deviceAttributes(d gpu.Device) pcommon.Map {
	d = publicDevice(d)
	m := pcommon.NewMap()
	m.EnsureCapacity(4 + holderAttributes)
	put(m, AttrHWID, string(d.ID))
	put(m, AttrDeviceRef, d.Ref)
	put(m, AttrHWParent, string(d.Parent))
	put(m, AttrNodeName, d.Node)
	return m
}

// accountAttributes returns the attributes of every derived point of an
// account: what is mutable (the model, the pod's address) isn't among them.
func accountAttributes(a *gpu.Account) pcommon.Map {
	m := deviceAttributes(a.Device)
	switch a.Kind {
	case gpu.HolderAccount:
		putPublicHolder(m, a.Holder)
		put(m, AttrAttribution, a.Attribution.String())
	case gpu.OverflowAccount:
		m.PutBool(AttrMetricOverflow, true)
	case gpu.DeviceAccount:
	}
	return m
}

// putPublicHolder puts a holder without the address of its pod.
func putPublicHolder(m pcommon.Map, h gpu.Holder) {
	h.PodIP = ""
	putHolder(m, &h)
}
