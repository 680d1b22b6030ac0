// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package allocation

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/claim"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/deviceid"
)

// dynamic returns what a pod holds by claims: a device once for each container.
func (b *Book) dynamic(l *life) []held {
	b.readClaims(l)
	var out []held
	for _, container := range slices.Sorted(maps.Keys(l.given.grants)) {
		grants := l.given.grants[container]
		seen := map[string]bool{}
		for _, device := range slices.SortedFunc(maps.Keys(grants), compareDevices) {
			g := grants[device]
			h, ok := b.granted(l, container, &g)
			if !ok || seen[h.device.Key()] || b.isOfAnInit(l, container, device.ID) {
				continue
			}
			seen[h.device.Key()] = true
			out = append(out, h)
		}
	}
	return out
}

func compareDevices(a, b claim.Device) int {
	return cmp.Or(strings.Compare(a.ID.String(), b.ID.String()), strings.Compare(a.Share, b.Share))
}

// granted returns what a grant means, false if nothing is held by it.
func (b *Book) granted(l *life, container string, g *grant) (held, bool) {
	offer, known := b.cfg.Claims.Offer(g.ID)
	if !known {
		offer = claim.Offer{ID: g.ID}
	}
	if g.Admin || !offer.IsGPU() {
		return held{}, false
	}
	h := held{container: container, device: offer.Resolve(), source: g.source}
	if !known {
		h.device.Why = deviceid.UnknownDevice
	}
	if h.device.ID == "" {
		h.parent, h.profile = offer.Parent, offer.Profile
	}
	all := b.consumers(l, g.ID)
	if !g.shared && g.Share == "" && !offer.Many && !slices.ContainsFunc(all, func(c claim.Consumer) bool { return c.Pod != l.pod.UID }) {
		return h, true
	}
	part := claim.Divide(offer.Capacity, all)[l.pod.UID]
	h.device.Sharing, h.share, h.parts = gpu.DRA, part.Share, part.Slots
	return h, true
}

// consumers returns all pods that have a device now, l among them.
func (b *Book) consumers(l *life, id claim.ID) []claim.Consumer {
	var out []claim.Consumer
	for _, other := range b.sorted() {
		if other != l && !other.live() {
			continue
		}
		for _, container := range slices.Sorted(maps.Keys(other.given.grants)) {
			for device, g := range other.given.grants[container] {
				if device.ID == id && !g.Admin {
					out = append(out, claim.Consumer{Pod: other.pod.UID, Share: device.Share, Consumed: g.Consumed})
				}
			}
		}
	}
	slices.SortStableFunc(out, func(a, b claim.Consumer) int {
		return cmp.Or(strings.Compare(a.Pod, b.Pod), strings.Compare(a.Share, b.Share))
	})
	return out
}

// isOfAnInit reports whether a container only prepares what another one that
// has the device as well goes on with.
func (b *Book) isOfAnInit(l *life, container string, id claim.ID) bool {
	if c := l.pod.Container(container); c == nil || !c.Init || c.Sidecar {
		return false
	}
	for other, grants := range l.given.grants {
		if c := l.pod.Container(other); c == nil || c.Init && !c.Sidecar {
			continue
		}
		for device := range grants {
			if device.ID == id {
				return true
			}
		}
	}
	return false
}
