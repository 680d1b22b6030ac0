// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package procfs

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/deviceid"
)

const (
	uuidA = "GPU-5f1c6f3e-0a3d-4b2e-9c1a-00000000000a"
	uuidB = "GPU-5f1c6f3e-0a3d-4b2e-9c1a-00000000000b"
)

func information(uuid, minor string) *fstest.MapFile {
	return &fstest.MapFile{Data: []byte("Model: \t\t NVIDIA H100 80GB HBM3\nIRQ:   \t\t 212\nGPU UUID: \t " + uuid +
		"\nBus Location: \t 0000:19:00.0\nDevice Minor: \t " + minor + "\nGPU Firmware: \t 570.1\n")}
}

// TestMinorIsNotIndex: the two orders differ on many boards.
func TestMinorIsNotIndex(t *testing.T) {
	var c deviceid.Catalog
	require.NoError(t, Read(fstest.MapFS{
		"driver/nvidia/gpus/0000:9b:00.0/information": information(uuidA, "0"),
		"driver/nvidia/gpus/0000:19:00.0/information": information(uuidB, "3"),
		"driver/nvidia/gpus/0000:AB:00.0/information": information("GPU-????????-????-????-????-????????????", "5"),
	}, &c))
	require.Equal(t, map[int]gpu.DeviceID{0: uuidA, 3: uuidB}, c.Minors)
	require.Equal(t, map[int]gpu.DeviceID{0: uuidB, 1: uuidA}, c.Indexes)
	require.ErrorContains(t, Read(fstest.MapFS{}, &c), "NVIDIA driver")
}

func FuzzParse(f *testing.F) {
	f.Add("GPU UUID: x\nDevice Minor: 1\n")
	f.Fuzz(func(t *testing.T, text string) {
		if _, minor := parse(text); minor < -1 {
			t.Error(minor)
		}
	})
}
