// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package allocation

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/claim"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/deviceid"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/pod"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/podtest"
)

// TestRecordedClaims: what a real kubelet told and listed of pods with claims,
// with a set at each of its lists.
func TestRecordedClaims(t *testing.T) {
	store := &claim.Store{}
	b := New(Config{Node: "gpu-node-0", Catalog: &deviceid.Catalog{}, Claims: store, Local: true})
	held, closed := map[string]bool{}, []string{}
	steps := podtest.Claims(t)
	b.Synced(steps[0].At)
	var list []Listed
	for _, s := range steps {
		switch {
		case s.Slice != nil:
			store.PutSlice(claim.ReadSlice(s.Slice))
		case s.Claim != nil:
			store.Put(claim.Read(s.Claim))
		case s.Type == "LIST":
			list = recordedList(s.List)
		case s.Type == "DELETED":
			b.Gone(string(s.Pod.UID), s.At)
		default:
			p := pod.Read(s.Pod)
			b.Pod(&p, s.At, true)
		}
		b.List(list, s.At+1)
		b.List(list, s.At+2)
		set := b.Set(s.At + 3)
		for _, a := range set.Allocations {
			held[fmt.Sprintf("%s/%s %s %s %d of %d", a.Holder.Pod, a.Holder.Container, a.Device[len(a.Device)-2:], a.Sharing, a.Slots.N, a.Slots.Of)] = true
		}
		for _, a := range set.Ends {
			closed = append(closed, fmt.Sprintf("%s %s %s–%s", a.Holder.Pod, a.Device[len(a.Device)-2:], clock(a.Begin), clock(a.Time)))
		}
		b.Sent(&set)
	}
	require.Equal(t, []string{
		"dra-shared-a/main 01 dra 1 of 1", "dra-shared-a/main 01 dra 1 of 2", "dra-shared-a/main 02 dra 1 of 1", "dra-shared-a/main 02 dra 1 of 2",
		"dra-shared-b/main 01 dra 1 of 2", "dra-shared-b/main 02 dra 1 of 2",
		"dra-template/main 00 exclusive 0 of 0",
	}, slices.Sorted(maps.Keys(held)))
	require.ElementsMatch(t, []string{
		"dra-shared-a 01 35:04.506–35:09.657", "dra-shared-a 02 35:04.506–35:09.657",
		"dra-shared-b 01 35:04.532–35:09.655", "dra-shared-b 02 35:04.532–35:09.655",
		"dra-template 00 35:04.506–35:09.932",
	}, closed)
}

func recordedList(all []podtest.Listed) (out []Listed) {
	for _, one := range all {
		l := Listed{Pod: pod.Key{Namespace: "ml-team", Name: one.Pod}, Container: one.Container}
		for _, c := range one.Claims {
			for _, device := range c.Devices {
				l.Claimed = append(l.Claimed, claim.Use{
					Claim:  claim.Key{Namespace: "ml-team", Name: c.Claim},
					Device: claim.Device{ID: claim.ID{Driver: "gpu.nvidia.com", Pool: "gpu-node-0", Device: device}},
				})
			}
		}
		out = append(out, l)
	}
	return out
}
