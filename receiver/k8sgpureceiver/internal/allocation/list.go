// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package allocation

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/claim"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/deviceid"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/pod"
)

// lists are the newest two lists of devices.
type lists struct {
	asked     gpu.Time // when the older of the two was asked for
	newest    []Listed // in order, without repeats, GPUs only
	newestAt  gpu.Time
	available bool
	paired    bool // there are two
	// differs are the pods of which the two don't say the same, and whether one
	// of them says that it has a GPU.
	differs map[pod.Key]bool
}

// unsure reports whether the lists say nothing certain of a pod.
func (l *lists) unsure(key pod.Key) bool {
	_, differ := l.differs[key]
	return differ
}

// List takes a list of devices that was asked for at a time, and reports whether
// it equals the one before.
func (b *Book) List(list []Listed, asked gpu.Time) (settled bool) {
	list = b.canonical(list)
	l := &b.lists
	l.paired, l.differs = l.available, ambiguous(list)
	l.asked = asked
	if l.available {
		l.asked = l.newestAt
		differ(l.newest, list, l.differs)
	}
	l.newest, l.newestAt, l.available = list, asked, true
	return l.paired && len(l.differs) == 0
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
	for s := range b.worries {
		if s.holder {
			delete(b.worries, s)
		}
	}
}

// canonical sorts a list and leaves what is a GPU, each once. Containers without
// one stay: whether a pod is listed matters.
func (b *Book) canonical(list []Listed) []Listed {
	out := make([]Listed, 0, len(list))
	for _, l := range list {
		claimed := slices.Clone(l.Claimed)
		slices.SortFunc(claimed, compareUses)
		out = append(out, Listed{l.Pod, l.Container, b.gpus(l.Devices), slices.Compact(claimed)})
	}
	slices.SortFunc(out, func(a, b Listed) int {
		return cmp.Or(comparePlaces(a, b), slices.CompareFunc(a.Devices, b.Devices, compareNames), slices.CompareFunc(a.Claimed, b.Claimed, compareUses))
	})
	return slices.CompactFunc(out, sameListed)
}

// gpus returns those of the names that are GPUs, in order, each once.
func (b *Book) gpus(names []deviceid.Name) []deviceid.Name {
	var out []deviceid.Name
	for _, n := range names {
		if _, ok := b.cfg.Catalog.Resolve(n); ok {
			b.learn(n.Resource)
			out = append(out, n)
		}
	}
	slices.SortFunc(out, compareNames)
	return slices.Compact(out)
}

// comparePlaces orders by pod and container.
func comparePlaces(a, b Listed) int {
	return cmp.Or(strings.Compare(a.Pod.Namespace, b.Pod.Namespace), strings.Compare(a.Pod.Name, b.Pod.Name),
		strings.Compare(a.Container, b.Container))
}

func compareNames(a, b deviceid.Name) int {
	return cmp.Or(strings.Compare(a.Resource, b.Resource), strings.Compare(a.ID, b.ID))
}

func compareUses(a, b claim.Use) int {
	return cmp.Or(strings.Compare(a.Claim.Namespace, b.Claim.Namespace), strings.Compare(a.Claim.Name, b.Claim.Name),
		compareDevices(a.Device, b.Device))
}

func sameListed(a, b Listed) bool {
	return comparePlaces(a, b) == 0 && slices.Equal(a.Devices, b.Devices) && slices.Equal(a.Claimed, b.Claimed)
}

// ambiguous returns the pods of which a list has a container twice, with other
// devices: two pods of one name.
func ambiguous(list []Listed) map[pod.Key]bool {
	out := map[pod.Key]bool{}
	for i := 1; i < len(list); i++ {
		if comparePlaces(list[i-1], list[i]) == 0 {
			out[list[i].Pod] = true
		}
	}
	return out
}

// differ adds the pods of which two lists, both in order, don't say the same.
func differ(a, b []Listed, to map[pod.Key]bool) {
	note := func(l Listed) { to[l.Pod] = to[l.Pod] || len(l.Devices) > 0 || len(l.Claimed) > 0 }
	for len(a) > 0 && len(b) > 0 {
		switch c := comparePlaces(a[0], b[0]); {
		case c < 0:
			note(a[0])
			a = a[1:]
		case c > 0:
			note(b[0])
			b = b[1:]
		default:
			if !sameListed(a[0], b[0]) {
				note(a[0])
				note(b[0])
			}
			a, b = a[1:], b[1:]
		}
	}
	for _, l := range slices.Concat(a, b) {
		note(l)
	}
}

// Unresolved is a device that has no UUID, and why.
type Unresolved struct {
	Name string
	Why  deviceid.Reason
}

// String returns the text that names the device.
func (u Unresolved) String() string { return fmt.Sprintf("%s (%s)", u.Name, u.Why) }
