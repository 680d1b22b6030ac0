// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// event is one parsed line: "TIME WORD SUBJECT… key=value…".
type event struct {
	t      *testing.T
	where  string
	words0 string // the time
	time   gpu.Time
	args   []string
	named  map[string]string
}

func parseEvent(t *testing.T, words []string, where string) gpu.Batch {
	e := event{t: t, where: where, named: map[string]string{}}
	e.words0, e.time = words[0], e.instant(words[0])
	require.Greater(t, len(words), 1, where)
	for _, w := range words[2:] {
		if key, value, named := strings.Cut(w, "="); named && !strings.Contains(key, "@") {
			e.named[key] = value
		} else {
			e.args = append(e.args, w)
		}
	}
	return e.batch(words[1])
}

func (e event) batch(verb string) gpu.Batch {
	switch verb {
	case "sample":
		return gpu.Batch{Samples: []gpu.Sample{{
			Device: e.device(), Engine: e.engine(), Source: e.named["source"], Time: e.time, Value: e.number(e.args[1]),
		}}}
	case "pair":
		return gpu.Batch{Counters: e.pair()}
	case "gone":
		return gpu.Batch{SeriesEnds: []gpu.SeriesEnd{{Device: e.device(), Source: e.named["source"], Time: e.time}}}
	case "memory":
		gib := e.number(e.args[1])
		return gpu.Batch{Memory: []gpu.Memory{{Device: e.device().ID, Time: e.time, Bytes: uint64(gib * (1 << 30))}}}
	case "available":
		reason, _ := gpu.ParseReason(e.named["reason"])
		return gpu.Batch{Availability: []gpu.Availability{{
			Device: e.device().ID, Time: e.time, Available: e.args[1] == "1", Reason: reason,
		}}}
	case "status":
		return gpu.Batch{Statuses: []gpu.Status{{Device: e.device().ID, Time: e.time, Failed: e.args[1] == "failed"}}}
	case "milestone":
		return gpu.Batch{Milestones: []gpu.Milestone{{
			Pod: e.args[0], Name: gpu.MilestoneName(e.args[1]), At: e.instant(valueOr(e.named, "at", e.words0)), Time: e.time,
			Attempt: int(e.number(valueOr(e.named, "attempt", "0"))), Container: e.named["container"], Source: e.named["source"],
		}}}
	case "process":
		return gpu.Batch{Processes: []gpu.Process{{
			Device: e.device().ID, Pod: strings.TrimPrefix(e.args[1], "-"), PID: e.named["pid"], Time: e.time, Value: e.number(e.args[2]),
		}}}
	case "partitions":
		c := gpu.PartitionCount{Board: e.device(), Time: e.time, Ended: e.args[1] == "over"}
		if !c.Ended {
			c.Count = int(e.number(e.args[1]))
		}
		return gpu.Batch{PartitionCounts: []gpu.PartitionCount{c}}
	case "output", "demand", "sleep":
		return gpu.Batch{Outputs: []gpu.Output{e.output(verb)}}
	}
	return e.allocationBatch(verb)
}

// allocationBatch parses set, member, count, end and label lines.
func (e event) allocationBatch(verb string) (b gpu.Batch) {
	switch verb {
	case "count":
		b.AllocationCounts = []gpu.AllocationCount{{Node: "n1", Time: e.time, Count: int(e.number(e.args[0]))}}
	case "set":
		b.AllocationCounts = []gpu.AllocationCount{{Node: "n1", Time: e.time, Count: len(e.args)}}
		fallthrough
	case "member":
		for _, a := range e.args {
			b.Allocations = append(b.Allocations, e.allocation(a))
		}
	case "end":
		a := e.allocation(e.args[0])
		a.Ended = true
		b.Allocations = []gpu.Allocation{a}
	case "label":
		device := gpu.Device{ID: gpu.DeviceID(e.args[0]), Node: "n1"}
		pod := gpu.Holder{}
		if len(e.args) > 1 {
			pod.PodUID = e.args[1]
		}
		b.DeviceAllocations = []gpu.DeviceAllocation{{Device: device, Slot: e.named["slot"], Holder: pod, Time: e.time}}
	default:
		require.Fail(e.t, "unknown word "+verb, e.where)
	}
	return b
}

// allocation parses POD@DEVICE[,begin=S][,share=X][,sharing=…][,slots=N/R][,class=…][,workload=…][,group=…][,container=…].
func (e event) allocation(word string) gpu.Allocation {
	parts := strings.Split(word, ",")
	pod, device, ok := strings.Cut(parts[0], "@")
	require.True(e.t, ok, e.where)
	a := gpu.Allocation{
		Device: gpu.DeviceID(device), Node: "n1", Holder: gpu.Holder{Namespace: "ns", PodUID: pod},
		Share: 1, Sharing: gpu.Exclusive, Time: e.time,
	}
	if ref, unresolved := strings.CutPrefix(device, "ref:"); unresolved {
		a.Device, a.Ref = "", ref
	}
	for _, p := range parts[1:] {
		key, value, _ := strings.Cut(p, "=")
		switch key {
		case "begin":
			a.Begin = e.instant(value)
		case "share":
			a.Share = e.number(value)
		case "sharing":
			a.Sharing = gpu.Sharing(value)
		case "slots":
			n, of, _ := strings.Cut(value, "/")
			a.Slots = gpu.Slots{N: int64(e.number(n)), Of: int64(e.number(of))}
		case "group":
			a.Holder.Workload.Group = value
		case "class":
			a.Holder.Workload.Class, _ = gpu.ParseClass(value)
		case "workload":
			a.Holder.Workload.Name = value
		case "container":
			a.Holder.Container = value
		case "ip":
			a.Holder.PodIP = value
		default:
			require.Fail(e.t, "unknown key "+key, e.where)
		}
	}
	return a
}

func (e event) pair() []gpu.Counter {
	c := gpu.Counter{
		Device: e.device(), Engine: e.engine(), Source: e.named["source"], Time: e.time, Start: e.instant(e.named["start"]),
	}
	var pair []gpu.Counter
	for part, name := range []string{"active", "observed"} {
		if value, has := e.named[name]; has {
			c.Part, c.Nanos = gpu.CounterPart(part), int64(e.number(value)*1e9)
			pair = append(pair, c)
		}
	}
	return pair
}

func (e event) output(verb string) gpu.Output {
	kind, _ := gpu.ParseOutputKind(verb)
	window, err := time.ParseDuration(valueOr(e.named, "window", "60s"))
	require.NoError(e.t, err, e.where)
	o := gpu.Output{
		Profile: gpu.OutputProfile{Metric: valueOr(e.named, "metric", verb), Kind: kind, Unit: "{token}", Window: window},
		Join:    gpu.Join{PodUID: e.args[0]}, Series: e.named["series"], Time: e.time,
		Start: e.instant(valueOr(e.named, "start", "1")),
	}
	o.Join.Group = e.named["group"]
	if e.args[0] == "-" {
		o.Join.PodUID = ""
	}
	if ip, byIP := strings.CutPrefix(e.args[0], "ip:"); byIP {
		o.Join = gpu.Join{PodIP: ip}
	}
	if o.Ended = e.args[1] == "ended"; !o.Ended {
		o.Value = e.number(e.args[1])
	}
	return o
}

func (e event) device() gpu.Device {
	d := gpu.Device{ID: gpu.DeviceID(e.args[0]), Node: "n1", Parent: gpu.DeviceID(e.named["board"])}
	if n, of, partition := strings.Cut(e.named["slices"], "/"); partition {
		d.Slices = gpu.Slices{N: int(e.number(n)), Of: int(e.number(of))}
	}
	return d
}

func (e event) engine() gpu.Engine {
	engine, ok := gpu.ParseEngine(valueOr(e.named, "engine", "engine"))
	require.True(e.t, ok, e.where)
	return engine
}

func (e event) instant(word string) gpu.Time { return scriptEpoch + gpu.Time(e.number(word)*1e9) }

func (e event) number(word string) float64 {
	n, err := strconv.ParseFloat(word, 64)
	require.NoError(e.t, err, e.where)
	return n
}

func valueOr(m map[string]string, key, otherwise string) string {
	if v, ok := m[key]; ok {
		return v
	}
	return otherwise
}
