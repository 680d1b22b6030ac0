// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package points

import (
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/session"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/topology"
)

// vendor is that of every device that DCGM knows.
const vendor = "NVIDIA"

// Describe says of each device what its resource tells.
func (w *Writer) Describe(accounts []session.Account) map[gpu.DeviceID]gpu.Description {
	all := make(map[gpu.DeviceID]gpu.Description, len(accounts))
	for i := range accounts {
		d := w.describe(&accounts[i].Device)
		all[d.Device.ID] = d
	}
	return all
}

func (w *Writer) describe(d *topology.Device) gpu.Description {
	out := gpu.Description{
		Device: w.device(d), Vendor: vendor, Driver: d.Driver, Host: w.node, PCI: d.PCI, Index: known(d.Index), Minor: known(d.Minor),
	}
	if d.Parent != "" {
		out.Profile, out.Instance = d.Profile, new(int(d.GI))
	}
	return out
}

// known returns a number of topology's, where -1 is one that isn't known.
func known(n int) *int {
	if n < 0 {
		return nil
	}
	return &n
}

func (w *Writer) device(d *topology.Device) gpu.Device {
	out := gpu.Device{ID: gpu.DeviceID(d.UUID), Parent: gpu.DeviceID(d.Parent), Node: w.node, Cluster: w.cluster, Model: d.Model}
	if out.Parent != "" {
		out.Slices = gpu.Slices{N: int(d.Slices), Of: int(d.Of)}
	}
	return out
}
