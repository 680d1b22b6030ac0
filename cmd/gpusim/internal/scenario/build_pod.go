// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/world"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// occurrence is one pod of those that an entry asks for.
type occurrence struct {
	place    *placeSpec
	first    bool // of the places
	path     string
	name     string
	created  gpu.Time
	long     time.Duration
	activity *pattern
}

// addPods makes the pods of an entry: one for each place and repetition.
func (b *builder) addPods(i int) error {
	s, path := &b.spec.Pods[i], entry("pods", i)
	for k := range s.Places {
		for n := range s.Repeat.Times {
			o := b.occurrenceOf(s, k, n)
			o.path = entry(path+".places", k)
			if o.created >= b.end && n == 0 {
				return mistake(path+".at", o.created.Sub(b.start), "less than the duration, %s", b.spec.Duration)
			}
			if o.created >= b.end {
				break
			}
			if err := b.addPod(s, path, o); err != nil {
				return err
			}
		}
	}
	return nil
}

func (b *builder) occurrenceOf(s *podSpec, k, n int) occurrence {
	place := &s.Places[k]
	o := occurrence{place: place, first: k == 0, name: b.copied(s.Name)}
	if len(s.Places) > 1 {
		o.name += "-" + strconv.Itoa(k)
	}
	if s.Repeat.Times > 1 {
		o.name += "-" + strconv.Itoa(n)
	}
	at := s.At
	if place.At != nil { // 0s, too, is another time than the entry's
		at = *place.At
	}
	o.created = b.at(at + time.Duration(n)*s.Repeat.Every)
	o.long = cmp.Or(place.For, s.For)
	o.activity = cmp.Or(place.Activity, s.Activity)
	return o
}

func (b *builder) addPod(s *podSpec, path string, o occurrence) error {
	node, err := b.node(o.place.Node, o.path+".node")
	if err != nil || node == nil {
		return err
	}
	key := s.Namespace + "/" + o.name
	if b.names[key] {
		return mistake(path+".name", quote(o.name), "another name: a pod of %s has it already", s.Namespace)
	}
	b.names[key] = true
	l := lifeOf(s, o)
	if err := l.check(s, path); err != nil || l.admitted >= b.end {
		return err
	}
	b.pods++
	pod := &world.Pod{Holder: b.holder(s, o.name), Milestones: l.milestones(s), Processes: s.Processes}
	devices, err := b.devicesOf(node, l, o)
	if err != nil {
		return err
	}
	work := l.runs(s, b.words(s, o), b.end)
	for _, d := range devices {
		b.addHold(s, pod, d, l, work, path, o)
	}
	b.addMetrics(s, pod, devices, l, o)
	node.node.Pods = append(node.node.Pods, pod)
	return nil
}

func (b *builder) words(s *podSpec, o occurrence) seedWords {
	return seedWords{b.spec.Seed, s.Namespace, o.name}
}

func (b *builder) holder(s *podSpec, name string) gpu.Holder {
	class, _ := gpu.ParseClass(s.Workload.Class)
	return gpu.Holder{
		Namespace: s.Namespace, Pod: name, Container: s.Container,
		PodUID: uuid(b.spec.Seed, "pod", s.Namespace, name), PodIP: podIP(b.pods),
		Workload: gpu.Workload{
			Kind: s.Workload.Kind, Name: b.copied(cmp.Or(s.Workload.Name, s.Name)),
			Class: class, Group: b.copied(s.Workload.Group),
		},
	}
}

// devicesOf returns the devices that a place names.
func (b *builder) devicesOf(n *nodeBuilder, l *life, o occurrence) (devices []*deviceBuilder, err error) {
	for i, index := range o.place.Devices {
		at := entry(o.path+".devices", i)
		d, err := n.device(index, at)
		if err == nil && d.board {
			err = mistake(at, index, "a device that isn't under mig: name its instances")
		}
		if err != nil {
			return nil, err
		}
		if slices.Contains(devices, d) {
			return nil, mistake(at, index, "each device once")
		}
		devices = append(devices, d)
	}
	held := span(l.admitted, min(l.released, b.end))
	for i, name := range o.place.Instances {
		d := n.living(name, held)
		if d == nil || d.device.Life.From > held.From || d.device.Life.To < held.To {
			return nil, mistake(entry(o.path+".instances", i), quote(name), "an instance of %s that exists from %s to %s",
				n.node.Name, timeOf(held.From), timeOf(held.To))
		}
		if slices.Contains(devices, d) {
			return nil, mistake(entry(o.path+".instances", i), quote(name), "each instance once")
		}
		devices = append(devices, d)
	}
	if len(devices) == 0 {
		return nil, mistake(o.path+".devices", "empty", "at least one of devices or instances")
	}
	return devices, nil
}

// addHold makes the pod hold a device from its admission on.
func (b *builder) addHold(s *podSpec, pod *world.Pod, d *deviceBuilder, l *life, work []run, path string, o occurrence) {
	h := world.Hold{
		Span: span(l.admitted, l.released), Device: d.device.ID, Sharing: d.sharing, Unseen: s.End.Force,
		Activity: except(activityOf(work), d.device.Lost),
	}
	slots := int64(1)
	if d.sharing != gpu.Exclusive && d.sharing != gpu.MIG {
		slots = int64(s.Slots)
		h.Slots = gpu.Slots{N: slots, Of: d.slots}
	}
	pod.Holds = append(pod.Holds, h)
	d.hold(h.Span, slots, o.path, pod.Pod)
	d.parts = append(d.parts, part{h.Span, h.Activity})
	for _, a := range l.attempts {
		b.addLoads(d, a, int64(s.Memory), path+".memory")
	}
}

// addLoads notes the memory that an attempt uses: half of it while it loads.
func (b *builder) addLoads(d *deviceBuilder, a attempt, bytes int64, path string) {
	if bytes == 0 || a.cuda >= min(a.end, b.end) {
		return
	}
	half := bytes / 2
	used := half
	d.loads = append(d.loads, load{a.cuda, half, path})
	if a.loaded < min(a.end, b.end) {
		used = bytes
		d.loads = append(d.loads, load{a.loaded, bytes - half, path})
	}
	if a.end < b.end {
		d.loads = append(d.loads, load{a.end, -used, path})
	}
}
