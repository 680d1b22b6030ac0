// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package allocation

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/deviceid"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/pod"
)

// lists are the newest two lists of devices.
type lists struct {
	asked     gpu.Time // when the older of the two was asked for
	newest    []Listed // in order, without repeats
	newestAt  gpu.Time
	settled   bool // the two are equal
	available bool
}

// List takes a list of devices that was asked for at a time, and reports whether
// it equals the one before.
func (b *Book) List(list []Listed, asked gpu.Time) (settled bool) {
	list = canonical(list)
	l := &b.lists
	l.settled = l.available && slices.EqualFunc(l.newest, list, sameListed)
	l.asked = asked
	if l.available {
		l.asked = l.newestAt
	}
	l.newest, l.newestAt, l.available = list, asked, true
	return l.settled
}

// ListFailed says that no list came: the next two have to agree again, and
// nobody saw whether a pod was missing meanwhile.
func (b *Book) ListFailed() {
	b.lists = lists{}
	b.missNone()
}

// missNone begins anew to look which pods are missing from the lists.
func (b *Book) missNone() {
	for _, l := range b.lives {
		l.unlisted, l.misses = gpu.NoTime, 0
	}
}

// canonical sorts a list, unites what is listed twice and drops containers
// without devices, but not their pods: whether a pod is listed matters.
func canonical(list []Listed) []Listed {
	out := make([]Listed, 0, len(list))
	for _, l := range list {
		devices := slices.Clone(l.Devices)
		slices.SortFunc(devices, compareNames)
		out = append(out, Listed{l.Pod, l.Container, slices.Compact(devices), l.Claimed})
	}
	slices.SortFunc(out, func(a, b Listed) int {
		return cmp.Or(strings.Compare(a.Pod.Namespace, b.Pod.Namespace), strings.Compare(a.Pod.Name, b.Pod.Name),
			strings.Compare(a.Container, b.Container))
	})
	return out
}

func compareNames(a, b deviceid.Name) int {
	return cmp.Or(strings.Compare(a.Resource, b.Resource), strings.Compare(a.ID, b.ID))
}

func sameListed(a, b Listed) bool {
	return a.Pod == b.Pod && a.Container == b.Container && slices.Equal(a.Devices, b.Devices)
}

// join gives the listed devices to the pods that live, and returns what is
// doubtful about it.
func (b *Book) join(insist bool) (doubt Doubt) {
	listed := map[pod.Key]bool{} // with a GPU, or with what a claim gave: an extended resource may be made of claims
	for _, entry := range b.lists.newest {
		listed[entry.Pod] = listed[entry.Pod] || b.isGPU(entry.Devices) || len(entry.Claimed) > 0
		if !b.isGPU(entry.Devices) {
			continue // other plugins' devices make no holder, so no doubt
		}
		l := b.named(entry)
		switch {
		case l == nil:
			if !b.lingers(entry) {
				doubt = cmp.Or(doubt, PodUnknown)
			}
		case l.arrived > b.lists.asked && !insist:
			doubt = cmp.Or(doubt, PodNewer)
		case l.devices[entry.Container] != nil && !slices.Equal(l.devices[entry.Container], entry.Devices) && !insist:
			doubt = cmp.Or(doubt, DevicesChanged)
		default:
			if l.devices == nil {
				l.devices = map[string][]deviceid.Name{}
			}
			l.devices[entry.Container] = entry.Devices
		}
	}
	b.bare(listed)
	return cmp.Or(doubt, b.missing(listed))
}

// named returns the life that a listed container belongs to. Of two pods of one
// name, the older is being stopped; the newer is listed.
func (b *Book) named(entry Listed) *life {
	var found *life
	for _, l := range b.lives {
		if !l.live() || !l.present || l.pod.Key() != entry.Pod {
			continue
		}
		if found == nil || later(l, found) {
			found = l
		}
	}
	return found
}

func later(a, b *life) bool {
	return cmp.Or(cmp.Compare(a.pod.Created, b.pod.Created), cmp.Compare(a.arrived, b.arrived),
		strings.Compare(a.pod.UID, b.pod.UID)) > 0
}

// lingers reports whether a listed container is that of a pod that has just
// ended: the kubelet lists it until it has cleaned up.
func (b *Book) lingers(entry Listed) bool {
	for _, l := range b.lives {
		if l.ended == nil || l.pod.Key() != entry.Pod || b.lists.newestAt.Sub(l.heard) >= missingFor {
			continue
		}
		if known := l.devices[entry.Container]; known == nil || slices.Equal(known, entry.Devices) {
			return true
		}
	}
	return false
}

// bare counts for how long pods are listed without devices, claimed ones too.
func (b *Book) bare(listed map[pod.Key]bool) {
	for _, l := range b.lives {
		if with, is := listed[l.pod.Key()]; is && !with {
			l.bare++
		} else {
			l.bare = 0
		}
	}
}

func (b *Book) isGPU(names []deviceid.Name) bool {
	return slices.ContainsFunc(names, func(n deviceid.Name) bool {
		_, ok := b.cfg.Catalog.Resolve(n)
		return ok
	})
}

// missing looks at pods that had devices in a list and are listed no more. The
// kubelet's own source tells when they end. The API server's doesn't if it is
// away: then they have ended once they are missing for long enough, and from
// enough lists: a kubelet that starts lists nothing for a moment.
func (b *Book) missing(listed map[pod.Key]bool) (doubt Doubt) {
	if b.cfg.Local {
		return Certain
	}
	for _, l := range b.lives {
		if !l.live() || l.devices == nil {
			continue
		}
		if _, is := listed[l.pod.Key()]; is {
			l.unlisted, l.misses = gpu.NoTime, 0
			continue
		}
		if l.unlisted == gpu.NoTime {
			l.unlisted = b.lists.newestAt
		}
		l.misses++
		if b.lists.newestAt.Sub(l.unlisted) < missingFor || l.misses <= patience {
			doubt = PodUnlisted
			continue
		}
		l.heard = b.lists.newestAt
		l.ended = &pod.Mark{At: max(l.unlisted, l.began.At), Source: SourceList, Uncertainty: pod.Resolution}
	}
	return doubt
}

// claimed returns the devices of DRA claims, each once.
func (l *lists) claimed() []Unresolved {
	var out []Unresolved
	for _, entry := range l.newest {
		for _, n := range entry.Claimed {
			if u := (Unresolved{n.String(), deviceid.Claim}); !slices.Contains(out, u) {
				out = append(out, u)
			}
		}
	}
	return out
}

// Unresolved is a device that has no UUID, and why.
type Unresolved struct {
	Name string
	Why  deviceid.Reason
}

// String returns the text that names the device.
func (u Unresolved) String() string { return fmt.Sprintf("%s (%s)", u.Name, u.Why) }
