// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger_test

import (
	"strconv"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// --- Processes -------------------------------------------------------------

// processes draws what the processes on the devices do.
func (g *generator) processes() {
	for _, d := range g.devices {
		for at := g.intn(20); at < g.length && d.ID != "" && !g.chance(1); at += g.wait(1, 15) {
			t := g.instant(at)
			for n := range g.intn(4) {
				p := gpu.Process{Device: d.ID, PID: strconv.Itoa(n), Time: t, Value: pick(g, 0.3, 0, 0.6, 1, 1e-7, 6e-7, 1./128, 0.5)}
				if len(g.tenancy) > 0 && g.chance(13) {
					p.Pod = g.processOf(d, t)
				}
				g.add(t, gpu.Batch{Processes: []gpu.Process{p}})
				if g.Conflicts && g.chance(1) {
					p.Value = g.value()
					g.add(t, gpu.Batch{Processes: []gpu.Process{p}})
				}
			}
		}
	}
}

// processOf returns a pod that holds a device at t, or any.
func (g *generator) processOf(d gpu.Device, t gpu.Time) string {
	var pods []string
	for _, h := range g.tenancy {
		if idOf(h.device) == idOf(d) && h.begin <= t && t <= h.end.Add(5*time.Second) {
			pods = append(pods, h.holder.Key())
		}
	}
	if len(pods) == 0 {
		return g.tenancy[g.intn(len(g.tenancy))].holder.Key()
	}
	return pods[g.intn(len(pods))]
}
