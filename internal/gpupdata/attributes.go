// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpupdata

import (
	"net/netip"
	"strconv"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// nothing is the outer map of attributes that have none. It is never written.
var nothing = pcommon.NewMap()

// attributes are those of a point (own) within those of its resource (outer).
type attributes struct {
	own   pcommon.Map
	outer pcommon.Map
}

func text(m pcommon.Map, key string) string {
	if v, ok := m.Get(key); ok {
		return v.Str()
	}
	return ""
}

// str returns a text attribute, "" if there is none.
func (a attributes) str(key string) string {
	if v := text(a.own, key); v != "" {
		return v
	}
	return text(a.outer, key)
}

// word returns an attribute as text, whatever its type; "" if there is none.
func (a attributes) word(key string) string {
	for _, m := range [...]pcommon.Map{a.own, a.outer} {
		if v, ok := m.Get(key); ok {
			if s := v.AsString(); s != "" {
				return s
			}
		}
	}
	return ""
}

// illegible is what a number that can't be read counts as. It is out of the
// range of every number of the contract, so that it isn't taken for "not told".
const illegible = -1

// whole returns an attribute that is a whole number or its digits, 0 if there
// is none.
func (a attributes) whole(key string) int64 {
	v, ok := a.own.Get(key)
	if !ok || unset(v) {
		v, ok = a.outer.Get(key)
	}
	switch {
	case !ok || unset(v):
		return 0
	case v.Type() == pcommon.ValueTypeInt:
		return v.Int()
	case v.Type() == pcommon.ValueTypeStr:
		if n, err := strconv.ParseInt(v.Str(), 10, 64); err == nil {
			return n
		}
	}
	return illegible
}

func unset(v pcommon.Value) bool {
	return v.Type() == pcommon.ValueTypeEmpty || v.Type() == pcommon.ValueTypeStr && v.Str() == ""
}

func (a attributes) node() string {
	if n := a.str(AttrNodeName); n != "" {
		return n
	}
	return a.str(AttrHostName)
}

func (a attributes) device() gpu.Device {
	return gpu.Device{
		ID:      gpu.DeviceID(a.str(AttrHWID)),
		Parent:  gpu.DeviceID(a.str(AttrHWParent)),
		Node:    a.node(),
		Cluster: a.str(AttrClusterName),
		Model:   a.str(AttrHWModel),
	}
}

// pod returns the attributes that may describe a pod: a point that names one
// is asked alone.
func (a attributes) pod() attributes {
	if namesPod(a.own) {
		return attributes{own: a.own, outer: nothing}
	}
	return a
}

func namesPod(own pcommon.Map) bool {
	return text(own, AttrPodUID) != "" || text(own, AttrPodName) != "" || text(own, AttrPodIP) != ""
}

// holder returns the pod that is described; its Key is empty if none is.
func (a attributes) holder() gpu.Holder {
	a = a.pod()
	class, _ := gpu.ParseClass(a.str(AttrWorkloadClass)) // else unclassified
	return gpu.Holder{
		Namespace: a.str(AttrNamespaceName),
		Pod:       a.str(AttrPodName),
		PodUID:    a.str(AttrPodUID),
		PodIP:     a.str(AttrPodIP),
		Container: a.str(AttrContainerName),
		Workload: gpu.Workload{
			Kind:  a.str(AttrWorkloadKind),
			Name:  a.str(AttrWorkloadName),
			Class: class,
			Group: a.str(AttrWorkloadGroup),
		},
	}
}

// hostIP returns the IP address in "ip", "ip:port" or "[ip]:port", else "".
func hostIP(address string) string {
	ip, err := netip.ParseAddr(address)
	if err != nil {
		withPort, err := netip.ParseAddrPort(address)
		if err != nil {
			return ""
		}
		ip = withPort.Addr()
	}
	return ip.Unmap().String()
}
