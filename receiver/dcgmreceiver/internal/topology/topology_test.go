// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package topology

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/engine"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/sample"
)

func gpu(id uint) sample.Entity { return sample.Entity{Kind: sample.Board, ID: id} }
func gi(id uint) sample.Entity  { return sample.Entity{Kind: sample.GPUInstance, ID: id} }
func ci(id uint) sample.Entity  { return sample.Entity{Kind: sample.ComputeInstance, ID: id} }

// world is what an engine says of two boards, the second in MIG mode: a
// 3g.40gb in one piece, and a 2g.20gb of which two compute instances share.
func world() ([]engine.GPU, []engine.Instance, map[sample.Entity]Facts) {
	gpus := []engine.GPU{{ID: 0, Status: engine.OK}, {ID: 1, Status: engine.OK}}
	instance := func(e, parent sample.Entity, gi, ci, slices uint) engine.Instance {
		return engine.Instance{Entity: e, Parent: parent, GPUInstance: gi, ComputeInstance: ci, Slices: slices}
	}
	instances := []engine.Instance{
		instance(gi(7), gpu(1), 5, 0, 2), instance(ci(7), gi(7), 5, 0, 1), instance(ci(8), gi(7), 5, 1, 1),
		instance(gi(8), gpu(1), 1, 0, 3), instance(ci(9), gi(8), 1, 0, 3),
	}
	facts := map[sample.Entity]Facts{
		gpu(0): {UUID: "GPU-a", Name: "NVIDIA L4", PCI: "00000000:01:00.0", Index: 0, Minor: 4},
		gpu(1): {UUID: "GPU-b", Name: "NVIDIA H100", PCI: "00000000:02:00.0", Driver: "570.1", Index: 1, Minor: 5, MIG: true, MaxSlices: 7},
		ci(7):  {UUID: "MIG-x", Name: "1c.2g.20gb"},
		ci(8):  {UUID: "MIG-y", Name: "1c.2g.20gb"},
		ci(9):  {UUID: "MIG-z", Name: "3g.40gb"},
	}
	return gpus, instances, facts
}

func told(devices []Device, lacks []Lack) string {
	var lines []string
	for _, d := range devices {
		line := fmt.Sprintf("%s %v %s", d.UUID, d.Status, d.Model)
		if d.MIG {
			line += fmt.Sprintf(" mig:%d of %d", d.Count, d.Of)
		}
		if d.Parent != "" {
			line += fmt.Sprintf(" on %s gi %d ci %d %s %d/%d", d.Parent, d.GI, d.CI, d.Profile, d.Slices, d.Of)
		}
		lines = append(lines, line)
	}
	for _, l := range lacks {
		lines = append(lines, fmt.Sprintf("%v %d: %s", l.Entity.Kind, l.Entity.ID, l.Reason))
	}
	return strings.Join(lines, "\n")
}

func TestBuild(t *testing.T) {
	gpus, instances, facts := world()
	const want = `GPU-a ok NVIDIA L4
GPU-b ok NVIDIA H100 mig:3 of 7
MIG-z ok NVIDIA H100 on GPU-b gi 1 ci 0 3g.40gb 3/7
MIG-x ok NVIDIA H100 on GPU-b gi 5 ci 0 1c.2g.20gb 1/7
MIG-y ok NVIDIA H100 on GPU-b gi 5 ci 1 1c.2g.20gb 1/7`
	if got := told(Build(gpus, instances, facts)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	slices.Reverse(instances)
	if got := told(Build(gpus, instances, facts)); got != want {
		t.Errorf("in another order: got\n%s", got)
	}
}

func TestBuildSaysWhatIsNoDevice(t *testing.T) {
	gpus, instances, facts := world()
	gpus[1].Status = engine.Lost
	facts[gpu(0)] = Facts{}
	facts[ci(8)] = Facts{}
	facts[ci(7)] = Facts{UUID: "MIG-z"}
	instances[2].Slices = 0
	instances = append(instances, engine.Instance{Entity: ci(50), Parent: gi(50), Slices: 1})
	const want = `GPU-b lost NVIDIA H100 mig:2 of 7
MIG-z lost NVIDIA H100 on GPU-b gi 1 ci 0 3g.40gb 3/7
board 0: no_uuid
compute_instance 8: no_uuid
compute_instance 50: no_board
compute_instance 7: duplicate`
	if got := told(Build(gpus, instances, facts)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// A part takes of a GPU instance what it shares with nobody, of the board
// nothing.
func TestFrom(t *testing.T) {
	devices, _ := Build(world())
	byName := byUUID(devices)
	for _, test := range []struct {
		device string
		field  sample.Field
		want   sample.Entity
		ok     bool
	}{
		{"GPU-b", sample.PowerWatts, gpu(1), true},
		{"MIG-z", sample.PowerWatts, sample.Entity{}, false},
		{"MIG-z", sample.EngineActive, ci(9), true},
		{"MIG-z", sample.DRAMActive, gi(8), true},
		{"MIG-z", sample.MemoryUsed, gi(8), true},
		{"MIG-x", sample.EngineActive, ci(7), true},
		{"MIG-x", sample.DRAMActive, sample.Entity{}, false},
		{"MIG-x", sample.SMCycles, sample.Entity{}, false},
		{"MIG-x", 9, sample.Entity{}, false},
	} {
		d := byName[test.device]
		if got, ok := d.From(test.field); got != test.want || ok != test.ok {
			t.Errorf("%s, field %d: got %v, %v", test.device, test.field, got, ok)
		}
	}
}

func TestRemember(t *testing.T) {
	gpus, _, before := world()
	gpus[0].Status = engine.Lost
	now := map[sample.Entity]Facts{gpu(0): {}, gpu(1): {}}
	Remember(before, now, gpus)
	if now[gpu(0)].UUID != "GPU-a" || now[gpu(1)].UUID != "" {
		t.Errorf("got %+v", now)
	}
}

// A part is described by what its board is.
func TestPartIsOnItsBoard(t *testing.T) {
	devices, _ := Build(world())
	d := byUUID(devices)["MIG-z"]
	if d.Driver != "570.1" || d.PCI != "00000000:02:00.0" || d.Index != 1 || d.Minor != 5 {
		t.Errorf("got %+v", d)
	}
}

// What can't be read now is as it was; what can is as it is.
func TestRecall(t *testing.T) {
	before := Device{UUID: "GPU-a", Model: "NVIDIA L4", PCI: "1", Driver: "570.1", Profile: "1g.10gb", Index: 2, Minor: 3, Slices: 1}
	unread := Device{UUID: "GPU-a", Index: -1, Minor: -1}
	unread.Recall(&before)
	if want := (Device{UUID: "GPU-a", Model: "NVIDIA L4", PCI: "1", Driver: "570.1", Profile: "1g.10gb", Index: 2, Minor: 3}); unread != want {
		t.Errorf("got %+v", unread)
	}
	now := Device{UUID: "GPU-a", Model: "NVIDIA L40", PCI: "2", Driver: "580.1", Profile: "2g.20gb", Index: 0, Minor: 0}
	read := now
	if read.Recall(&before); read != now {
		t.Errorf("got %+v", read)
	}
}
