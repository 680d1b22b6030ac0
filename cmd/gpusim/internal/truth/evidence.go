// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package truth

import (
	"slices"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// member is a holder of a group, from the set that told of it until the first
// that lacks it, or the end of its device.
type member struct {
	pod          *pod
	device       *device
	joined, left gpu.Time
}

// findMembers finds out who belongs to the groups of a node, and when.
func (n *node) findMembers() {
	n.members = map[string][]member{}
	for _, p := range n.pods {
		group := p.Workload.Group
		for _, d := range n.devices {
			if group != "" && d.open < gpu.Forever && len(d.instances) == 0 {
				n.members[group] = append(n.members[group], d.members(p)...)
			}
		}
	}
}

func (d *device) members(p *pod) (all []member) {
	before, holds := gpu.NoTime, false
	for _, s := range d.node.sets {
		short := before != gpu.NoTime && !d.node.gap(before, s.time) && len(d.ends(p, before, s.time)) > 0
		switch has := s.hasPod(p, d); {
		case has && !holds:
			all = append(all, member{p, d, max(s.time, d.opened), min(gpu.Forever, d.left())})
		case !has && holds:
			all[len(all)-1].left = min(s.time, d.left())
		case !has && short:
			all = append(all, member{p, d, s.time, s.time})
		}
		before, holds = s.time, s.hasPod(p, d)
	}
	return all
}

// left returns when the holders of a device leave at the latest.
func (d *device) left() gpu.Time {
	if d.Life.To < d.node.End() {
		return d.end
	}
	return gpu.Forever
}

// at says how the metrics of a member count for its group on a device that is
// settled up to a time, as known at k.
func (m member) at(settled, k gpu.Time) membership {
	switch {
	case m.joined > k:
		return notYet
	case m.left > k:
		return present
	case settled < m.left:
		return gone
	default:
		return notYet
	}
}

// membership says how the metrics of a member count.
type membership byte

const (
	notYet  membership = iota // not, or not any more
	present                   // all
	gone                      // only those that name its pod: somebody else may have its address
)

// evidenceKey is what the evidence for a pod follows from.
type evidenceKey struct {
	pod     *pod
	members string // how each of its group counts
}

// seriesFor returns the series that are evidence for a pod on a device that is
// settled up to a time, as known at k.
func (d *device) seriesFor(p *pod, settled, k gpu.Time) []*series {
	members := d.node.members[p.Workload.Group]
	states := make([]byte, len(members))
	for i, m := range members {
		states[i] = byte(m.at(settled, k))
	}
	key := evidenceKey{p, string(states)}
	if all, ok := d.evidence[key]; ok {
		return all
	}
	var all []*series
	for _, s := range d.node.series {
		mine := s.joins(p, d) || s.names(p)
		for i, m := range members {
			lasting := s.join.PodUID != "" || s.join.Pod != ""
			state := membership(states[i])
			mine = mine || (state == present || state == gone && lasting) && s.joins(m.pod, m.device)
		}
		if mine {
			all = append(all, s)
		}
	}
	if d.evidence == nil {
		d.evidence = map[evidenceKey][]*series{}
	}
	d.evidence[key] = all
	return all
}

// concerns reports whether a series may be evidence for a pod at some time.
func (d *device) concerns(s *series, p *pod) bool {
	return s.joins(p, d) || s.names(p) || slices.ContainsFunc(d.node.members[p.Workload.Group], func(m member) bool {
		return s.joins(m.pod, m.device)
	})
}

// names reports whether a metric names the group of a pod.
func (s *series) names(p *pod) bool {
	return p.Workload.Group != "" && s.join.Group == p.Workload.Group
}

// joins reports whether a metric names a pod on a device: by the first of its
// UID, name, IP and device that the metric has.
func (s *series) joins(p *pod, d *device) bool {
	switch j := s.join; {
	case j.PodUID != "":
		return j.PodUID == p.PodUID
	case j.Pod != "":
		return j.Namespace == p.Namespace && j.Pod == p.Holder.Pod
	case j.PodIP != "":
		return j.PodIP == p.PodIP
	default:
		return j.Device != "" && j.Device == d.ID
	}
}
