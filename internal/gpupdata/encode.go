// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpupdata

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// Encode writes a batch as the points of the contract: one resource for each
// device, holder and node, and for each pod that an application metric names.
// It is the inverse of Decode, up to order, with these limits:
//
//   - A counter is exact below 2²³ s (97 days): a double of seconds has 53 bits.
//   - A milestone is read in whole microseconds.
//   - SeriesEnds are those of gpu.activity: gauges and sums of a source are one
//     series.
//   - A DeviceAllocation is written as labels on the engine's points with its
//     device and time; without such a point it isn't written.
//   - Output.Series must be one that Decode gave, with hw.id if Join has a
//     device; another string becomes the attribute "series".
//   - Of the pod of a milestone or a process only the Key is known; a milestone
//     shares the resource of an allocation of the same pod, if there is one that
//     doesn't name its container.
//   - Of a device without samples, counters and series ends only the ID is known.
//   - What Decode refuses is written, and refused when read.
func Encode(b gpu.Batch) pmetric.Metrics { return EncodeKnowing(b, nil) }

// EncodeKnowing is Encode, if more is known of some devices: of those that the
// batch only names, too, everything is written. Of a MIG instance nothing is
// read without its board and its slices.
func EncodeKnowing(b gpu.Batch, devices map[gpu.DeviceID]gpu.Device) pmetric.Metrics {
	e := newEncoder(devices)
	e.batch(b)
	return e.dest
}

func newEncoder(known map[gpu.DeviceID]gpu.Device) encoder {
	return encoder{
		known:   known,
		dest:    pmetric.NewMetrics(),
		devices: map[gpu.Device]*writer{},
		named:   map[gpu.DeviceID]*writer{},
		holders: map[holderAt]*writer{},
		pods:    map[string]*writer{},
		nodes:   map[place]*writer{},
		joins:   map[gpu.Join]*writer{},
	}
}

func (e *encoder) batch(b gpu.Batch) {
	e.labels(b.DeviceAllocations)
	e.activity(&b)
	e.condition(&b)
	e.allocations(&b)
	e.outputs(b.Outputs)
}

// encoder is one call of Encode.
type encoder struct {
	dest      pmetric.Metrics
	known     map[gpu.DeviceID]gpu.Device
	described map[gpu.DeviceID]gpu.Description
	devices   map[gpu.Device]*writer
	named     map[gpu.DeviceID]*writer // the first resource of each device
	holders   map[holderAt]*writer
	pods      map[string]*writer // the first resource of each Holder.Key
	nodes     map[place]*writer
	joins     map[gpu.Join]*writer
	labeled   map[instant]*gpu.Holder
}

type holderAt struct {
	holder gpu.Holder
	place  place
}

// instant is one device at one time.
type instant struct {
	device gpu.DeviceID
	time   gpu.Time
}

func (e *encoder) device(d gpu.Device) *writer {
	if w, ok := e.devices[d]; ok {
		return w
	}
	rm, w := newResource(e.dest, "")
	putDevice(rm.Resource().Attributes(), d)
	putDescription(rm.Resource().Attributes(), e.described[d.ID])
	e.devices[d] = w
	if _, ok := e.named[d.ID]; !ok {
		e.named[d.ID] = w
	}
	return w
}

// deviceNamed returns the resource of a device of which a point tells the ID
// only.
func (e *encoder) deviceNamed(id gpu.DeviceID) *writer {
	if w, ok := e.named[id]; ok {
		return w
	}
	if d, ok := e.known[id]; ok {
		return e.device(d)
	}
	return e.device(gpu.Device{ID: id})
}

func (e *encoder) holder(h *gpu.Holder, at place) *writer {
	key := holderAt{*h, at}
	if w, ok := e.holders[key]; ok {
		return w
	}
	rm, w := newResource(e.dest, "")
	attrs := rm.Resource().Attributes()
	putPlace(attrs, at)
	putHolder(attrs, h)
	e.holders[key] = w
	if pod := h.Key(); e.pods[pod] == nil {
		e.pods[pod] = w
	}
	return w
}

// passed returns the resource of the pod that passed a milestone.
func (e *encoder) passed(m *gpu.Milestone) *writer {
	ofNone := m.Container == "" && ofHolder(m.Name) // not of the resource's, that is
	if w, ok := e.pods[m.Pod]; ok && !ofNone {
		return w
	}
	h := podWith(m.Pod)
	return e.holder(&h, place{})
}

// podWith returns a pod with that Holder.Key.
func podWith(key string) gpu.Holder {
	if namespace, name, ok := strings.Cut(key, "/"); ok { // no UID has a slash
		return gpu.Holder{Namespace: namespace, Pod: name}
	}
	return gpu.Holder{PodUID: key}
}

func (e *encoder) node(at place) *writer {
	if w, ok := e.nodes[at]; ok {
		return w
	}
	rm, w := newResource(e.dest, "")
	putPlace(rm.Resource().Attributes(), at)
	e.nodes[at] = w
	return w
}

func (e *encoder) join(j gpu.Join) *writer {
	j.Device = "" // is on the point
	if w, ok := e.joins[j]; ok {
		return w
	}
	rm, w := newResource(e.dest, "")
	attrs := rm.Resource().Attributes()
	put(attrs, AttrNamespaceName, j.Namespace)
	put(attrs, AttrPodName, j.Pod)
	put(attrs, AttrPodUID, j.PodUID)
	put(attrs, AttrPodIP, j.PodIP)
	put(attrs, AttrWorkloadGroup, j.Group)
	e.joins[j] = w
	return w
}
