// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package hostengine

import (
	"fmt"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/world"
)

// Check says what of a world no engine of this package can play.
func Check(w *world.World) error {
	if n := len(w.Nodes); n != 1 {
		return fmt.Errorf("it has %d nodes: want a single one, as an engine has", n)
	}
	n := w.Nodes[0]
	if len(n.Outages)+len(n.Clock)+len(n.Hitches) > 0 {
		return fmt.Errorf("node %s has outages, steps of its clock or hitches: want none, they aren't played to DCGM", n.Name)
	}
	for _, p := range n.Pods {
		if p.Processes {
			return fmt.Errorf("pod %s has processes: want false, DCGM isn't asked what each of them does", p.Pod)
		}
	}
	for _, d := range n.Devices {
		living := 0
		for _, other := range n.Instances(d.Parent) {
			if d.Parent != "" && other.Life.Has(d.Life.From+1) {
				living++
			}
		}
		if living > mostInstances {
			return fmt.Errorf("board %s has %d MIG instances at a time: want at most %d, as DCGM has ids for", d.Parent, living, mostInstances)
		}
	}
	return nil
}
