// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/world"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// weightOf is the part of a GPU that a device is.
func weightOf(d *world.Device) float64 {
	if d.Parent == "" {
		return 1
	}
	return float64(d.Slices.N) / float64(d.Slices.Of)
}

// TestDemoIsTypical: the demo's cluster is held most of the time and busy a
// third of it, as clusters are.
func TestDemoIsTypical(t *testing.T) {
	w := scaled(t, "demo", 4)
	var whole, held, busy float64
	weights := map[gpu.DeviceID]float64{}
	for _, n := range w.Nodes {
		for _, d := range n.Devices {
			weights[d.ID] = weightOf(d)
			busy += weightOf(d) * float64(world.NewMeter(d.Activity, w.Start).At(w.End).Nanos())
			if d.Parent == "" {
				whole += float64(w.End.Sub(w.Start))
			}
		}
		for _, p := range n.Pods {
			for _, h := range p.Holds {
				part := 1.0
				if h.Slots.Of > 0 {
					part = float64(h.Slots.N) / float64(h.Slots.Of)
				}
				held += part * weights[h.Device] * float64(min(h.To, w.End).Sub(h.From))
			}
		}
	}
	assert.InDelta(t, 0.70, held/whole, 0.02)
	assert.InDelta(t, 0.30, busy/whole, 0.03)
}
