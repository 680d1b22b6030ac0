// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package deviceid

import (
	"slices"
	"strconv"
	"strings"
)

// KAI Scheduler and Run:ai give a fraction of a GPU to pods that request none.
// A reservation pod holds the device for them.
const (
	NamespaceReservation = "kai-resource-reservation"
	// namespaceRunAI is Run:ai's, and KAI's before 0.6.
	namespaceRunAI = "runai-reservation"

	AnnotationReservedGPU = "run.ai/reserve_for_gpu_index" // holds the UUID, whatever its name says
	AnnotationFraction    = "gpu-fraction"                 // of each device, in (0, 1]
	AnnotationMemory      = "gpu-memory"                   // of each device, in MiB
	AnnotationDevices     = "gpu-fraction-num-devices"     // how many devices, 1 unless it says so

	LabelReservationGroup  = "runai-gpu-group"
	labelReservationPrefix = LabelReservationGroup + "/"
)

// IsReservation reports whether a pod only holds devices for others.
func IsReservation(namespace string, annotations map[string]string) bool {
	return namespace == NamespaceReservation || namespace == namespaceRunAI || annotations[AnnotationReservedGPU] != ""
}

// ReservationGroups returns the groups of reserved devices that a pod's labels
// name, in order: one, or several for a pod with several fractions.
func ReservationGroups(labels map[string]string) []string {
	var groups []string
	if g := labels[LabelReservationGroup]; g != "" {
		groups = append(groups, g)
	}
	for key := range labels {
		if g, ok := strings.CutPrefix(key, labelReservationPrefix); ok && g != "" && !slices.Contains(groups, g) {
			groups = append(groups, g)
		}
	}
	slices.Sort(groups)
	return groups
}

// Fraction is the part of each of its devices that a pod asks for.
type Fraction struct {
	Share     float64 // in (0, 1], 0 if it asks for memory
	MemoryMiB int64   // 0 if it asks for a share
	Devices   int     // how many, at least 1
}

// mostDevices is more than a pod has.
const mostDevices = 64

// ParseFraction reads the annotations of a pod. What can't be read counts as not
// told.
func ParseFraction(annotations map[string]string) Fraction {
	f := Fraction{Devices: 1}
	if share, err := strconv.ParseFloat(annotations[AnnotationFraction], 64); err == nil && share > 0 && share <= 1 {
		f.Share = share
	} else if memory, err := strconv.ParseInt(annotations[AnnotationMemory], 10, 64); err == nil && memory > 0 {
		f.MemoryMiB = memory
	}
	if n, err := strconv.Atoi(annotations[AnnotationDevices]); err == nil && n > 0 && n <= mostDevices {
		f.Devices = n
	}
	return f
}

// Of returns the part of a device with so much memory (0: unknown), and false if
// it can't be told.
func (f Fraction) Of(deviceMiB int64) (share float64, known bool) {
	switch {
	case f.Share > 0:
		return f.Share, true
	case f.MemoryMiB > 0 && deviceMiB > 0:
		return min(float64(f.MemoryMiB)/float64(deviceMiB), 1), true
	}
	return 0, false
}
