// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package hardware

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/sample"
)

// step is a sample at a second: of a counter in its own unit, or a rate.
type step struct {
	at   int64
	f    sample.Field
	v    float64
	drop sample.Drop
}

func (d *Device) take(s step) {
	if s.drop == sample.Kept {
		spec, _ := sample.SpecOf(s.f)
		d.Observe(sample.Raw{Field: s.f, Micros: s.at * 1e6}, sample.Value{Int: int64(s.v), Float: s.v * spec.Scale}, sample.Kept)
		return
	}
	d.Observe(sample.Raw{Field: s.f, Micros: s.at * 1e6}, sample.Value{}, s.drop)
}

// told writes the series that aren't 0.
func (d *Device) told() string {
	var lines []string
	for _, s := range d.Sums() {
		line := fmt.Sprintf("%s %d..%d %g", s.Row.Key(), s.Start/1e6, s.Time/1e6, s.Value)
		if s.XID != 0 {
			line += fmt.Sprintf(" xid %d", s.XID)
		}
		lines = append(lines, line)
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

func TestDevice(t *testing.T) {
	const energy, power, sent, rate = sample.EnergyMillijoules, sample.PowerWatts, sample.PCIeSent, sample.PCIeSentRate
	const io = "hw.gpu.io{gpu.io.link=pcie, network.io.direction=transmit}"
	series := func(of sample.Field, v ...float64) (steps []step) {
		for i, v := range v {
			steps = append(steps, step{at: int64(i + 1), f: of, v: v})
		}
		return steps
	}
	for name, test := range map[string]struct {
		steps  []step
		want   string
		resets int64
	}{
		"a counter is 0 at first":        {series(energy, 5000), "hw.energy 1..1 0", 0},
		"it grows":                       {series(energy, 5000, 6000, 9500), "hw.energy 1..3 4.5", 0},
		"it begins anew":                 {series(energy, 5000, 6000, 200, 300), "hw.energy 2..4 0.3", 1},
		"an older sample, and the same":  {append(series(energy, 1000, 3000), step{at: 1, f: energy, v: 9000}, step{at: 2, f: energy, v: 9000}), "hw.energy 1..2 2", 0},
		"it counts while nobody looks":   {append(series(energy, 1000), step{at: 100, f: energy, v: 51000}), "hw.energy 1..100 50", 0},
		"a blank isn't 0":                {append(series(energy, 1000), step{2, energy, 0, sample.Blank}, step{at: 3, f: energy, v: 3000}), "hw.energy 1..3 2", 0},
		"without it, the integral":       {series(power, 70, 80, 90), "hw.energy 1..3 170", 0},
		"a rate speaks for 3 intervals":  {append(series(power, 70), step{at: 100, f: power, v: 10}), "hw.energy 1..100 30", 0},
		"before a blank it isn't known":  {append(series(power, 70), step{2, power, 0, sample.Blank}, step{at: 3, f: power, v: 5}), "hw.energy 1..3 5", 0},
		"the counter is better":          {append(series(power, 70, 80), step{at: 3, f: energy, v: 500}, step{at: 4, f: energy, v: 900}, step{at: 4, f: power, v: 90}), "hw.energy 3..4 0.4", 0},
		"the counter isn't supported":    {append(series(energy, 500, 900), step{3, energy, 0, sample.NotSupported}, step{at: 4, f: power, v: 90}, step{at: 5, f: power, v: 90}), "hw.energy 4..5 90", 0},
		"the counter falls silent":       {append(series(sent, 500, 900), series(rate, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)...), io + " 12..14 2", 0},
		"for a moment it's waited for":   {append(series(rate, 1, 1, 1, 1, 1), step{at: 6, f: sent, v: 5}, step{at: 8, f: sent, v: 7}), io + " 6..8 2", 0},
		"throttled time is in ns":        {series(sample.ThermalViolation, 0, 2.5e9), "gpu.throttle.time{gpu.throttle.reason=thermal} 1..2 2.5", 0},
		"remapped rows aren't a counter": {series(sample.RowsCorrectable, 1, 2), "", 0},
	} {
		d := NewDevice(time.Second, 1)
		for _, s := range test.steps {
			d.take(s)
		}
		if got := d.told(); got != test.want || d.Resets() != test.resets {
			t.Errorf("%s: got\n%s\n%d resets, want\n%s", name, got, d.Resets(), test.want)
		}
	}
}

// Nothing is said of rates for the time that nobody looked.
func TestPause(t *testing.T) {
	d := NewDevice(time.Second, 0)
	for at := int64(1); at < 6; at++ {
		if at == 4 {
			d.Pause()
		}
		d.take(step{at: at, f: sample.PowerWatts, v: 10})
		d.take(step{at: at, f: sample.ECCCorrected, v: float64(at)})
	}
	const want = "hw.energy 1..5 30\nhw.errors{error.type=ecc_corrected} 1..5 4"
	if got := d.told(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Each code is a series, from the begin of the account to the newest sample.
func TestXIDs(t *testing.T) {
	d := NewDevice(time.Second, 1e6)
	d.XID(31)
	d.XID(79)
	d.XID(31)
	d.take(step{at: 9, f: sample.Temperature, v: 40})
	const want = "hw.errors{error.type=xid} 1..9 1 xid 79\nhw.errors{error.type=xid} 1..9 2 xid 31"
	if got := d.told(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
