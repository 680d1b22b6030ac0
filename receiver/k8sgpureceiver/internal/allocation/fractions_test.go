// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package allocation

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/deviceid"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/pod"
)

// sharer is a pod with a fraction of the device of a group.
func sharer(uid, group string, annotations map[string]string) *pod.Pod {
	p := holder(uid, 1)
	p.Labels = map[string]string{deviceid.LabelReservationGroup: group}
	p.Annotations, p.Containers[0].Requests = annotations, nil
	return p
}

// reservation holds the n-th device for a group.
func reservation(group string, n int) *pod.Pod {
	p := holder("res-"+group, 1)
	p.Namespace = deviceid.NamespaceReservation
	p.Labels = map[string]string{deviceid.LabelReservationGroup: group}
	p.Annotations = map[string]string{deviceid.AnnotationReservedGPU: uuid(n)}
	return p
}

// after returns what is known of pods, and the devices that aren't known well,
// after some collections.
func after(t *testing.T, memory int64, pods ...*pod.Pod) (got []string, unresolved []Unresolved) {
	t.Helper()
	n := newNode(t, true).sync(0)
	n.cfg.Catalog.MemoryMiB = memory
	var list []Listed
	for _, p := range pods {
		n.pod(p, 2)
		l := listed(p)
		if isReservation(&life{pod: *p}) {
			l = listed(p, p.Annotations[deviceid.AnnotationReservedGPU])
		}
		list = append(list, l)
	}
	var s Set
	for i := range patience + 1 {
		when := float64(10 * (i + 1))
		n.list(when, list...)
		s = n.Set(at(when))
		n.Sent(&s)
	}
	return texts(&s), s.Unresolved
}

func TestFractionsByMemory(t *testing.T) {
	fraction := map[string]string{deviceid.AnnotationFraction: "0.5"}
	memory := map[string]string{deviceid.AnnotationMemory: "10000"}
	a, b, c, d := sharer("a", "g", fraction), sharer("b", "g", memory), sharer("c", "g", memory), sharer("d", "g", nil)

	got, unresolved := after(t, 40_000, a, b, reservation("g", 1))
	require.Equal(t, []string{"a/main " + uuid(1) + " time_slicing since 1s 0.5", "b/main " + uuid(1) + " time_slicing since 1s 0.25"}, got)
	require.Empty(t, unresolved)

	got, unresolved = after(t, 0, a, b, c, reservation("g", 1))
	require.Equal(t, []string{
		"a/main " + uuid(1) + " time_slicing since 1s 0.5",
		"b/main " + uuid(1) + " time_slicing since 1s 0.25", "c/main " + uuid(1) + " time_slicing since 1s 0.25",
	}, got, "what is left, in equal parts")
	require.Equal(t, []Unresolved{{uuid(1), deviceid.UnknownShare}, {uuid(1), deviceid.UnknownShare}}, unresolved)

	all := map[string]string{deviceid.AnnotationFraction: "1"}
	got, _ = after(t, 0, sharer("a", "g", all), d, reservation("g", 1))
	require.Equal(t, []string{"a/main " + uuid(1) + " time_slicing since 1s", "d/main " + uuid(1) + " time_slicing since 1s 0.5"}, got)
}

// TestFractionsOfSeveralDevices: one of two is reserved; the other is counted.
func TestFractionsOfSeveralDevices(t *testing.T) {
	p := sharer("a", "", map[string]string{deviceid.AnnotationFraction: "0.25", deviceid.AnnotationDevices: "2"})
	p.Labels = map[string]string{"runai-gpu-group/g": "g", "runai-gpu-group/h": "h"}
	got, unresolved := after(t, 0, p, reservation("g", 1), reservation("h", 2))
	require.Equal(t, []string{"a/main " + uuid(1) + " time_slicing since 1s 0.25", "a/main " + uuid(2) + " time_slicing since 1s 0.25"}, got)
	require.Empty(t, unresolved)

	got, unresolved = after(t, 0, p, reservation("g", 1))
	ref := "gpu-fraction/of a, 1"
	require.Equal(t, []string{"a/main " + uuid(1) + " time_slicing since 1s 0.25", "a/main " + ref + " time_slicing since 1s 0.25"}, got)
	require.Equal(t, []Unresolved{{ref, deviceid.NoReservation}}, unresolved)

	got, _ = after(t, 0, sharer("b", "g", nil))
	require.Equal(t, []string{"b/main gpu-fraction/of b, 0 exclusive since 1s"}, got, "of a device for itself, as far as is known")
}

// TestRunAIReserves in a namespace of its own, before it knows the device too.
func TestRunAIReserves(t *testing.T) {
	r := reservation("g", 1)
	r.Namespace = "runai-reservation"
	got, _ := after(t, 0, sharer("a", "g", map[string]string{deviceid.AnnotationFraction: "0.5"}), r)
	require.Equal(t, []string{"a/main " + uuid(1) + " time_slicing since 1s 0.5"}, got)
}
