// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package points

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpupdata"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/activity"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/engine"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/hardware"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/sample"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/session"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/topology"
)

const zero = 1_800_000_000 * gpu.Time(time.Second)

func at(s int) gpu.Time { return zero.Add(time.Duration(s) * time.Second) }

func point(e activity.Engine, s activity.Source, from, to int, active float64, ended bool) activity.Point {
	return activity.Point{
		Engine: e, Source: s, Start: int64(at(from)), Time: int64(at(to)), Ended: ended,
		Active: time.Duration(active * float64(time.Second)), Observed: time.Duration(to-from) * time.Second, Last: 0.5,
	}
}

func plain(points ...activity.Point) session.Account {
	return session.Account{Device: topology.Device{UUID: "GPU-a", Status: engine.OK, Model: "NVIDIA L4"}, Points: points}
}

func board(count int) session.Account {
	return session.Account{Device: topology.Device{UUID: "GPU-b", Status: engine.OK, MIG: true, Count: count, Of: 7}}
}

func part(points ...activity.Point) session.Account {
	return session.Account{
		Device: topology.Device{UUID: "MIG-x", Parent: "GPU-b", Slices: 3, Of: 7, Status: engine.OK}, Points: points,
	}
}

// told writes what a batch says, after a trip through the wire's format: no
// point of it is refused.
func told(t *testing.T, b gpu.Batch) string {
	t.Helper()
	known := map[gpu.DeviceID]gpu.Device{"MIG-x": {ID: "MIG-x", Parent: "GPU-b", Slices: gpu.Slices{N: 3, Of: 7}, Node: "n"}}
	b, drops := gpupdata.NewDecoder(gpupdata.Settings{}).Decode(gpupdata.EncodeKnowing(b, known), 0)
	if drops != nil {
		t.Errorf("refused: %v", drops)
	}
	since := func(t gpu.Time) time.Duration { return t.Sub(zero) }
	var lines []string
	for _, c := range b.Counters {
		name := map[gpu.CounterPart]string{gpu.ActivityPart: "active", gpu.ObservedPart: "observed"}[c.Part]
		lines = append(lines, fmt.Sprintf("%s %v/%s %s %v..%v %v", c.Device.ID, c.Engine, c.Source, name, since(c.Start), since(c.Time), time.Duration(c.Nanos)))
	}
	for _, s := range b.Samples {
		lines = append(lines, fmt.Sprintf("%s %v/%s at %v %v", s.Device.ID, s.Engine, s.Source, since(s.Time), s.Value))
	}
	for _, e := range b.SeriesEnds {
		lines = append(lines, fmt.Sprintf("%s %v/%s ended %v", e.Device.ID, e.Engine, e.Source, since(e.Time)))
	}
	for _, m := range b.Memory {
		lines = append(lines, fmt.Sprintf("%s memory at %v %d", m.Device, since(m.Time), m.Bytes))
	}
	for _, s := range b.Statuses {
		lines = append(lines, fmt.Sprintf("%s failed:%v %v", s.Device, s.Failed, since(s.Time)))
	}
	for _, c := range b.PartitionCounts {
		lines = append(lines, fmt.Sprintf("%s parts %d ended:%v %v", c.Board.ID, c.Count, c.Ended, since(c.Time)))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

func TestBatch(t *testing.T) {
	busy := plain(point(activity.Any, activity.Prof, 0, 9, 4.5, false), point(activity.FP64, activity.Prof, 0, 9, 1, false))
	busy.Gauges = map[sample.Field]session.Gauge{
		sample.MemoryUsed: {Value: sample.Value{Float: 3 << 20}, Micros: int64(at(9)) / 1000},
	}
	lost := plain()
	lost.Device.Status = engine.Lost
	gone := part(point(activity.Any, activity.Prof, 0, 9, 1, true))
	gone.Ended = true
	left := board(0)
	left.Ended = true
	switched := plain(point(activity.Any, activity.Prof, 0, 6, 3, true), point(activity.Any, activity.Util, 6, 9, 3, false))
	for name, test := range map[string]struct {
		before, accounts []session.Account
		down             bool
		want             []string
	}{
		"a device": {accounts: []session.Account{busy}, want: []string{
			"GPU-a engine/prof active 0s..9s 4.5s", "GPU-a engine/prof at 9s 0.5", "GPU-a engine/prof observed 0s..9s 9s",
			"GPU-a failed:false 10s", "GPU-a memory at 9s 3145728",
		}},
		"nothing new":     {before: []session.Account{busy}, accounts: []session.Account{busy}, want: []string{"GPU-a failed:false 10s"}},
		"the engine died": {before: []session.Account{busy}, accounts: []session.Account{busy}, down: true, want: []string{""}},
		"a lost device":   {accounts: []session.Account{lost}, want: []string{"GPU-a failed:true 10s"}},
		"another source": {accounts: []session.Account{switched}, want: []string{
			"GPU-a engine/prof active 0s..6s 3s", "GPU-a engine/prof ended 6s", "GPU-a engine/prof observed 0s..6s 6s",
			"GPU-a engine/util active 6s..9s 3s", "GPU-a engine/util at 9s 0.5", "GPU-a engine/util observed 6s..9s 3s", "GPU-a failed:false 10s",
		}},
		"a board in parts": {
			accounts: []session.Account{board(1), part(point(activity.SM, activity.Prof, 0, 9, 1, false))},
			want: []string{
				"GPU-b failed:false 10s", "GPU-b parts 1 ended:false 10s", "MIG-x failed:false 10s",
				"MIG-x sm/prof active 0s..9s 1s", "MIG-x sm/prof at 9s 0.5", "MIG-x sm/prof observed 0s..9s 9s",
			},
		},
		"out of MIG mode": {
			before: []session.Account{board(1)}, accounts: []session.Account{left, gone},
			want: []string{
				"GPU-b parts 0 ended:true 10s", "MIG-x engine/prof active 0s..9s 1s", "MIG-x engine/prof ended 9s",
				"MIG-x engine/prof observed 0s..9s 9s",
			},
		},
	} {
		w := NewWriter("n", "c")
		w.Batch(test.before, at(5), true)
		if got, want := told(t, w.Batch(test.accounts, at(10), !test.down)), strings.Join(test.want, "\n"); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
		}
	}
}

// Readings are told once, with the time of their newest sample; what counts is
// preceded by 0, so that its first rise is seen.
func TestReadings(t *testing.T) {
	a := plain(point(activity.FP64, activity.Prof, 0, 9, 1, false))
	a.Gauges = map[sample.Field]session.Gauge{
		sample.PowerWatts: {Value: sample.Value{Float: 70}, Micros: int64(at(9)) / 1000},
		sample.MemoryUsed: {Value: sample.Value{Float: 1 << 20}, Micros: int64(at(9)) / 1000}, // is in the batch
		// The driver's figure is the better one.
		sample.Util: {Value: sample.Value{Float: 0.5}, Micros: int64(at(9)) / 1000}, sample.EngineActive: {Value: sample.Value{Float: 0.4}, Micros: int64(at(9)) / 1000},
	}
	counted := hardware.NewDevice(time.Second, int64(at(0))/1000)
	counted.Observe(sample.Raw{Field: sample.ECCCorrected, Micros: int64(at(1)) / 1000}, sample.Value{Int: 5}, sample.Kept)
	counted.Observe(sample.Raw{Field: sample.ECCCorrected, Micros: int64(at(9)) / 1000}, sample.Value{Int: 8}, sample.Kept)
	counted.XID(79)
	a.Sums = counted.Sums()
	w := NewWriter("n", "c")
	read := func() string {
		w.Batch([]session.Account{a}, at(10), true)
		var lines []string
		for _, r := range w.Readings([]session.Account{a}) {
			lines = append(lines, fmt.Sprintf("%s %v at %v %g/%d", r.Metric, r.Attributes, r.Time.Sub(zero), r.Value, r.Whole))
		}
		return strings.Join(lines, "\n")
	}
	want := strings.Join([]string{
		"gpu.activity.time [{gpu.engine fp64} {gpu.activity.source prof}] at 9s 1/0",
		"gpu.observed.time [{gpu.engine fp64} {gpu.activity.source prof}] at 9s 9/0",
		"gpu.activity [{gpu.engine fp64} {gpu.activity.source prof}] at 9s 0.5/0",
		"hw.errors [{error.type ecc_corrected}] at 1s 0/0", "hw.errors [{error.type ecc_corrected}] at 9s 3/3",
		"hw.errors [{error.type xid} {gpu.xid 79}] at 0s 0/0", "hw.errors [{error.type xid} {gpu.xid 79}] at 9s 1/1",
		"hw.gpu.utilization [{hw.gpu.task general}] at 9s 0.5/0", "hw.power [] at 9s 70/70",
	}, "\n")
	if got := read(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := read(); got != "" {
		t.Errorf("told again:\n%s", got)
	}
	counted.Observe(sample.Raw{Field: sample.ECCCorrected, Micros: int64(at(11)) / 1000}, sample.Value{Int: 9}, sample.Kept)
	a.Sums, a.Ended = counted.Sums(), true
	if got, want := read(), "hw.errors [{error.type ecc_corrected}] at 11s 4/4"; !strings.Contains(got, want) || strings.Contains(got, "at 1s") {
		t.Errorf("at the end:\n%s", got)
	}
	if len(w.told) != 0 {
		t.Errorf("%d series of a device that ended are kept", len(w.told))
	}
}
