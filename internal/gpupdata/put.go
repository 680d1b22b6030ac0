// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpupdata

import (
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// holderAttributes is how many attributes putHolder puts at most.
const holderAttributes = 9

func timestamp(t gpu.Time) pcommon.Timestamp { return pcommon.Timestamp(t) }

// put puts an attribute that isn't empty.
func put(m pcommon.Map, key, value string) {
	if value != "" {
		m.PutStr(key, value)
	}
}

func putDevice(m pcommon.Map, d gpu.Device) {
	put(m, AttrHWID, string(d.ID))
	put(m, AttrHWType, TypeGPU)
	put(m, AttrHWParent, string(d.Parent))
	put(m, AttrHWModel, d.Model)
	if d.Slices != (gpu.Slices{}) {
		m.PutInt(AttrMIGSlices, int64(d.Slices.N))
		m.PutInt(AttrMIGSlicesTotal, int64(d.Slices.Of))
	}
	putPlace(m, place{d.Cluster, d.Node})
}

// putDescription puts what a resource tells beside what putDevice put.
func putDescription(m pcommon.Map, d gpu.Description) {
	put(m, AttrHWVendor, d.Vendor)
	put(m, AttrHWDriver, d.Driver)
	put(m, AttrHostName, d.Host)
	put(m, AttrPCIAddress, d.PCI)
	put(m, AttrMIGProfile, d.Profile)
	putInt(m, AttrGPUIndex, d.Index)
	putInt(m, AttrGPUMinor, d.Minor)
	putInt(m, AttrMIGInstance, d.Instance)
}

// putInt puts a number that is known.
func putInt(m pcommon.Map, key string, n *int) {
	if n != nil {
		m.PutInt(key, int64(*n))
	}
}

// place is a node of a cluster.
type place struct{ cluster, node string }

func putPlace(m pcommon.Map, p place) {
	put(m, AttrClusterName, p.cluster)
	put(m, AttrNodeName, p.node)
}

// putHost puts what a node's price may depend on.
func putHost(m pcommon.Map, n *gpu.Node) {
	put(m, AttrHostType, n.HostType)
	put(m, AttrRegion, n.Region)
	put(m, AttrZone, n.Zone)
	put(m, AttrCapacityType, n.CapacityType)
}

// putHolder puts what describes a holder; its class always.
func putHolder(m pcommon.Map, h *gpu.Holder) {
	put(m, AttrNamespaceName, h.Namespace)
	put(m, AttrPodName, h.Pod)
	put(m, AttrPodUID, h.PodUID)
	put(m, AttrPodIP, h.PodIP)
	put(m, AttrContainerName, h.Container)
	put(m, AttrWorkloadKind, h.Workload.Kind)
	put(m, AttrWorkloadName, h.Workload.Name)
	put(m, AttrWorkloadClass, h.Workload.Class.String())
	put(m, AttrWorkloadGroup, h.Workload.Group)
}
