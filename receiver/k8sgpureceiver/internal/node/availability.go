// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package node

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/claim"
)

// Standing is what may keep pods away from the devices of a node.
type Standing struct {
	Time    gpu.Time
	Plugins []gpu.Availability // of devices that plugins ever offered
	Offers  []claim.Offer      // of DRA drivers
	Boards  []gpu.DeviceID     // further devices of the node
	// Known: the node was read. Closed says why it takes no pods, NoReason if it
	// does.
	Known  bool
	Closed gpu.Reason
}

// Availability returns a point for each device, in order. What is wrong with the
// device itself counts before what is wrong with its node.
func (s *Standing) Availability() []gpu.Availability {
	known := map[gpu.DeviceID]gpu.Availability{}
	for _, a := range s.Plugins {
		known[a.Device] = a
	}
	for i := range s.Offers {
		o := &s.Offers[i]
		id := o.Resolve().ID
		if before, ok := known[id]; id == "" || ok && !before.Available {
			continue
		}
		reason := tainted(o.Taints)
		known[id] = gpu.Availability{Device: id, Time: s.Time, Available: reason == gpu.NoReason, Reason: reason}
	}
	if s.Known {
		s.ofNode(known)
	}
	return slices.SortedFunc(maps.Values(known), func(a, b gpu.Availability) int { return cmp.Compare(a.Device, b.Device) })
}

// ofNode adds what the node says of its devices, of all that are known.
func (s *Standing) ofNode(known map[gpu.DeviceID]gpu.Availability) {
	boards := slices.Clone(s.Boards)
	for i := range s.Offers {
		if parent := s.Offers[i].Parent; parent != "" {
			boards = append(boards, gpu.DeviceID(parent))
		}
	}
	for _, id := range boards {
		if _, ok := known[id]; !ok {
			known[id] = gpu.Availability{Device: id, Time: s.Time, Available: true}
		}
	}
	for id, a := range known {
		if a.Available && s.Closed != gpu.NoReason {
			known[id] = gpu.Availability{Device: id, Time: s.Time, Reason: s.Closed}
		}
	}
}

// tainted returns why taints keep pods away from a device: NVIDIA's driver
// taints those that are broken.
func tainted(keys []string) gpu.Reason {
	reason := gpu.NoReason
	for _, key := range keys {
		if key == "gpu.nvidia.com/xid" || key == "gpu.nvidia.com/gpu-lost" || strings.HasSuffix(key, "/unhealthy") {
			return gpu.ReasonHealth
		}
		reason = gpu.ReasonTaint
	}
	return reason
}
