// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package allocation

import (
	"slices"
	"strconv"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/deviceid"
)

func isReservation(l *life) bool { return deviceid.IsReservation(l.pod.Namespace, l.pod.Annotations) }

// reserved returns what reservation pods hold for this one.
func (b *Book) reserved(l *life) []held {
	groups := deviceid.ReservationGroups(l.pod.Labels)
	if len(groups) == 0 {
		return nil
	}
	var out []held
	for _, r := range b.sorted() {
		uuid := r.pod.Annotations[deviceid.AnnotationReservedGPU]
		if !isReservation(r) || !r.live() || !deviceid.IsUUID(uuid) {
			continue
		}
		for _, group := range deviceid.ReservationGroups(r.pod.Labels) {
			if !slices.Contains(groups, group) {
				continue
			}
			d := deviceid.Device{ID: gpu.DeviceID(uuid), Ref: uuid, Sharing: gpu.TimeSlicing}
			share, known := b.fraction(l, group)
			if !known {
				d.Why = deviceid.UnknownShare
			}
			out = append(out, held{container: firstContainer(&l.pod), device: d, share: share, source: SourceReservation})
		}
	}
	return append(out, b.unreserved(l, len(out))...)
}

// unreserved counts the devices that a pod should have a fraction of, and that
// no reservation pod holds for long. Which they are, nobody says.
func (b *Book) unreserved(l *life, found int) []held {
	if l.bare < patience {
		return nil
	}
	asked := deviceid.ParseFraction(l.pod.Annotations)
	share, _ := asked.Of(b.cfg.Catalog.MemoryMiB)
	var out []held
	for i := found; i < asked.Devices; i++ {
		ref := deviceid.Name{Resource: deviceid.AnnotationFraction, ID: "of " + l.pod.UID + ", " + strconv.Itoa(i)}
		d := deviceid.Device{Ref: ref.String(), Why: deviceid.NoReservation, Sharing: gpu.TimeSlicing}
		out = append(out, held{container: firstContainer(&l.pod), device: d, share: share, source: SourceSpec})
	}
	return out
}

// fraction returns a pod's part of a reserved device, and false if it isn't
// known: then what the others leave is divided equally between those of whom
// it isn't known either.
func (b *Book) fraction(l *life, group string) (share float64, known bool) {
	memory := b.cfg.Catalog.MemoryMiB
	if share, known = deviceid.ParseFraction(l.pod.Annotations).Of(memory); known {
		return share, true
	}
	left, unknown, all := 1.0, 0, 0
	for _, o := range b.sorted() {
		if !o.live() || isReservation(o) || !slices.Contains(deviceid.ReservationGroups(o.pod.Labels), group) {
			continue
		}
		all++
		if taken, told := deviceid.ParseFraction(o.pod.Annotations).Of(memory); told {
			left -= taken
		} else {
			unknown++
		}
	}
	if left <= 0 { // those that are known have too much
		left, unknown = 1, all
	}
	return left / float64(max(unknown, 1)), false
}
