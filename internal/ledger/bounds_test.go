// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger_test

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/internal/ledger"
)

// sizeOf returns how many elements the maps and slices of l have, all together.
func sizeOf(l *ledger.Ledger) int {
	return elements(reflect.ValueOf(l), map[uintptr]bool{})
}

func elements(v reflect.Value, seen map[uintptr]bool) (n int) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() || seen[v.Pointer()] {
			return 0
		}
		seen[v.Pointer()] = true
		return elements(v.Elem(), seen)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).Name != "scratch" { // it is as long as its longest use
				n += elements(v.Field(i), seen)
			}
		}
	case reflect.Map:
		n = v.Len()
		for of := v.MapRange(); of.Next(); {
			n += elements(of.Key(), seen) + elements(of.Value(), seen)
		}
	case reflect.Slice, reflect.Array:
		if v.Kind() == reflect.Slice {
			n = v.Len()
		}
		for i := range v.Len() {
			n += elements(v.Index(i), seen)
		}
	}
	return n
}

// lonely are pipelines that carry one kind of points and no other: none of
// them moves the clock of a node far, and none opens a device. The values and
// names are those that leave most behind.
var lonely = map[string]func(i int, t gpu.Time) gpu.Batch{
	"memory": func(i int, t gpu.Time) gpu.Batch {
		return gpu.Batch{Memory: []gpu.Memory{{Device: caseDevice, Time: t, Bytes: uint64(i)}}}
	},
	"status": func(i int, t gpu.Time) gpu.Batch {
		return gpu.Batch{Statuses: []gpu.Status{{Device: caseDevice, Time: t, Failed: i%2 == 0}}}
	},
	"availability": func(i int, t gpu.Time) gpu.Batch {
		return gpu.Batch{Availability: []gpu.Availability{{Device: caseDevice, Time: t, Available: i%2 == 0}}}
	},
	"processes": func(i int, t gpu.Time) gpu.Batch {
		return gpu.Batch{Processes: []gpu.Process{{Device: caseDevice, Pod: name("uid", i), PID: name("", i), Time: t, Value: 1}}}
	},
	"counts of partitions": func(i int, t gpu.Time) gpu.Batch {
		return gpu.Batch{PartitionCounts: []gpu.PartitionCount{{Board: gpu.Device{ID: caseDevice, Node: caseNode}, Time: t, Count: i % 7}}}
	},
	"ends of series": func(i int, t gpu.Time) gpu.Batch {
		d := gpu.Device{ID: caseDevice, Node: caseNode}
		return gpu.Batch{SeriesEnds: []gpu.SeriesEnd{{Device: d, Source: name("source", i), Time: t}}}
	},
	"samples of depth": func(i int, t gpu.Time) gpu.Batch {
		s := gpu.Sample{Device: gpu.Device{ID: caseDevice, Node: caseNode}, Engine: gpu.EngineSM, Source: "a", Time: t, Value: 0.5}
		lost := s
		lost.Source, lost.Value = name("b", i), 0.25
		return gpu.Batch{Samples: []gpu.Sample{s, lost}}
	},
	"ends of allocations": func(i int, t gpu.Time) gpu.Batch {
		a := held(name("uid", i), 0)
		a.Time, a.Ended = t, true
		return gpu.Batch{Allocations: []gpu.Allocation{a}}
	},
	"labels": func(i int, t gpu.Time) gpu.Batch {
		d := gpu.Device{ID: caseDevice, Node: caseNode}
		return gpu.Batch{DeviceAllocations: []gpu.DeviceAllocation{{Device: d, Holder: casePod(name("uid", i)), Time: t}}}
	},
	"milestones": func(i int, t gpu.Time) gpu.Batch {
		return gpu.Batch{Milestones: []gpu.Milestone{
			{Pod: name("uid", i), Name: gpu.Scheduled, At: t, Time: t},
			{Pod: "one", Name: gpu.Scheduled, At: base.Add(-time.Duration(i)), Time: t},
		}}
	},
	"outputs that end": lonelyEnds,
	"outputs": func(i int, t gpu.Time) gpu.Batch {
		o := gpu.Output{
			Profile: gpu.OutputProfile{Metric: "tokens", Window: time.Minute}, Join: gpu.Join{PodUID: "one"}, Time: t, Value: float64(i),
		}
		other := o
		other.Join.PodUID = name("uid", i)
		o.Join.Group = name("group", i)
		return gpu.Batch{Outputs: []gpu.Output{o, other}}
	},
}

// lonelyEnds is a series that ends again and again.
func lonelyEnds(i int, t gpu.Time) gpu.Batch {
	return gpu.Batch{Outputs: []gpu.Output{{
		Profile: gpu.OutputProfile{Metric: "tokens", Window: time.Minute}, Join: gpu.Join{PodUID: "one"}, Time: t, Ended: i > 0,
	}}}
}

func name(of string, i int) string { return fmt.Sprintf("%s%d", of, i) }

const lonelyStep = 10 * time.Second

// TestLonelyPoints: a pipeline that has lost its other points, or never had
// any, doesn't fill the memory: neither before a device is known, nor while its
// device waits for samples, nor while it isn't known that its end was sent.
func TestLonelyPoints(t *testing.T) {
	held := held("one", 0)
	device := map[string][]point{
		"waits": new(tape).gauge(0, 0).set(0, held).gauge(5, 1).set(5, held).clock(30).events,
		"ended": new(tape).gauge(0, 0).set(0).gauge(5, 1).set(5).ends(6).gauge(6, 1).clock(30).clock(50).events,
	}
	for kind, points := range lonely {
		t.Run(kind, func(t *testing.T) {
			cfg := scenarioConfig()
			cfg.Labels = kind == "labels"
			require.Less(t, largest(ledger.New(cfg), points, nil), 1000)
			for state, first := range device {
				l := ledger.New(cfg)
				require.Less(t, largest(l, points, first), 20_000, "while a device %s", state)
				require.Less(t, sizeOf(l), 1000, "a day after a device %s", state)
			}
		})
	}
}

// largest feeds first and then a day of points to l, and returns its largest
// size. No send is accepted.
func largest(l *ledger.Ledger, points func(int, gpu.Time) gpu.Batch, first []point) (size int) {
	for _, e := range first {
		l.Observe(e.Batch)
	}
	for i := range int(24 * time.Hour / lonelyStep) {
		l.Observe(points(i, sec(60).Add(time.Duration(i)*lonelyStep)))
		if i%60 == 0 {
			size = max(size, sizeOf(l))
		}
	}
	return max(size, sizeOf(l))
}

// TestOutputsAtTheCap: a stream for whose series there is no room isn't made
// known either.
func TestOutputsAtTheCap(t *testing.T) {
	cfg := scenarioConfig()
	cfg.MaxAccounts = 1
	l := ledger.New(cfg)
	for i := range 1000 {
		l.Observe(new(tape).output(0, name("uid", i), 1).events[0].Batch)
	}
	require.Equal(t, uint64(1000-16), l.Counts().Points[ledger.Limit])
	require.Less(t, sizeOf(l), 100)
}
