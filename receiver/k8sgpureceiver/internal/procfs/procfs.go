// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Package procfs reads from the NVIDIA driver's folder in /proc which devices a
// node has: their UUIDs, minors and PCI addresses.
package procfs

import (
	"cmp"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/deviceid"
)

// gpus is the driver's folder: one folder a board, named by its PCI address.
const gpus = "driver/nvidia/gpus"

// Read adds the devices of proc, the file system of /proc, to a catalog. NVML's
// index is the place in the order of PCI addresses.
func Read(proc fs.FS, to *deviceid.Catalog) error {
	boards, err := fs.ReadDir(proc, gpus)
	if err != nil {
		return fmt.Errorf("devices of the NVIDIA driver: %w", err)
	}
	slices.SortFunc(boards, func(a, b fs.DirEntry) int {
		return cmp.Compare(strings.ToLower(a.Name()), strings.ToLower(b.Name()))
	})
	to.Minors, to.Indexes = map[int]gpu.DeviceID{}, map[int]gpu.DeviceID{}
	for index, board := range boards {
		text, err := fs.ReadFile(proc, gpus+"/"+board.Name()+"/information")
		if err != nil {
			return fmt.Errorf("devices of the NVIDIA driver: %w", err)
		}
		uuid, minor := parse(string(text))
		if !deviceid.IsUUID(uuid) {
			continue // the driver doesn't know it yet: GPU-????????-…
		}
		to.Indexes[index] = gpu.DeviceID(uuid)
		if minor >= 0 {
			to.Minors[minor] = gpu.DeviceID(uuid)
		}
	}
	return nil
}

// parse reads "GPU UUID: …" and "Device Minor: …"; the minor is -1 if it isn't
// told.
func parse(text string) (uuid string, minor int) {
	minor = -1
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		switch strings.TrimSpace(key) {
		case "GPU UUID":
			uuid = value
		case "Device Minor":
			if n, err := strconv.ParseUint(value, 10, 16); err == nil {
				minor = int(n)
			}
		}
	}
	return uuid, minor
}
