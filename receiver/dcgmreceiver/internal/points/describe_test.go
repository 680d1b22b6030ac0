// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package points

import (
	"reflect"
	"testing"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/session"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/topology"
)

// A board and its part are described alike, but for what only a part has. A
// number of 0 is one; one that isn't known is none.
func TestDescribe(t *testing.T) {
	board := topology.Device{UUID: "GPU-b", Model: "NVIDIA H100", PCI: "00000000:01:00.0", Driver: "570.1", Index: 0, Minor: -1, MIG: true, Of: 7}
	part := board
	part.UUID, part.Parent, part.Profile, part.GI, part.Slices, part.MIG = "MIG-x", "GPU-b", "7g.80gb", 0, 7, false
	got := NewWriter("n", "c").Describe([]session.Account{{Device: board}, {Device: part}})
	want := gpu.Description{
		Device: gpu.Device{ID: "GPU-b", Node: "n", Cluster: "c", Model: "NVIDIA H100"},
		Vendor: "NVIDIA", Driver: "570.1", Host: "n", PCI: "00000000:01:00.0", Index: new(0),
	}
	if !reflect.DeepEqual(got["GPU-b"], want) {
		t.Errorf("the board: got %+v", got["GPU-b"])
	}
	want.Device.ID, want.Device.Parent, want.Device.Slices = "MIG-x", "GPU-b", gpu.Slices{N: 7, Of: 7}
	want.Profile, want.Instance = "7g.80gb", new(0)
	if !reflect.DeepEqual(got["MIG-x"], want) || len(got) != 2 {
		t.Errorf("the part: got %+v", got)
	}
}
