// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger_test

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// --- Streams: §1 -----------------------------------------------------------

// outputStream is one output metric of one pod.
type outputStream struct {
	name   string
	window time.Duration
	series [][]gpu.Output // each by time
}

// streamsKey is what the streams of a holder follow from, within a step.
type streamsKey struct {
	node, key string
	k         gpu.Time
	members   int
}

// streamsOf returns the output streams of a holder, as known at k.
func (o *oracle) streamsOf(node, key string, k gpu.Time) []outputStream {
	memo := streamsKey{node, key, k, len(o.members[node])}
	if streams, ok := o.memo[memo]; ok {
		return streams
	}
	var streams []outputStream
	for i, p := range o.all.Outputs {
		if p.Profile.Kind != gpu.OutputCounter || p.Time > k || !o.belongs(i, node, key) {
			continue
		}
		name := o.streams[i]
		n := slices.IndexFunc(streams, func(s outputStream) bool { return s.name == name })
		if n < 0 {
			n = len(streams)
			streams = append(streams, outputStream{name: name, window: p.Profile.Window})
		}
		streams[n].add(p)
	}
	for _, s := range streams {
		for _, series := range s.series {
			slices.SortFunc(series, func(a, b gpu.Output) int { return cmp.Compare(a.Time, b.Time) })
		}
	}
	o.memo[memo] = streams
	return streams
}

// belongs says whether the i-th output is one of a holder's on a node: joined to
// its pod, to another pod of its group that holds or held devices of the node,
// or to the group.
func (o *oracle) belongs(i int, node, key string) bool {
	pod, group := o.pods[i], o.groups[key]
	switch {
	case pod == key:
		return true
	case group == "":
		return false
	case o.all.Outputs[i].Join.Group == group:
		return true
	}
	return pod != "" && o.groups[pod] == group && o.members[node][pod]
}

func (s *outputStream) add(p gpu.Output) {
	i := slices.IndexFunc(s.series, func(series []gpu.Output) bool { return series[0].Series == p.Series })
	if i < 0 {
		s.series = append(s.series, []gpu.Output{p})
		return
	}
	if !slices.ContainsFunc(s.series[i], func(q gpu.Output) bool { return q.Time == p.Time }) {
		s.series[i] = append(s.series[i], p)
	}
}

// findPods joins the points of applications to pods.
func (o *oracle) findPods() {
	var holders []gpu.Holder
	for _, a := range o.all.Allocations {
		holders = append(holders, a.Holder)
	}
	for _, a := range o.all.DeviceAllocations {
		holders = append(holders, a.Holder)
	}
	for _, p := range o.all.Outputs {
		pod := podOf(p.Join, holders)
		o.pods = append(o.pods, pod)
		if pod == "" {
			pod = fmt.Sprint(p.Join)
		}
		o.streams = append(o.streams, pod+" "+p.Profile.Metric)
	}
}

// podOf returns the key of the pod that a join means.
func podOf(j gpu.Join, holders []gpu.Holder) string {
	if j.PodUID != "" {
		return j.PodUID
	}
	for _, h := range holders {
		byName := j.Pod != "" && h.Namespace == j.Namespace && h.Pod == j.Pod
		byIP := j.Pod == "" && j.PodIP != "" && h.PodIP == j.PodIP
		if byName || byIP {
			return h.Key()
		}
	}
	return ""
}

// activeCondition returns what the activity in a piece is.
func (o *oracle) activeCondition(node, key string, piece span, k gpu.Time) gpu.Condition {
	streams := o.streamsOf(node, key, k)
	flat := false
	for _, stream := range streams {
		for _, series := range stream.series {
			for i, p := range series {
				if i == 0 || p.Ended {
					continue
				}
				if within(piece, p.Time, o.cfg.MaxGap) {
					flat = true
				}
				if rise(series, i) > 0 && within(piece, p.Time, stream.window) {
					return gpu.Condition{State: gpu.Productive}
				}
			}
		}
	}
	switch {
	case flat:
		return gpu.Condition{State: gpu.Unproven, Reason: gpu.ReasonOutputFlat}
	case len(streams) > 0:
		return gpu.Condition{State: gpu.Unproven, Reason: gpu.ReasonNotScraped}
	case o.groups[key] != "":
		return gpu.Condition{State: gpu.Unproven, Reason: gpu.ReasonGroupUnknown}
	}
	return gpu.Condition{State: gpu.Unproven, Reason: gpu.ReasonNoAppMetric}
}

// within says whether t is in (τ, τ + d] for all τ of a piece, which is cut at
// t and t − d.
func within(piece span, t gpu.Time, d time.Duration) bool {
	return t.Add(-d) <= piece.from && piece.to <= t
}

// --- Outputs: §7 -----------------------------------------------------------

// outputs adds up the rises of every pod that holds a device in the end, and
// never held another one, from when it holds to F of the device.
func (o *oracle) outputs() map[string]float64 {
	produced := map[string]float64{}
	for _, d := range o.devices {
		if !d.open || d.boardOrTurning() {
			continue
		}
		for _, key := range d.live(d.known) {
			if o.cfg.Labels || o.heldDevices(key) != 1 || o.groups[key] != "" {
				continue // it may have come back
			}
			produced[key] = 0
			o.memo = map[streamsKey][]outputStream{}
			for _, stream := range o.streamsOf(d.node, key, d.f) {
				for _, series := range stream.series {
					for i, p := range series {
						if o.holdsSince(d, key) < p.Time {
							produced[key] += rise(series, i)
						}
					}
				}
			}
		}
	}
	return produced
}

// holdsSince returns when the first account of a holder opened.
func (o *oracle) holdsSince(d *oracleDevice, key string) gpu.Time {
	since := forever
	for of, got := range o.result.Totals {
		if of.Device == d.id && of.Holder == key {
			since = min(since, got.Start)
		}
	}
	return since
}

func (o *oracle) heldDevices(key string) int {
	on := map[gpu.DeviceID]bool{}
	for of := range o.result.Totals {
		if of.Holder == key {
			on[of.Device] = true
		}
	}
	return len(on)
}

// rise returns by how much the i-th point of a series is above the one before it.
func rise(series []gpu.Output, i int) float64 {
	p := series[i]
	if i == 0 || p.Ended {
		return 0
	}
	before := series[i-1]
	reset := before.Ended || p.Value < before.Value || p.Start != before.Start && p.Start >= before.Time
	if reset {
		return max(p.Value, 0)
	}
	return p.Value - before.Value
}
