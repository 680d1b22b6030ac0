// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package allocation

import (
	"cmp"
	"slices"
	"strings"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/deviceid"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/pod"
)

// join gives the listed devices to the pods that live, and returns what is
// doubtful and may yet become certain. A doubt that lasts is settled for its pod:
// what isn't proven to be a pod's is nobody's.
func (b *Book) join() (doubt Doubt) {
	b.left = nil
	listed := map[pod.Key]bool{} // with a GPU, or with what a claim gave: an extended resource may be made of claims
	for _, entry := range b.lists.newest {
		listed[entry.Pod] = listed[entry.Pod] || len(entry.Devices) > 0 || b.claimsGPU(entry.Claimed)
		if b.lists.unsure(entry.Pod) {
			continue
		}
		doubt = cmp.Or(doubt, b.joinClaimed(&entry))
		if len(entry.Devices) > 0 {
			doubt = cmp.Or(doubt, b.credit(entry))
		}
	}
	doubt = cmp.Or(doubt, b.unsettled(), b.unread())
	b.bare(listed)
	doubt = cmp.Or(doubt, b.missing(listed))
	b.calm()
	return doubt
}

// credit gives the devices of a listed container to the pod that is proven to
// have them: the status says so, with the UID, or the pod was the only one of
// this name that the kubelet had when the list was asked for.
func (b *Book) credit(entry Listed) Doubt {
	l := b.named(entry.Pod)
	if l == nil {
		if b.lingers(entry) {
			return Certain
		}
		return b.leave(entry, PodUnknown)
	}
	told, known := b.told(l.pod.Container(entry.Container)), l.devices[entry.Container]
	switch {
	case slices.Equal(entry.Devices, told), slices.Equal(entry.Devices, known) && told == nil:
		b.give(l, entry)
	case told != nil || known != nil:
		return b.contradict(l, entry)
	case b.lost && !oneOff(l): // a pod of that name may have come since
		return b.leave(entry, PodUnknown)
	case l.pod.Forced, l.admitted == gpu.NoTime, l.admitted > b.lists.asked: // one deleted by force isn't listed
		return b.leave(entry, PodNewer)
	case !b.cfg.Local && !oneOff(l) && !l.seen(entry):
		return b.leave(entry, PodNewer)
	default:
		b.give(l, entry)
	}
	return Certain
}

func (b *Book) give(l *life, entry Listed) {
	if l.devices[entry.Container] != nil {
		return
	}
	if l.devices == nil {
		l.devices = map[string][]deviceid.Name{}
	}
	l.devices[entry.Container] = entry.Devices
	b.observe(l) // it may be this that makes it a GPU pod
}

// leave leaves listed devices to nobody. If that lasts, they are named.
func (b *Book) leave(entry Listed, d Doubt) Doubt {
	if !b.doubted(entry.Pod, d) {
		return d
	}
	for _, n := range entry.Devices {
		b.left = append(b.left, Unresolved{entry.Pod.Namespace + "/" + entry.Pod.Name + " " + n.String(), deviceid.Doubtful})
	}
	return Certain
}

// contradict takes a list that says other of a container than is known. A pod's
// devices never change: what is listed is another pod's, of which the source
// hasn't told. If that lasts, a pod of which the kubelet itself tells keeps the
// devices that its status has, and so does one that is listed with all that it
// had, and more; any other has ended.
func (b *Book) contradict(l *life, entry Listed) Doubt {
	if l.pod.Forced { // it isn't listed, though it may run: this is another one
		return b.leave(entry, PodUnknown)
	}
	told, known := b.told(l.pod.Container(entry.Container)), l.devices[entry.Container]
	more := told == nil && !b.lost && contains(entry.Devices, known)
	if told != nil && b.cfg.Local {
		delete(l.devices, entry.Container)
	} else if !more {
		l.disagrees = true
	}
	return b.leave(entry, DevicesChanged)
}

func contains(all, some []deviceid.Name) bool {
	for _, n := range some {
		if !slices.Contains(all, n) {
			return false
		}
	}
	return len(some) > 0
}

// told returns the GPUs that the status of a container says it has, nil if it
// says nothing of them.
func (b *Book) told(c *pod.Container) []deviceid.Name {
	if c == nil || len(c.Devices) == 0 {
		return nil
	}
	names := make([]deviceid.Name, 0, len(c.Devices))
	for _, d := range c.Devices {
		names = append(names, deviceid.Name{Resource: d.Resource, ID: d.ID})
	}
	return b.gpus(names)
}

// named returns the life that a listed name belongs to. Of two pods of one
// name, the older is being stopped; the newer is listed.
func (b *Book) named(key pod.Key) *life {
	var found *life
	for _, l := range b.lives {
		if !l.live() || !l.present || l.pod.Key() != key {
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

// oneOff reports whether no other pod gets the name of this one: its controller
// makes a new one each time.
func oneOff(l *life) bool {
	return slices.Contains([]string{"ReplicaSet", "ReplicationController", "Job", "DaemonSet"}, l.pod.Owner.Kind)
}

// seen reports whether an earlier collection's list had the same for this pod.
// The API server's news are older than a list: only the next collection tells
// whether another pod of the name had come by then.
func (l *life) seen(entry Listed) bool {
	before, is := l.listedAs[entry.Container]
	if is && slices.Equal(before.Devices, entry.Devices) {
		return true
	}
	if l.listedAs == nil {
		l.listedAs = map[string]Listed{}
	}
	l.listedAs[entry.Container] = entry
	return false
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

// unsettled returns the doubt about pods of which the two lists differ. What is
// known of such a pod stays.
func (b *Book) unsettled() (doubt Doubt) {
	for key, with := range b.lists.differs {
		l := b.named(key)
		// One without devices may only not have them yet.
		if (with || l == nil || b.mayHold(&l.pod, l)) && !b.doubted(key, ListUnsettled) {
			doubt = ListUnsettled
		}
	}
	return doubt
}
