// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package node

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

func TestReconfiguration(t *testing.T) {
	for state, want := range map[string]gpu.Reason{
		"pending": gpu.ReasonReconfiguration, "rebooting": gpu.ReasonReconfiguration,
		"success": gpu.NoReason, "failed": gpu.NoReason, "": gpu.NoReason, "Pending": gpu.NoReason,
	} {
		require.Equal(t, want, Unavailable(map[string]string{"nvidia.com/mig.config.state": state}), state)
	}
	require.Equal(t, gpu.NoReason, Unavailable(nil))
	require.Equal(t, gpu.NoReason, Unavailable(map[string]string{"nvidia.com/mig.config": "pending"}), "is the name of a layout")
}

func TestMemory(t *testing.T) {
	for text, want := range map[string]int64{"81559": 81559, "0": 0, "-1": 0, "80Gi": 0, "": 0} {
		require.Equal(t, want, MemoryMiB(map[string]string{"nvidia.com/gpu.memory": text}), text)
	}
	require.Zero(t, MemoryMiB(nil))
}

func TestWithhold(t *testing.T) {
	devices := []gpu.Availability{
		{Device: "GPU-1", Time: 1, Available: true}, {Device: "GPU-2", Time: 1, Reason: gpu.ReasonHealth},
	}
	require.Equal(t, []gpu.Availability{
		{Device: "GPU-1", Time: 1, Reason: gpu.ReasonReconfiguration}, {Device: "GPU-2", Time: 1, Reason: gpu.ReasonReconfiguration},
	}, Withhold(devices, gpu.ReasonReconfiguration))
	require.True(t, devices[0].Available, "a copy")
	require.Equal(t, devices, Withhold(devices, gpu.NoReason))
}
