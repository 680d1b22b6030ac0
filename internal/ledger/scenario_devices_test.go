// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger_test

import (
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// --- Devices ---------------------------------------------------------------

func (g *generator) device(d gpu.Device) {
	s := &sampler{g: g, device: d}
	end := g.length
	if g.Ends {
		end = g.length/4 + g.intn(g.length)
	}
	if g.chance(15) { // else it has no samples at all
		s.run(g.intn(10), end)
	}
	if g.Ends && s.any {
		from := s.stop()
		if from < g.length && g.chance(8) {
			s.run(from, g.length)
		}
	}
	if g.Modes {
		for at := g.intn(16); at < g.length; at += g.wait(3, 15) {
			t := g.instant(at)
			g.add(t, gpu.Batch{Memory: []gpu.Memory{{Device: d.ID, Time: t, Bytes: pick[uint64](g, 0, 1<<29, 1<<30, 2<<30)}}})
		}
	}
	if g.Health {
		g.health(d)
	}
}

func (g *generator) health(d gpu.Device) {
	for at := g.intn(30); at < g.length; at += g.wait(3, 34) {
		t := g.instant(at)
		a := gpu.Availability{Device: d.ID, Time: t, Available: g.chance(8)}
		if !a.Available {
			a.Reason = pick(g, gpu.Unavailable.Reasons()...)
		}
		g.add(t, gpu.Batch{Availability: []gpu.Availability{a}})
	}
	for at := g.intn(30); at < g.length; at += g.wait(3, 34) {
		t := g.instant(at)
		g.add(t, gpu.Batch{Statuses: []gpu.Status{{Device: d.ID, Time: t, Failed: g.chance(8)}}})
	}
}

// sampler draws the samples of a device.
type sampler struct {
	g      *generator
	device gpu.Device

	any              bool
	last             gpu.Time
	lastSecond       int
	gauges, sums     bool // which kinds had points since the last end
	lastPair, start  gpu.Time
	observed, active int64
	hasPair          bool
}

const (
	gaugeSource = "util"
	sumSource   = "prof"
)

// run draws samples in [from, to) seconds.
func (s *sampler) run(from, to int) {
	g := s.g
	sumsFrom, gaugesFrom := from, from
	for at := from; at < to; at += g.wait(1, 7) {
		if g.DropOuts && g.chance(2) {
			continue
		}
		t := g.instant(at)
		if g.Sums && at >= sumsFrom {
			s.pair(t)
			if g.Both && g.chance(1) {
				sumsFrom = at + g.intn(64)
			}
		}
		if (!g.Sums || g.Both) && at >= gaugesFrom {
			s.gauge(t)
			if g.Both && g.chance(1) {
				gaugesFrom = at + g.intn(64)
			}
		}
		s.lastSecond = at
		if g.Ends && g.chance(1) {
			s.end(pick(g, gaugeSource, sumSource), t.Add(pick[time.Duration](g, 0, 0, time.Second, 2*time.Second)))
		}
	}
}

// end ends a series, which may go on.
func (s *sampler) end(source string, t gpu.Time) {
	end := gpu.SeriesEnd{Device: s.device, Engine: gpu.EngineAny, Source: source, Time: t}
	s.g.add(t, gpu.Batch{SeriesEnds: []gpu.SeriesEnd{end}})
}

func (s *sampler) saw(t gpu.Time) {
	s.any = true
	s.last = max(s.last, t)
}

func (s *sampler) gauge(t gpu.Time) {
	s.saw(t)
	s.gauges = true
	sample := gpu.Sample{Device: s.device, Engine: gpu.EngineAny, Source: gaugeSource, Time: t, Value: s.value()}
	s.g.add(t, gpu.Batch{Samples: []gpu.Sample{sample}})
	if s.g.Conflicts && s.g.chance(2) {
		sample.Value = s.value()
		s.g.add(t, gpu.Batch{Samples: []gpu.Sample{sample}})
	}
}

func (s *sampler) value() float64 { return s.g.value() }

func (g *generator) value() float64 {
	if g.Threshold && g.chance(8) {
		return g.cfg.IdleThreshold
	}
	return pick(g, 0, 0.01, 0.2, 1, 0.03, 1./3, 0.999, 0.7)
}

func (s *sampler) pair(t gpu.Time) {
	g := s.g
	s.saw(t)
	s.sums = true
	passed := 3 * int64(time.Second)
	if s.hasPair {
		passed = int64(t - s.lastPair)
	} else {
		s.start = t.Add(-time.Duration(passed))
	}
	if g.Resets && s.hasPair && g.chance(2) {
		s.reset(t)
		passed = int64(t - max(s.start, s.lastPair))
	}
	observed := passed
	if g.chance(4) {
		observed = pick(g, 0, passed/2, passed*9/10, passed*11/10, passed-1)
	}
	s.observed += observed
	s.active += int64(s.value() * float64(observed))
	if g.chance(1) {
		s.active += observed
	}
	s.hasPair, s.lastPair = true, t
	s.half(t, gpu.ActivityPart, s.active)
	s.half(t, gpu.ObservedPart, s.observed)
}

// half draws one half of a pair: with conflicts, it may come with a smaller
// value too, or not at all.
func (s *sampler) half(t gpu.Time, part gpu.CounterPart, nanos int64) {
	half := gpu.Counter{
		Device: s.device, Engine: gpu.EngineAny, Source: sumSource, Part: part, Start: s.start, Time: t, Nanos: nanos,
	}
	if !s.g.Conflicts || !s.g.chance(1) {
		s.g.add(t, gpu.Batch{Counters: []gpu.Counter{half}})
		return
	}
	if s.g.Labels || s.g.chance(8) { // a label comes with a sample
		s.g.add(t, gpu.Batch{Counters: []gpu.Counter{half}})
		half.Nanos -= half.Nanos / 4
		s.g.add(t, gpu.Batch{Counters: []gpu.Counter{half}})
	}
}

func (s *sampler) reset(t gpu.Time) {
	switch s.g.intn(4) {
	case 0: // from the last pair on
		s.start = s.lastPair
	case 1: // later
		s.start = s.lastPair.Add(t.Sub(s.lastPair) / 2)
	case 2: // earlier
		s.start = s.lastPair.Add(-time.Second)
	case 3: // the sums fall, the start doesn't tell
	}
	s.observed, s.active = 0, 0
}

// stop ends the device's series and returns the second from which it may live
// again.
func (s *sampler) stop() int {
	at := s.last
	later := s.g.intn(8)
	if later > 0 {
		at = s.g.instant(s.lastSecond + later)
	}
	for _, source := range []string{gaugeSource, sumSource} {
		if source == gaugeSource && !s.gauges || source == sumSource && !s.sums {
			continue
		}
		s.end(source, at)
	}
	s.gauges, s.sums, s.hasPair, s.observed, s.active = false, false, false, 0, 0
	return s.lastSecond + later + 1 + s.g.intn(64)
}
