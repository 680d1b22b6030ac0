// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

//go:build restart

package restart

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// deviceAgent samples the devices.
type deviceAgent struct {
	world  *world
	random *rand.Rand
	meters map[gpu.DeviceID]*meter
}

// meter is the activity of one device: phases of work and of rest.
type meter struct {
	level            float64
	until            time.Duration
	start            gpu.Time // of the sums
	active, observed int64    // ns
}

func newDeviceAgent(w *world, random *rand.Rand) *deviceAgent {
	a := &deviceAgent{world: w, random: random, meters: map[gpu.DeviceID]*meter{}}
	for _, d := range w.devices {
		a.meters[d.ID] = &meter{start: epoch}
	}
	return a
}

// watch returns what the agent saw in (from, to].
func (a *deviceAgent) watch(from, to time.Duration) gpu.Batch {
	var b gpu.Batch
	for at := from + tick; at <= to; at += tick {
		for i := range a.world.devices {
			a.sample(&b, &a.world.devices[i], at, i)
		}
	}
	for i := range a.world.devices {
		if d := &a.world.devices[i]; d.end == 0 || to <= d.end {
			a.condition(&b, d, to)
		}
	}
	b.PartitionCounts = a.world.partitions(epoch.Add(to))
	return b
}

// sample adds one sample of a device. Boards aren't sampled at quite the same
// time, the partitions of one are.
func (a *deviceAgent) sample(b *gpu.Batch, d *device, at time.Duration, index int) {
	if d.Parent != "" {
		index = 0
	}
	t := epoch.Add(at - tick/2 + time.Duration(index)*17*time.Millisecond)
	m := a.meters[d.ID]
	level := m.next(a.random, at)
	switch {
	case d.end != 0 && at > d.end:
		return
	case d.end != 0 && at == d.end:
		b.SeriesEnds = append(b.SeriesEnds, gpu.SeriesEnd{Device: d.Device, Source: "prof", Time: t})
		return
	}
	b.Samples = append(b.Samples,
		gpu.Sample{Device: d.Device, Source: "prof", Time: t, Value: level},
		gpu.Sample{Device: d.Device, Engine: gpu.EngineSM, Source: "prof", Time: t, Value: level / 2})
	if !d.sums {
		return
	}
	if d.reset != 0 && at == d.reset {
		*m = meter{level: m.level, until: m.until, start: t}
	}
	m.observed += int64(tick)
	m.active += int64(math.Round(level * float64(tick)))
	c := gpu.Counter{Device: d.Device, Source: "prof", Start: m.start, Time: t, Nanos: m.active}
	b.Counters = append(b.Counters, c)
	c.Part, c.Nanos = gpu.ObservedPart, m.observed
	b.Counters = append(b.Counters, c)
}

// next returns the activity of one tick.
func (m *meter) next(random *rand.Rand, at time.Duration) float64 {
	if at > m.until {
		m.until = at + time.Duration(random.IntN(150))*time.Second
		m.level = max(0, random.Float64()*1.6-0.6) // a rest, more often than not
	}
	if m.level == 0 {
		return 0
	}
	return m.level * (0.5 + random.Float64()/2)
}

func (a *deviceAgent) condition(b *gpu.Batch, d *device, at time.Duration) {
	t := epoch.Add(at)
	memory := uint64(2 << 20)
	if a.world.held(d.ID, at) {
		memory = 40 << 30
	}
	b.Memory = append(b.Memory, gpu.Memory{Device: d.ID, Time: t, Bytes: memory})
	if d.broken[1] == 0 {
		return
	}
	available := gpu.Availability{Device: d.ID, Time: t, Available: at < d.broken[0] || at >= d.broken[1]}
	if !available.Available {
		available.Reason = gpu.ReasonHealth
	}
	b.Availability = append(b.Availability, available)
}
