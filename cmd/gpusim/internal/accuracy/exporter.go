// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package accuracy

import (
	"math"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/watch"
	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/world"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// utilisation is the time over which the driver averages DCGM_FI_DEV_GPU_UTIL.
const utilisation = time.Second

// Exporter returns what the usual queries over the gauges of dcgm-exporter say
// of the holders of a node, scraped every interval:
//
//	allocated  count_over_time(DCGM_FI_DEV_GPU_UTIL{pod="…"}[…]) × interval
//	active     sum_over_time(DCGM_FI_DEV_GPU_UTIL{pod="…"}[…]) / 100 × interval
//	idle       allocated − active
//
// The gauge is the newest value at a scrape, a whole percentage over the last
// second; of a MIG instance, which has none, it is DCGM_FI_PROF_GR_ENGINE_ACTIVE
// over the last second. Each holder of a shared device has a series of its own
// with the value of the whole device.
func Exporter(n *watch.Node, interval time.Duration) Holders {
	holders := Holders{}
	for _, d := range n.Devices {
		scrapes := n.Scraped(d, interval)
		meter := world.NewMeter(d.Activity, n.Ticks[0].Real)
		for _, t := range scrapes {
			before := meter.At(t.Add(-utilisation))
			value := float64(meter.At(t)-before) / (float64(world.Full) * float64(utilisation))
			if d.Parent == "" {
				value = math.Round(value*100) / 100
			}
			holders.scrape(n, d.ID, t, interval, value)
		}
	}
	for key, f := range holders {
		f.Idle = f.Allocated - f.Active
		holders[key] = f
	}
	return holders
}

// scrape adds the series of one device at one scrape.
func (h Holders) scrape(n *watch.Node, device gpu.DeviceID, t gpu.Time, interval time.Duration, value float64) {
	for _, p := range n.Pods {
		for i := range p.Holds {
			if hold := &p.Holds[i]; hold.Device == device && hold.From <= t && t < hold.To {
				f := h[p.Key()]
				f.Allocated += interval
				f.Active += time.Duration(value * float64(interval))
				h[p.Key()] = f
			}
		}
	}
}
