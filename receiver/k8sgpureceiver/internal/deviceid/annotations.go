// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package deviceid

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// AnnotationHAMi is what HAMi's scheduler wrote: the devices that a pod really
// has. The ids that the kubelet chose are then void.
const AnnotationHAMi = "hami.io/vgpu-devices-allocated"

// Slice is a part of a device that a container has by an annotation.
type Slice struct {
	Container int // its place in the pod's containers
	Device    gpu.DeviceID
	MemoryMiB int64
	// Cores is the part of the device's compute in percent, 0 if it has no limit.
	Cores int64
}

// Share returns the part of the device that the slice is entitled to, 0 if the
// annotation doesn't tell.
func (s Slice) Share() float64 { return float64(s.Cores) / 100 }

// ParseHAMi reads the annotation: "UUID,type,memMiB,cores:" per device, ";" per
// container.
func ParseHAMi(text string) ([]Slice, error) {
	var slices []Slice
	for i, container := range strings.Split(text, ";") {
		for device := range strings.SplitSeq(container, ":") {
			if device = strings.TrimSpace(device); device == "" {
				continue
			}
			s, err := parseHAMiDevice(device)
			if err != nil {
				return nil, fmt.Errorf("annotation %s: %w", AnnotationHAMi, err)
			}
			s.Container = i
			slices = append(slices, s)
		}
	}
	return slices, nil
}

func parseHAMiDevice(text string) (Slice, error) {
	fields := strings.Split(text, ",")
	if len(fields) < 4 {
		return Slice{}, fmt.Errorf("%q: want UUID,type,memory,cores", text)
	}
	if !IsUUID(fields[0]) {
		return Slice{}, fmt.Errorf("%q isn't the UUID of a device", fields[0])
	}
	memory, err := strconv.ParseInt(fields[2], 10, 64)
	if err != nil || memory < 0 {
		return Slice{}, fmt.Errorf("memory %q isn't a number of MiB", fields[2])
	}
	cores, err := strconv.ParseInt(fields[3], 10, 64)
	if err != nil || cores < 0 || cores > 100 {
		return Slice{}, fmt.Errorf("cores %q aren't 0 to 100", fields[3])
	}
	return Slice{Device: gpu.DeviceID(fields[0]), MemoryMiB: memory, Cores: cores}, nil
}
