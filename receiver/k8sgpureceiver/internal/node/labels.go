// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package node

import (
	"slices"
	"strconv"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// The labels that NVIDIA's operator puts on nodes.
const (
	labelMIGState = "nvidia.com/mig.config.state" // of the MIG manager
	labelMemory   = "nvidia.com/gpu.memory"       // of GPU feature discovery, MiB of each device
)

// Unavailable returns why the GPUs of a node can't be given to pods, as far as
// its labels say; gpu.NoReason if they can. While the MIG manager lays boards
// out anew, it stops the plugins, and no GPU of the node is offered: after a
// success as after a failure it starts them again.
func Unavailable(labels map[string]string) gpu.Reason {
	switch labels[labelMIGState] {
	case "pending", "rebooting":
		return gpu.ReasonReconfiguration
	}
	return gpu.NoReason
}

// MemoryMiB returns the memory of each GPU of a node in MiB, 0 if its labels
// don't tell.
func MemoryMiB(labels map[string]string) int64 {
	n, err := strconv.ParseInt(labels[labelMemory], 10, 64)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// Withhold returns what is said of the devices of a node, if none of them can be
// given to pods: also of one that its plugin offers no more, which is then no
// sign that it is broken. gpu.NoReason changes nothing.
func Withhold(devices []gpu.Availability, why gpu.Reason) []gpu.Availability {
	if why == gpu.NoReason {
		return devices
	}
	out := slices.Clone(devices)
	for i := range out {
		out[i].Available, out[i].Reason = false, why
	}
	return out
}
