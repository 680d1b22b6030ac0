// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"slices"
	"strings"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// claims says what a set says of one device.
type claims struct {
	byPod   map[string]claim
	unknown bool // an allocation that can't be attributed
	begin   gpu.Time
}

// claim is what a pod has of a device, over all its containers.
type claim struct {
	gpu.Holder // its container is the first by name
	begin      gpu.Time
	containers []string
	share      share
}

// partitionPrefix begins the UUID of a MIG instance.
const partitionPrefix = "MIG-"

func isPartition(id gpu.DeviceID) bool { return strings.HasPrefix(string(id), partitionPrefix) }

// pseudoID is the id of what an allocation names by something else than the
// UUID of a device. No UUID contains a slash.
func pseudoID(node, ref string) gpu.DeviceID { return gpu.DeviceID(node + "/" + ref) }

// byDevice sorts a set's members by device, several containers of one pod
// becoming one holder.
func (s *allocationSet) byDevice(node string, counts *Counts) map[gpu.DeviceID]*claims {
	members := map[gpu.DeviceID][]gpu.Allocation{}
	for _, a := range s.members {
		id := a.Device
		if id == "" {
			counts.Points[UnresolvedDevice]++
			id = pseudoID(node, a.Ref)
		}
		members[id] = append(members[id], a)
	}
	devices := make(map[gpu.DeviceID]*claims, len(members))
	for id, of := range members {
		devices[id] = claimsOf(of, counts)
	}
	return devices
}

// claimsOf joins the allocations of one device.
func claimsOf(members []gpu.Allocation, counts *Counts) *claims {
	c := &claims{byPod: map[string]claim{}, begin: gpu.Forever}
	byPod := map[string][]gpu.Allocation{}
	for _, a := range members {
		c.begin = min(c.begin, a.Begin)
		if _, why, ok := shareOf(a); !ok {
			counts.Points[why]++
			c.unknown = true
			continue
		}
		byPod[a.Holder.Key()] = append(byPod[a.Holder.Key()], a)
	}
	for pod, containers := range byPod {
		c.byPod[pod] = claimOf(containers)
	}
	return c
}

// claimOf joins the containers of one pod.
func claimOf(containers []gpu.Allocation) claim {
	first := slices.MinFunc(containers, func(a, b gpu.Allocation) int {
		return strings.Compare(a.Holder.Container, b.Holder.Container)
	})
	c := claim{Holder: first.Holder, begin: first.Begin}
	shares, consumed := make([]share, 0, len(containers)), share{of: 1}
	for _, a := range containers {
		s, _, _ := shareOf(a)
		if a.Sharing != gpu.DRA {
			shares = append(shares, s)
		} else if s.largerThan(consumed) { // one claim, for all containers
			consumed = s
		}
		c.begin = min(c.begin, a.Begin)
		c.containers = append(c.containers, containersOf(a.Holder)...)
	}
	slices.Sort(c.containers)
	c.containers = slices.Compact(c.containers) // a pod may have several slots
	if consumed.n > 0 {
		shares = append(shares, consumed)
	}
	c.share = together(shares)
	return c
}

// containersOf returns the container that h names, if it names one.
func containersOf(h gpu.Holder) []string {
	if h.Container == "" {
		return nil
	}
	return []string{h.Container}
}
