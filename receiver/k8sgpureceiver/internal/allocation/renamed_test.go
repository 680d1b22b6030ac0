// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package allocation

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/deviceid"
)

// TestRenamedResource: its devices are known by their ids, in a list or on
// offer; then the start of the pods that ask for it matters, also of those that
// came before.
func TestRenamedResource(t *testing.T) {
	renamed := []deviceid.Name{{Resource: "example.com/a100", ID: uuid(0)}}
	for name, learn := range map[string]func(n *node){
		"listed":  func(*node) {},
		"offered": func(n *node) { n.Allocatable(renamed, at(1)) },
	} {
		n := newNode(t, true).sync(0)
		learn(n)
		p, other := holder("a", 1), holder("b", 1)
		p.Containers[0].Requests = map[string]int64{"example.com/a100": 1}
		other.Containers[0].Requests = map[string]int64{"example.com/fuse": 1}
		n.pod(p, 1.5)
		n.pod(other, 1.5)
		fuse := Listed{Pod: other.Key(), Container: "main", Devices: []deviceid.Name{{Resource: "example.com/fuse", ID: "0"}}}
		n.list(10, Listed{Pod: p.Key(), Container: "main", Devices: renamed}, fuse)
		s := n.Set(at(10))
		require.Len(t, s.Allocations, 1, name)
		found := map[gpu.MilestoneName]bool{}
		for _, m := range s.Milestones {
			require.Equal(t, "a", m.PodUID, name)
			found[m.Name] = true
		}
		require.True(t, found[gpu.Created] && found[gpu.Admitted] && found[gpu.ContainerStarted], "%s: %v", name, found)
		require.Len(t, n.EventsWanted(), 1, name)
	}
}

// TestOnlyInitContainersAskForARenamedOne: no source says which devices they
// are, but that it is one of GPUs was learned.
func TestOnlyInitContainersAskForARenamedOne(t *testing.T) {
	n := newNode(t, true).sync(0)
	n.Allocatable([]deviceid.Name{{Resource: "example.com/a100", ID: uuid(0)}}, at(1))
	p := holder("a", 1)
	p.Containers[0].Requests = map[string]int64{"example.com/a100": 1}
	n.pod(p, 1.5)
	var got []string
	for i := range patience + 1 {
		n.list(float64(10*(i+1)), listed(p))
		got = n.set(float64(10 * (i + 1)))
	}
	require.Equal(t, []string{"a/main example.com/a100/requested by a, 0 exclusive since 1s"}, got)
}
