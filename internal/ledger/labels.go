// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"slices"
	"strings"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// labelSet is what the labels of a device's samples of one time say, by slot.
type labelSet []label

// label says whose a slot of a device is; without a name it is the whole device.
type label struct {
	slot   string
	holder gpu.Holder
}

// addLabel takes in a label. Of two holders of one slot, the one with the larger
// key counts.
func (d *device) addLabel(a gpu.DeviceAllocation) {
	i, found := d.labelSets.find(a.Time)
	if !found {
		d.labelSets.insert(i, level[labelSet]{time: a.Time})
	}
	set := &d.labelSets.timeline[i].value
	at, found := slices.BinarySearchFunc(*set, a.Slot, func(l label, slot string) int { return strings.Compare(l.slot, slot) })
	switch {
	case !found:
		*set = slices.Insert(*set, at, label{a.Slot, a.Holder})
	case a.Holder.Key() > (*set)[at].holder.Key():
		(*set)[at].holder = a.Holder
	}
}

// claims returns what the labels say of a device. If there are slots, they are
// all that it has.
func (s labelSet) claims() *claims {
	c := &claims{byPod: map[string]claim{}}
	if len(s) > 1 && s[0].slot == "" {
		s = s[1:]
	}
	byPod := map[string][]gpu.Allocation{}
	for _, l := range s {
		key := l.holder.Key()
		if key == "" {
			continue
		}
		a := gpu.Allocation{Holder: l.holder, Share: 1, Sharing: gpu.Exclusive}
		if l.slot != "" {
			a.Sharing, a.Slots = gpu.TimeSlicing, gpu.Slots{N: 1, Of: int64(len(s))}
		}
		byPod[key] = append(byPod[key], a)
	}
	for pod, slots := range byPod {
		c.byPod[pod] = claimOf(slots)
	}
	return c
}

func archiveLabelSet(a *archive, s *labelSet) {
	archiveSlice(a, (*[]label)(s), func(a *archive, l *label) {
		archiveString(a, &l.slot)
		archiveHolder(a, &l.holder)
	})
}
