// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package allocation

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/deviceid"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/pod"
)

// Who says that a pod has a device.
const (
	SourceList        = "podresources"
	SourceStatus      = "pod_status"  // allocatedResourcesStatus
	SourceClaim       = "claim"       // a ResourceClaim that the pod uses
	SourceAnnotation  = "annotation"  // HAMi
	SourceReservation = "reservation" // KAI, Run:ai
	SourceSpec        = "spec"        // the request: which device it is, nobody says
)

// missingFor is how long a pod that runs has to be missing from the lists.
const missingFor = 30 * time.Second

// held is a device, or slots of one, that a container has.
type held struct {
	container string
	device    deviceid.Device
	slots     []string
	share     float64   // 0: by slots
	parts     gpu.Slots // of a device that claims share; zero: by slots
	source    string
	// parent and profile are those of a MIG instance whose UUID isn't known.
	parent, profile string
}

// claims returns what a pod holds, by container and device.
func (b *Book) claims(l *life) []held {
	if isReservation(l) {
		return nil // those for whom it reserves hold the device
	}
	if text := l.pod.Annotations[deviceid.AnnotationHAMi]; text != "" {
		if slices, err := deviceid.ParseHAMi(text); err == nil && len(slices) > 0 {
			return b.virtual(l, slices)
		}
	}
	var out []held
	for i := range l.pod.Containers {
		out = append(out, b.containerClaims(l, &l.pod.Containers[i])...)
	}
	if out = append(out, b.dynamic(l)...); len(out) > 0 {
		return out
	}
	if out = b.reserved(l); len(out) > 0 {
		return out
	}
	return b.requested(l)
}

// containerClaims unites what lists and the status say of a container. The
// status, which has the UID, has no sidecars; lists lack a pod that was deleted
// by force.
func (b *Book) containerClaims(l *life, c *pod.Container) []held {
	names, source := l.devices[c.Name], SourceList
	if told := b.told(c); told != nil && !slices.Equal(told, names) {
		names, source = told, SourceStatus
	}
	byDevice := map[string]*held{}
	for _, n := range names {
		d, ok := b.cfg.Catalog.Resolve(n)
		if !ok {
			continue
		}
		h := byDevice[d.Key()]
		if h == nil {
			h = &held{container: c.Name, device: d, source: source}
			byDevice[d.Key()] = h
		}
		if d.Slot != "" && !slices.Contains(h.slots, d.Slot) {
			h.slots = append(h.slots, d.Slot)
		}
	}
	out := make([]held, 0, len(byDevice))
	for _, key := range slices.Sorted(maps.Keys(byDevice)) {
		out = append(out, *byDevice[key])
	}
	return out
}

// virtual returns what HAMi's scheduler gave.
func (b *Book) virtual(l *life, parts []deviceid.Slice) []held {
	names := []string{}
	for i := range l.pod.Containers {
		if !l.pod.Containers[i].Init {
			names = append(names, l.pod.Containers[i].Name)
		}
	}
	var out []held
	for _, p := range parts {
		if p.Container >= len(names) {
			continue
		}
		d := deviceid.Device{ID: p.Device, Ref: string(p.Device), Sharing: gpu.VGPU}
		out = append(out, held{
			container: names[p.Container], device: d, slots: []string{"0"}, share: p.Share(), source: SourceAnnotation,
		})
	}
	return out
}

func firstContainer(p *pod.Pod) string {
	for i := range p.Containers {
		if !p.Containers[i].Init {
			return p.Containers[i].Name
		}
	}
	return ""
}

// requested counts the devices of a pod that is listed without any for long: no
// source says which they are, as of those that only init containers ask for.
func (b *Book) requested(l *life) []held {
	if l.pod.Over() || l.bare < patience || l.pod.Extended != "" { // claims serve what it asks for
		return nil
	}
	most, name, container := int64(0), "", ""
	for i := range l.pod.Containers {
		c := &l.pod.Containers[i]
		for _, resource := range slices.Sorted(maps.Keys(c.Requests)) {
			if n := c.Requests[resource]; b.isGPU(resource) && n > most {
				most, name, container = n, resource, c.Name
			}
		}
	}
	var out []held
	for i := range min(most, mostRequested) {
		ref := deviceid.Name{Resource: name, ID: "requested by " + l.pod.UID + ", " + strconv.FormatInt(i, 10)}
		d := deviceid.Device{Ref: ref.String(), Why: deviceid.UnknownForm, Sharing: gpu.Exclusive}
		out = append(out, held{container: container, device: d, source: SourceSpec})
	}
	return out
}

// mostRequested is more devices than a node has.
const mostRequested = 256

// mayHold reports whether a pod can hold a device: then its start matters.
func (b *Book) mayHold(p *pod.Pod, l *life) bool {
	if p.Annotations[deviceid.AnnotationHAMi] != "" || len(deviceid.ReservationGroups(p.Labels)) > 0 {
		return !deviceid.IsReservation(p.Namespace, p.Annotations)
	}
	for i := range p.Containers {
		if b.holds(l, p.Containers[i].Name) {
			return true
		}
	}
	return false
}

// holds reports whether a container has, or asks for, a device.
func (b *Book) holds(l *life, container string) bool {
	c := l.pod.Container(container)
	if c == nil {
		return false
	}
	if len(l.devices[container]) > 0 {
		return true
	}
	for resource := range c.Requests {
		if b.isGPU(resource) {
			return true
		}
	}
	if b.told(c) != nil {
		return true
	}
	if b.mayGet(l, c) {
		return true
	}
	fraction := len(deviceid.ReservationGroups(l.pod.Labels)) > 0 || l.pod.Annotations[deviceid.AnnotationHAMi] != ""
	return fraction && !c.Init && container == cmp.Or(firstContainer(&l.pod), container)
}
